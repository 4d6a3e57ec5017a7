import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beforeStop, Recorder, replay } from "../support/system/replay.ts";
import { story } from "../support/system/story.ts";
import { World } from "../support/system/world.ts";

describe("the log of a thread that ran", () => {
  it("comes to the same commits and the same thread when nothing but the chart sees it, whatever happened", () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), story, async (scheduler, steps) => {
        const recorder = new Recorder();
        const world = await World.begin(scheduler, { inspect: recorder.inspect });
        await world.play(steps);
        await world.finish();
        const threads = world.threads.map((thread) => ({ id: thread.id, state: thread.state, view: thread.view() }));
        // An observer is told a little later; stopping waits for it.
        await world.stop();
        expect([...recorder.logs.keys()].sort()).toEqual(threads.map(({ id }) => id));
        for (const thread of threads) {
          const log = recorder.logs.get(thread.id);
          const played = log && replay(beforeStop(log));
          expect(played?.commits).toEqual(world.journal.page(thread.id as never).commits);
          expect(played?.value).toBe(thread.state);
          expect(played?.context.calls).toEqual(thread.view.calls);
          expect(played?.context.record.lastFailure).toEqual(thread.view.lastFailure);
        }
      }),
      { numRuns: 60 },
    ));

  it("is not empty, and a log without one of its events comes to something else", async () => {
    const [scheduler] = fc.sample(fc.scheduler(), 1) as [fc.Scheduler];
    const recorder = new Recorder();
    const world = await World.begin(scheduler, { inspect: recorder.inspect });
    world.bring(world.threads[0]!.send("hello", { id: "a" }));
    await world.finish();
    await world.stop();
    const log = recorder.logs.get("t0");
    const types = log?.events.map(({ type }) => type as string);
    expect(types).toEqual([
      "inputs.accepted",
      "xstate.done.actor.prepare",
      "xstate.done.actor.round",
      "xstate.done.actor.commit",
      "system.stopping",
    ]);
    expect(log && replay(log).commits).toHaveLength(1);
    for (const left of [0, 1, 2])
      expect(log && replay({ ...log, events: log.events.filter((_, index) => index !== left) }).commits).toEqual([]);
  });
});
