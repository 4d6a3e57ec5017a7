import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoundOutput } from "../../machines/round/turn.ts";
import type { GivenUp, RetryAfter } from "../../machines/thread/outage.ts";
import { calls, says, settle, spawns, told, turn } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const gaveUp = (code: NonNullable<RoundOutput["failure"]>["code"] = "MODEL_UNAVAILABLE"): Partial<RoundOutput> => ({
  outcome: "failed",
  blocks: [says("half a"), calls("look")],
  usage: null,
  failure: { code, message: "No answer. That was try 11 of 11. Write to the thread to ask again." },
});
const list =
  (...waits: number[]): RetryAfter =>
  ({ times }) =>
    waits[times - 1] ?? null;

/** A thread that outlasts outages, and whose request was given up once. */
const inOutage = (retryAfter: RetryAfter = list(60_000, 3_600_000)): Fold =>
  settle(settle(new Fold({ retryAfter }).accept(text("go"))).answered(gaveUp()));

const due = ({ stored }: Fold): number => stored.record.retry?.due ?? Number.NaN;
/** The timer rings. */
const rings = (fold: Fold): Fold => settle(fold.accept({ kind: "retry", due: due(fold) }));

describe("a request that was given up, in a thread that outlasts outages", () => {
  it("leaves the thread at rest with its inputs in the history, nothing of the answer, and a timer (R1, R5, R9)", () => {
    const fold = inOutage();
    expect(fold.state).toBe("idle");
    expect(told(fold)).toEqual(["user:go"]);
    const { retry, lastFailure, rounds } = fold.stored.record;
    expect(retry).toEqual({ due: (lastFailure?.at ?? 0) + 60_000, attempt: 1, givenUp: 1 });
    expect(fold.commits.at(-1)?.timers).toEqual([{ callId: null, purpose: "retry", due: due(fold) }]);
    expect(rounds).toBe(0);
  });

  it("says when it is asked again, and no longer that somebody has to write", () => {
    const { message } = inOutage().stored.record.lastFailure ?? { message: "" };
    expect(message).toMatch(/^No answer\. That was try 11 of 11\. It is asked again at .*Z, or when you write\.$/);
  });

  it("is asked again with all its tries, waits longer each time, and in the end rests with the failure in sight", () => {
    const fold = rings(inOutage());
    expect(fold.context.slice).toMatchObject({ attempt: 1, givenUp: 1 });
    settle(fold.answered(gaveUp()));
    expect(fold.stored.record.retry).toMatchObject({ attempt: 1, givenUp: 2 });
    settle(rings(fold).answered(gaveUp()));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record).toMatchObject({
      retry: null,
      lastFailure: { message: expect.stringMatching(/Write to the thread to ask again\.$/) },
    });
  });

  it("goes on where the count stood after a restart", () => {
    const fold = rings(inOutage().restarted());
    settle(fold.answered(gaveUp()));
    expect(fold.stored.record.retry).toMatchObject({ givenUp: 2 });
  });

  it("keeps the count over a wait that the provider asked for", () => {
    const fold = rings(inOutage());
    const failure = { code: "MODEL_UNAVAILABLE" as const, message: "Busy." };
    settle(fold.answered({ outcome: "postponed", retry: { due: 9e9, attempt: 4 }, failure }));
    expect(fold.stored.record.retry).toEqual({ due: 9e9, attempt: 4, givenUp: 1 });
  });

  it("is asked at once when the user writes, and the count begins anew (R6)", () => {
    const fold = settle(inOutage().accept(text("now?")));
    expect(fold.state).toBe("running.completing.open");
    settle(fold.answered(gaveUp()));
    expect(fold.stored.record.retry).toMatchObject({ givenUp: 1 });
    expect(told(fold)).toEqual(["user:go", "user:now?"]);
  });

  it("is answered like any other once the model works", () => {
    const fold = turn(rings(inOutage()), says("back"));
    expect(told(fold)).toEqual(["user:go", "turn:back"]);
    expect(fold.stored.record).toMatchObject({ retry: null, lastFailure: null });
  });

  it("keeps its timer when the thread takes note of something else meanwhile (R9)", () => {
    const fold = settle(inOutage().accept({ kind: "resume" }));
    expect(fold.stored.record.retry).not.toBeNull();
    expect(fold.commits.at(-1)?.timers).toEqual([{ callId: null, purpose: "retry", due: due(fold) }]);
  });

  it.each(["CONTEXT_TOO_LONG", "TURN_FILTERED"] as const)("is not asked again for %s: time mends nothing", (code) => {
    const fold = settle(settle(new Fold({ retryAfter: list(1) }).accept(text("go"))).answered(gaveUp(code)));
    expect(fold.stored.record).toMatchObject({ retry: null, lastFailure: { code } });
  });

  it("is decided with the thread, the code and the count in hand", () => {
    const asked: GivenUp[] = [];
    const fold = inOutage((failure) => {
      asked.push(failure);
      return 5;
    });
    settle(rings(fold).answered(gaveUp("MODEL_FAILED")));
    expect(asked).toMatchObject([
      { threadId: "t1", code: "MODEL_UNAVAILABLE", times: 1 },
      { threadId: "t1", code: "MODEL_FAILED", times: 2 },
    ]);
  });

  it("rests at once where nothing was said of outages", () => {
    const fold = settle(settle(new Fold().accept(text("go"))).answered(gaveUp()));
    expect(fold.stored.record.retry).toBeNull();
  });
});

describe("the parent of a thread that fails", () => {
  const opening = (kind: "spawned" | "event") => {
    const parent = turn(settle(new Fold().accept(text("go"))), spawns());
    const given = parent.commits.flatMap(({ children }) => children.opened)[0]?.opening;
    if (!given) throw new Error("no child was opened");
    return { ...given, kind };
  };
  const child = (kind: "spawned" | "event", retryAfter?: RetryAfter): Fold =>
    settle(
      new Fold(retryAfter ? { retryAfter } : {}, undefined, [], [], opening(kind)).accept({
        kind: "message",
        parent: "t1",
        text: "look",
      }),
    );
  const reports = ({ commits }: Fold): unknown[] =>
    commits.flatMap(({ sent }) => sent.map(({ input }) => input)).filter(({ kind }) => kind === "report");

  it("hears of it once when the child gave up for good", () => {
    expect(reports(settle(child("spawned").answered(gaveUp())))).toMatchObject([{ kind: "report", failed: true }]);
  });

  it("hears nothing while the child asks again by itself, and once when that is over", () => {
    const fold = settle(child("spawned", list(10)).answered(gaveUp()));
    expect(reports(fold)).toEqual([]);
    settle(rings(fold).answered(gaveUp()));
    expect(reports(fold)).toHaveLength(1);
    expect(reports(fold.restarted())).toHaveLength(1);
  });

  it("hears nothing of the failure of an event's child", () => {
    expect(reports(settle(child("event").answered(gaveUp())))).toEqual([]);
  });
});

describe("whatever the outage", () => {
  type Doing = "fails" | "fails for good" | "is busy" | "text" | "note" | "restart";
  const doings = fc.array(
    fc.constantFrom<Doing>("fails", "fails", "fails for good", "is busy", "text", "note", "restart"),
    { maxLength: 25 },
  );

  it("every text is in the history once, in order, and answered when the model works again (R1, R2, R3, R9)", () =>
    fc.assert(
      fc.property(doings, (story) => {
        let fold = settle(new Fold({ retryAfter: () => 1_000 }).accept(text("0")));
        const texts = ["user:0"];
        for (const [index, doing] of story.entries()) {
          if (doing === "text") {
            texts.push(`user:${index + 1}`);
            // A text that cuts a round: the round hands back nothing.
            fold.accept(text(String(index + 1)));
            if (fold.state === "running.completing.interrupting") fold.answered({ outcome: "cut", usage: null });
            settle(fold);
          } else if (doing === "restart") fold = settle(fold.restarted());
          else if (doing === "note") settle(fold.accept({ kind: "resume" }));
          else {
            if (!fold.waits("round")) rings(fold);
            if (doing === "is busy")
              fold.answered({
                outcome: "postponed",
                retry: { due: fold.now() + 70_000, attempt: 2 },
                failure: { code: "MODEL_UNAVAILABLE", message: "Busy." },
              });
            else fold.answered(gaveUp(doing === "fails" ? "MODEL_UNAVAILABLE" : "MODEL_FAILED"));
            settle(fold);
          }
          // R9: at rest, the timer that ends the wait is the one that was committed last.
          if (!fold.waits("round")) {
            const last = fold.commits.findLast(({ record }) => record !== null);
            expect(last?.timers).toEqual([{ callId: null, purpose: "retry", due: due(fold) }]);
          }
        }
        if (!fold.waits("round")) rings(fold);
        turn(fold, says("here"));
        expect(told(fold).map((entry) => entry.replace("user!", "user"))).toEqual([...texts, "turn:here"]);
        expect(fold.stored).toMatchObject({ inbox: [], record: { retry: null, lastFailure: null, state: "idle" } });
      }),
    ));
});
