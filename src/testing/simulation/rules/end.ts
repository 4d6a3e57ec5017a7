import { faultsOf } from "../../../../machines/history/faults.ts";
import type { World } from "../world.ts";
import { faultsOfFamilies } from "./families.ts";
import { faultsOfOrder } from "./order.ts";
import { faultsOfPlaces } from "./places.ts";
import { faultsOfQuestions } from "./questions.ts";
import { faultsOfTools } from "./tools.ts";

/** R5: every history as it is stored, and every request as a strict model took it. */
const faultsOfHistories = ({ record, processes }: World): string[] => [
  ...[...record.pages.values()].flatMap((page) =>
    faultsOf(record.view(page), [...page.calls.keys()]).map((fault) => `R5: ${page.threadId}, ${fault}`),
  ),
  ...processes.lives.flatMap(({ model }) =>
    model.requests.flatMap(({ refusals }) => refusals.map((refusal) => `R5: a request: ${refusal}`)),
  ),
];

/** A timer rings once. */
const faultsOfTimers = ({ record }: World): string[] => {
  const rung = new Map<string, number>();
  const faults: string[] = [];
  for (const { threadId, waiting } of record.accepted) {
    const { input, dedupId } = waiting;
    if (input.kind !== "timer" && input.kind !== "retry" && input.kind !== "linger") continue;
    if (input.kind === "timer") {
      // A call that asks twice has a timer for each question that runs out.
      const name = `${input.callId} ${input.purpose}${input.purpose === "expiry" ? ` ${input.due}` : ""}`;
      if (rung.has(name)) faults.push(`R2: the timer ${name} rang twice`);
      rung.set(name, 1);
    } else {
      const name = `${threadId} ${input.kind} ${input.due}`;
      if (rung.has(name)) faults.push(`R2: the timer ${name} (${dedupId}) rang twice`);
      rung.set(name, 1);
    }
  }
  return faults;
};

/** What a model saw of an input, it saw once: words are unique, so any that is there twice was doubled. */
const faultsOfPrompts = (world: World): string[] => {
  const last = new Map<string, string>();
  for (const { model } of world.processes.lives)
    for (const request of model.requests) last.set(world.askerOf(request), JSON.stringify(request.prompt.slice(1)));
  return [...last].flatMap(([threadId, prompt]) => {
    const seen = new Set<string>();
    return [...prompt.matchAll(/"(m\d+|e\d+)"/g)].flatMap(([, word = ""]) => {
      if (seen.has(word)) return [`R2: ${threadId}'s model reads ${word} twice`];
      seen.add(word);
      return [];
    });
  });
};

/** Everything that can be said once nothing more happens. */
export const faultsAtEnd = (world: World): string[] => [
  ...faultsOfPlaces(world),
  ...faultsOfOrder(world),
  ...faultsOfHistories(world),
  ...faultsOfTools(world),
  ...faultsOfTimers(world),
  ...faultsOfQuestions(world),
  ...faultsOfFamilies(world),
  ...faultsOfPrompts(world),
];
