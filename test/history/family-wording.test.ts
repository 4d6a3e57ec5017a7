import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentItem } from "../../machines/history/entry.ts";
import * as family from "../../machines/history/family-wording.ts";
import { callIdOf, ThreadId } from "../../machines/history/ids.ts";
import { timerText, wokenEarlyText } from "../../machines/history/wording.ts";

const text = ([item]: readonly ContentItem[]): string => (item?.type === "text" ? item.text : "");
const above = ["t1", "t1/a"];

describe("what a child reads where it begins", () => {
  it("says who it is, what it shall do, who hears it and how it ends", () => {
    const seed = text(family.spawnSeedText("t1/a/b", above, "do part A"));
    expect(seed).toContain("Your thread id is t1/a/b.");
    expect(seed).toContain('Your full thread stack, root first, is ["t1","t1/a","t1/a/b"].');
    expect(seed).toMatch(/parent hears what you send with report_to_parent, and that you have closed/);
    expect(seed).toMatch(/call close_thread with the thread_id t1\/a\/b/);
    expect(seed).toMatch(/\n\nYour instructions:\ndo part A$/);
  });

  it("says of an event's child that its end alone is not heard", () => {
    const seed = family.eventSeedText("t1/e", ["t1"], { name: "watch" });
    expect(seed).toMatch(/one event of watch, which follows/);
    expect(seed).toContain('["t1","t1/e"]');
    expect(seed).toMatch(/nor that you have closed/);
    expect(family.eventSeedArgs(["t1"], { name: "watch" })).toEqual({
      instructions: "Handle the event of watch that follows.",
      child_of: ["t1"],
    });
  });
});

describe("what a parent hears", () => {
  it("of an end is the child's id and its last report, or that there is none", () => {
    expect(family.endedText("t1/a", "A done")).toBe("The child thread t1/a has closed. Its last report:\nA done");
    for (const none of [null, " \n"])
      expect(family.endedText("t1/a", none)).toBe("The child thread t1/a has closed, without a last report.");
  });

  it("of a failure is what failed, and how the child can go on", () =>
    expect(family.failedChildText("t1/a", "The model is gone.")).toMatch(
      /t1\/a could not go on: The model is gone\. .*send_message_to_child/,
    ));
});

describe("a refusal of a built-in tool", () => {
  it("says that nothing happened, and what is true or would work", () => {
    const watch = { callId: callIdOf(ThreadId.parse("t1"), 1, 0), providerCallId: "", name: "watch" };
    const refusals: [ContentItem[], RegExp][] = [
      [family.wrongStackText(["t1", "t1/a"]), /no thread was spawned.*\["t1","t1\/a"\]/],
      [family.tooManyChildrenText(50), /has 50 open children.*no thread was spawned.*Wait/],
      [family.tooDeepText(5), /at most 5 levels below their root.*no thread was spawned.*Do the work in this thread/],
      [
        family.notAChildText("nobody", ["t1/a", "t1/b"]),
        /"nobody" is no open child.*not sent.*Open children: t1\/a, t1\/b/,
      ],
      [family.notAChildText("nobody", []), /no open children/],
      [family.notYourThreadText("other", "t1/a"), /"other" is not your thread, so nothing was closed.*id is t1\/a/],
      [family.rootClosesText("t1"), /t1 is a root thread.*just answer/],
      [family.secondCloseText(), /not carried out/],
      [family.noParentText(), /no report was sent.*Say it in your answer/],
      [
        family.unknownSubscriptionText("s9", [watch]),
        /"s9", so nothing was cancelled.*Active here: "call_1_0" \(watch\)/,
      ],
      [family.unknownSubscriptionText("s9", []), /There are none here/],
    ];
    for (const [content, expected] of refusals)
      expect(text(content)).toMatch(new RegExp(`^Error: .*${expected.source}`));
  });

  it("stays short and is text throughout, whatever the model wrote and however many there are", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.nat(200), (id, count) => {
        const many = Array.from({ length: count }, (_, index) => `t1/${index}`);
        for (const content of [family.notAChildText(id, many), family.notYourThreadText(id, "t1")]) {
          expect(text(content).length).toBeLessThan(1_500);
          expect(text(content).isWellFormed()).toBe(true);
          expect(text(content)).not.toContain("\0");
        }
        if (count > 10) expect(text(family.notAChildText("x", many))).toContain(`t1/9 and ${count - 10} more.`);
      }),
    ));
});

describe("the result of a wait", () => {
  it("ends with what the wait says of itself", () => {
    expect(text(timerText(0, 1_000, "The wait was until noon."))).toBe(
      "The time is over. It was due at 1970-01-01T00:00:00.000Z; it is 1970-01-01T00:00:01.000Z now. The wait was until noon.",
    );
    expect(text(timerText(0, 0))).toMatch(/now\.$/);
    expect(text(wokenEarlyText("an event", "The wait was until noon."))).toBe(
      "Woken early by an event. The wait was until noon.",
    );
    expect(text(wokenEarlyText("an event"))).toBe("Woken early by an event.");
  });
});
