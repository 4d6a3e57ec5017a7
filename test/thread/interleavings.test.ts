import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../machines/history/faults.ts";
import { settle } from "../support/thread/blocks.ts";
import { type Step, story, Told } from "../support/thread/story.ts";

/** Where each input that was sent is now; R1 wants exactly one place for each. */
const placesOf = ({ fold, sent }: Told): Map<string, string[]> => {
  const places = new Map<string, string[]>(sent.map(({ name }) => [name, []]));
  const put = (name: string | undefined, place: string) => name !== undefined && places.get(name)?.push(place);
  for (const { entry } of fold.stored.history) {
    if (entry.kind === "user" || entry.kind === "event") put(entry.text, "history");
    if (entry.kind === "result") put(entry.content[0]?.type === "text" ? entry.content[0].text : "", "history");
  }
  for (const { facts } of fold.commits)
    for (const fact of facts) {
      if (fact.type === "input.discarded") put(fact.dedupId, "discarded");
      if (fact.type === "call.progressed") put(fact.text, "handed over");
    }
  for (const { dedupId } of fold.stored.inbox) put(dedupId, "waiting");
  return places;
};

const textOf = (input: { kind: string } & object): string | undefined =>
  "text" in input ? String(input.text) : undefined;

describe("a thread, whatever happens around it", () => {
  const holds = (name: string, check: (told: Told) => void) =>
    it(name, () =>
      fc.assert(
        fc.property(story, (steps: Step[]) => {
          new Told(check).tell(steps);
        }),
        { numRuns: 400 },
      ),
    );

  holds("keeps its stored history well formed after every commit (R5)", ({ fold: { stored } }) => {
    expect(
      faultsOf(
        stored.history,
        stored.calls.map(({ callId }) => callId),
      ),
    ).toEqual([]);
  });

  holds(
    "keeps every accepted input in exactly one place, but for what settled a call and controls (R1, R2)",
    (told) => {
      for (const [name, places] of placesOf(told)) {
        expect(places.length, `${name} is in ${places.join(" and ")}`).toBeLessThanOrEqual(1);
        const input = told.sent.find((sent) => sent.name === name)?.input;
        const leavesATrace = input?.kind !== "timer" && input?.kind !== "interrupt" && input?.kind !== "retry";
        if (leavesATrace && places.length === 0) {
          // Only a result can go another way: as the refusal of one subscription too many.
          expect(input?.kind).toBe("result");
          expect(input).toMatchObject({ subscription: true });
        }
      }
    },
  );

  holds("hands over only what is durable, and asks the model only when nothing is outstanding (R4, R7)", ({ fold }) => {
    const durable = fold.stored.calls.map(({ callId }) => callId);
    if (fold.waits("dispatch") || fold.waits("inline"))
      for (const { callId } of fold.context.calls) expect(durable).toContain(callId);
    if (fold.waits("round")) expect(fold.context.calls).toEqual([]);
  });

  holds("never rests with something it could run on, nor with an unheard text (R6, R9)", ({ fold }) => {
    if (fold.state.startsWith("running")) return;
    expect(fold.context.calls.map(({ callId }) => callId)).toEqual(fold.stored.calls.map(({ callId }) => callId));
    const active = fold.context.calls.filter(({ passive }) => !passive);
    if (active.length === 0) expect(fold.context.inbox).toEqual([]);
    for (const { input } of fold.context.inbox) {
      expect(input.kind).not.toBe("interrupt");
      expect(input.kind === "text" && input.whileBusy === "interrupt").toBe(false);
    }
    expect(fold.stored.inbox.map(({ seq }) => seq)).toEqual(fold.context.inbox.map(({ seq }) => seq));
  });

  holds("lets deferrable inputs into the history in the order they were accepted (R3)", ({ fold, sent }) => {
    const deferrable = sent
      .filter(({ input }) => input.kind === "event" || (input.kind === "text" && input.whileBusy === "wait"))
      .map(({ name }) => name);
    const stored = fold.stored.history
      .flatMap(({ entry }) => textOf(entry) ?? [])
      .filter((text) => deferrable.includes(text));
    expect(stored).toEqual([...stored].sort((a, b) => deferrable.indexOf(a) - deferrable.indexOf(b)));
  });

  it("settles a call as interrupted only when the user wrote or stopped it, or it was a wait (R4)", () =>
    fc.assert(
      fc.property(story, (steps: Step[]) => {
        const told = new Told(() => {});
        const quiet = steps.map(
          (step): Step =>
            step.do === "accept"
              ? {
                  ...step,
                  inputs: step.inputs.map((input) =>
                    input.kind === "interrupt" || input.kind === "text" ? { kind: "text", patient: true } : input,
                  ),
                }
              : step,
        );
        told.tell(quiet);
        const passive = new Set(
          told.fold.commits.flatMap(({ calls }) =>
            calls.made.filter((call) => call.passive).map(({ callId }) => callId),
          ),
        );
        for (const { entry } of told.fold.stored.history)
          if (entry.kind === "result" && entry.origin === "interrupted") expect(passive).toContain(entry.callId);
      }),
      { numRuns: 400 },
    ));

  it("comes to rest once nothing new arrives, and to the same rest when it comes back into memory", () =>
    fc.assert(
      fc.property(story, (steps: Step[]) => {
        const { fold } = new Told(() => {}).tell(steps);
        const rest = (given: typeof fold) => {
          for (let rounds = 0; rounds < 200 && !settle(given).state.match(/^[a-z]+[A-Z]?[A-Za-z]*$/); rounds++)
            given.answered({ outcome: given.state.endsWith("interrupting") ? "cut" : "finished", usage: null });
          return given;
        };
        const rested = rest(fold);
        expect(rested.state).not.toMatch(/^running/);
        const again = rest(rested.reloaded());
        expect(again.state).toBe(rested.state);
        expect(again.context.inbox).toEqual(rested.context.inbox);
      }),
      { numRuns: 300 },
    ));
});
