import { describe, expect, it } from "vitest";
import type { Entry } from "../../../machines/history/entry.ts";
import {
  endedText,
  eventSeedArgs,
  eventSeedText,
  spawnedText,
  spawnSeedText,
  wrongStackText,
} from "../../../machines/history/family-wording.ts";
import { callIdOf, ThreadId } from "../../../machines/history/ids.ts";
import { says, wokenEarlyText } from "../../../machines/history/wording.ts";
import { createPromptBuilder } from "../../../src/prompt/builder.ts";
import { exampleTools, lines, replyOn } from "./talk.ts";

const at = 0;
const tools = {
  ...exampleTools,
  watch_build: () => "",
  spawn_thread: () => "",
  close_thread: () => "",
};
const turnsOf = (thread: string) => {
  let turns = 0;
  return (...calls: readonly { readonly name: string; readonly args: object }[]): Entry => {
    const turn = ++turns;
    return {
      kind: "turn",
      at,
      parts: calls.map(({ name, args }, index) => ({
        type: "call",
        callId: callIdOf(ThreadId.parse(thread), turn, index),
        providerCallId: `demo_${turn}${index}`,
        name,
        args: args as never,
      })),
    };
  };
};
const callId = (turn: number, index = 0) => callIdOf(ThreadId.parse("root"), turn, index);
const resultOf = (
  turn: number,
  index: number,
  name: string,
  content: ReturnType<typeof says>,
  error = false,
): Entry => ({
  kind: "result",
  at,
  callId: callId(turn, index),
  name,
  origin: error ? "validation" : "spawned",
  content,
  ...(error && { error: true }),
});
const text = (said: string): Entry => ({ kind: "turn", at, parts: [{ type: "text", text: said }] });
const user = (said: string): Entry => ({ kind: "user", at, text: said });

const watching = { name: "watch_build", args: { build_id: "42", updates: 3 } };
const source = { callId: callId(1), providerCallId: "demo_10", ...watching };
const watch: Entry[] = [
  user("watch build 42 for 3 updates and tell me when it is green"),
  turnsOf("root")(watching),
  resultOf(1, 0, "watch_build", says("Watching build 42.")),
];
const running = "update 1 of 3, build 42 is running: 1 of 3 steps done.";
const green = "update 3 of 3, build 42 is green: 318 tests passed.";

describe.each(["call", "text"] as const)("the demo model in a family, events as %s", (eventsAs) => {
  const replyTo = async (entries: readonly Entry[], instructions = ""): Promise<readonly string[]> => {
    const builder = createPromptBuilder({ eventsAs, supportsImages: false });
    builder.append(entries.map((entry, position) => ({ position, entry })));
    return lines([await replyOn(builder.prompt(instructions), tools)]);
  };

  it("watches a build", async () => {
    expect(await replyTo(watch.slice(0, 1))).toEqual(['watch_build {"build_id":"42","updates":3}']);
    expect(await replyTo(watch)).toEqual(["I watch build 42, and tell you when it is green."]);
  });

  it("passes an event on, as the child that handles it, and closes", async () => {
    const seed: Entry[] = [
      ...watch,
      {
        kind: "seed",
        at,
        callId: callIdOf(ThreadId.parse("c.1"), 0, 0),
        args: eventSeedArgs(["root"], watching),
        text: eventSeedText("c.1", ["root"], watching),
      },
    ];
    expect(await replyTo([...seed, { kind: "event", at, source, text: running }])).toEqual([
      "Not green yet: build 42 is running: 1 of 3 steps done.",
      `close_thread ${JSON.stringify({ thread_id: "c.1", report_to_parent: running })}`,
    ]);
  });

  it("answers when a child reports that the build is green, and that it is not yet", async () => {
    const begun = [...watch, text("I watch build 42.")];
    const report = (told: string): Entry => ({
      kind: "event",
      at,
      source,
      from: ThreadId.parse("c.1"),
      text: endedText("c.1", told),
    });
    expect(await replyTo([...begun, report(running)])).toEqual([
      "Not green yet: build 42 is running: 1 of 3 steps done.",
    ]);
    expect(await replyTo([...begun, report(green)])).toEqual(["Build 42 is green: 318 tests passed."]);
    expect(await replyTo([...begun, report(green.replace("green", "red"))])).toEqual([
      "It did not become green: build 42 is red: 318 tests passed.",
    ]);
  });

  const spawn = (instructions: string, child_of: string[]) => ({
    name: "spawn_thread",
    args: { instructions, child_of },
  });
  const asked = user("split: add 2 and 3 | check build 42");

  it("splits work among children of the stack that it was told, in its instructions or by an error", async () => {
    const parts = (stack: string[]) =>
      ["add 2 and 3", "check build 42"].map((part) => `spawn_thread ${JSON.stringify(spawn(part, stack).args)}`);
    const told = 'Your full thread stack, root first, is ["root"].';
    expect(await replyTo([asked], told)).toEqual(parts(["root"]));
    expect(await replyTo([asked])).toEqual(parts([]));
    const refused = [
      turnsOf("root")(spawn("add 2 and 3", []), spawn("check build 42", [])),
      ...[0, 1].map((index) => resultOf(1, index, "spawn_thread", wrongStackText(["root"]), true)),
    ];
    expect(await replyTo([asked, ...refused])).toEqual(parts(["root"]));
  });

  it("takes no for an answer when the stack that it was told is not its own either", async () => {
    const wrong = spawn("add 2 and 3", ["other"]);
    const entries = [
      user(`call spawn_thread ${JSON.stringify(wrong.args)}`),
      turnsOf("root")(wrong),
      resultOf(1, 0, "spawn_thread", wrongStackText(["root"]), true),
    ];
    expect(await replyTo(entries)).toEqual([expect.stringMatching(/^spawn_thread did not work: child_of is not/)]);
  });

  /** The parent, with both children begun. */
  const split = (): Entry[] => [
    asked,
    turnsOf("root")(spawn("add 2 and 3", ["root"]), spawn("check build 42", ["root"])),
    resultOf(1, 0, "spawn_thread", spawnedText("c.1")),
    resultOf(1, 1, "spawn_thread", spawnedText("c.2")),
  ];
  const ended = (index: number, report: string | null): Entry => ({
    kind: "event",
    at,
    source: {
      callId: callId(1, index),
      providerCallId: "",
      ...spawn(index === 0 ? "add 2 and 3" : "check build 42", ["root"]),
    },
    from: ThreadId.parse(`c.${index + 1}`),
    text: endedText(`c.${index + 1}`, report),
  });

  it("tells how each child did, and when all have ended", async () => {
    const begun = [...split(), text("They are at work.")];
    expect(await replyTo([...begun, ended(0, "2 + 3 = 5.")])).toEqual(['"add 2 and 3" is done: 2 + 3 = 5.']);
    expect(await replyTo([...begun, ended(0, "2 + 3 = 5."), text("One."), ended(1, null)])).toEqual([
      '"check build 42" is done. All 2 parts are done.',
    ]);
  });

  it("does its part as a child, and reports what came of it when it closes", async () => {
    const seeded = split().slice(0, 2);
    const begun = [
      ...seeded,
      resultOf(1, 0, "spawn_thread", spawnSeedText("c.1", ["root"], "add 2 and 3")),
      resultOf(1, 1, "spawn_thread", says("Not known here: your parent made this call, and its result arrives there.")),
    ];
    expect(await replyTo(begun)).toEqual(['calculate {"expression":"2 + 3"}']);
    const done: Entry[] = [
      ...begun,
      {
        kind: "turn",
        at,
        parts: [
          {
            type: "call",
            callId: callIdOf(ThreadId.parse("c.1"), 2, 0),
            providerCallId: "x",
            name: "calculate",
            args: { expression: "2 + 3" },
          },
        ],
      },
      {
        kind: "result",
        at,
        callId: callIdOf(ThreadId.parse("c.1"), 2, 0),
        name: "calculate",
        origin: "tool",
        content: says("5"),
      },
    ];
    expect(await replyTo(done)).toEqual([
      "2 + 3 = 5.",
      `close_thread ${JSON.stringify({ thread_id: "c.1", report_to_parent: "2 + 3 = 5." })}`,
    ]);
    expect(await replyTo([...done, text("2 + 3 = 5."), user("say hi")])).toEqual(["hi"]);
  });

  it("sleeps anew when something wakes it before it is to remind, and not when it only sleeps", async () => {
    const sleeping = (said: string): Entry[] => [
      user(said),
      turnsOf("root")({ name: "sleep", args: { seconds: 2 } }),
      resultOf(1, 0, "sleep", wokenEarlyText("an event")),
    ];
    expect(await replyTo(sleeping("remind me in 2 seconds while you watch"))).toEqual(['sleep {"seconds":2}']);
    expect(await replyTo(sleeping("sleep 2 then say hi"))).toEqual(["I was woken early and go on. hi"]);
    const over = [
      ...sleeping("remind me in 2 seconds to stretch").slice(0, 2),
      resultOf(1, 0, "sleep", says("The time is over. It was due at X; it is X now.")),
    ];
    expect(await replyTo(over)).toEqual(["Your reminder: stretch."]);
  });

  it("reminds of nothing when it could not sleep", async () => {
    const refused = [
      user("remind me in 0 seconds to stretch"),
      turnsOf("root")({ name: "sleep", args: { seconds: 0 } }),
      resultOf(1, 0, "sleep", says("Error: too small."), true),
    ];
    expect(await replyTo(refused)).toEqual(["sleep did not work: too small."]);
  });

  it("watches the build that it is to watch while it sleeps", async () => {
    const said = user("remind me in 2 seconds while you watch build 7 for 2 updates");
    const watch = 'watch_build {"build_id":"7","updates":2}';
    expect(await replyTo([said])).toEqual([watch]);
  });
});
