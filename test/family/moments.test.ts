import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import { familyFaults, subtree } from "./family-faults.ts";
import { type Control, type Plan, type Played, playFamily, type Whom } from "./moments.ts";

/** The story without anybody who steps in has somewhat more moments than this. */
const moments = 170;
const moment = fc.integer({ min: 12, max: moments });
const whom = fc.constantFrom<Whom>("root", "child", "grandchild", "event child");
const stepsIn = (kind: Control) => fc.record({ kind: fc.constant(kind), whom, at: moment });
const anything = fc.constantFrom<Control>("halt", "close", "interrupt").chain(stepsIn);

const recordsBelow = async (played: Played, threadId: string) => {
  const loaded = await Promise.all((await subtree(played, threadId)).map((id) => played.store.load(id)));
  return loaded.flatMap((thread) => thread ?? []);
};

/** What is done comes to rest without a fault, and so does closing everything at the end. */
const playOut = async (plan: Plan, then: (played: Played) => Promise<void> = async () => {}): Promise<void> => {
  const played = await playFamily(plan);
  expect(await familyFaults(played)).toEqual([]);
  await then(played);
  await played.tell("root", { kind: "close" });
  expect(await familyFaults(played)).toEqual([]);
  const states = (await played.store.threads()).map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(["closed"]));
  await played.system.stop();
};

describe("a family in which everything happens", { timeout: 120_000 }, () => {
  it("has so many moments, and comes to rest", async () => {
    const played = await playFamily();
    expect(played.moments).toBeGreaterThanOrEqual(moments);
    expect(await familyFaults(played)).toEqual([]);
    await played.system.stop();
  });

  it("closes with everything below the thread that is closed, at whatever moment", () =>
    fc.assert(
      fc.asyncProperty(stepsIn("close"), (control) =>
        playOut({ control }, async (played) => {
          if (!played.reached) return;
          const below = await recordsBelow(played, played.reached);
          expect(new Set(below.map(({ record }) => record.state))).toEqual(new Set(["closed"]));
        }),
      ),
      { numRuns: 35 },
    ));

  it("is halted with everything below the thread that is halted, at whatever moment, and goes on when that is told to", () =>
    fc.assert(
      fc.asyncProperty(stepsIn("halt"), (control) =>
        playOut({ control }, async (played) => {
          const { reached } = played;
          if (!reached) return;
          const halted = (await recordsBelow(played, reached)).filter(({ record }) => record.state !== "closed");
          expect(halted.filter(({ record }) => !record.halted)).toEqual([]);
          expect(halted.flatMap(({ calls }) => calls)).toEqual([]);
          await played.tell(reached, { kind: "text", text: "go on" });
          expect((await recordsBelow(played, reached)).filter(({ record }) => record.halted)).toEqual([]);
          expect(await familyFaults(played)).toEqual([]);
        }),
      ),
      { numRuns: 35 },
    ));

  it("is interrupted where the interrupt went and nowhere else, at whatever moment", () =>
    fc.assert(
      fc.asyncProperty(stepsIn("interrupt"), (control) =>
        playOut({ control }, async (played) => {
          const told = (await played.store.threads()).map(({ threadId }) => threadId);
          for (const threadId of told.filter((id) => id !== played.reached))
            expect(await interruptedByPerson(played, threadId)).toEqual([]);
        }),
      ),
      { numRuns: 35 },
    ));

  it("comes to rest, whoever else steps in meanwhile, at whatever moment", () =>
    fc.assert(
      fc.asyncProperty(anything, anything, fc.option(moment), (control, another, crash) =>
        playOut({ control, another, ...(crash !== null && { crash }) }),
      ),
      { numRuns: 20 },
    ));

  it("comes to the same wherever its process ends, before, at or after that moment", () =>
    fc.assert(
      fc.asyncProperty(anything, fc.integer({ min: -3, max: 12 }), (control, later) =>
        playOut({ control, crash: control.at + later }, async (played) => {
          if (!played.reached || control.kind !== "close") return;
          const below = await recordsBelow(played, played.reached);
          // Who stepped in may have died with the process before the input was accepted.
          const accepted = (await played.store.feed({ after: 0, limit: 1e6 })).some(
            (fact) => fact.type === "input.accepted" && fact.dedupId === "stepped in",
          );
          if (accepted) expect(below.filter(({ record }) => record.state !== "closed")).toEqual([]);
        }),
      ),
      { numRuns: 20 },
    ));
});

/** Results that say that a person interrupted the call. */
const interruptedByPerson = async ({ store }: Played, threadId: ThreadId): Promise<readonly string[]> =>
  (await store.history(threadId)).flatMap(({ entry }) => {
    const [item] = entry.kind === "result" && entry.origin === "interrupted" ? entry.content : [];
    return item?.type === "text" && !item.text.startsWith("Woken early") ? [item.text] : [];
  });
