import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Announcement } from "./update.ts";

/** What an open round has shown, for a viewer that comes in the middle of it. */
export interface RoundSoFar {
  /** What the round began with; in the history once the round is over. */
  readonly inputs: readonly WaitingInput[];
  readonly text: string;
  /** What the model thinks; null when it does not, or has finished thinking. */
  readonly thinking: string | null;
}

/** The round after an update; a try that failed has shown nothing. */
export const followedBy = (round: RoundSoFar | null, update: Announcement): RoundSoFar | null => {
  if (update.type === "round.started") return { inputs: update.inputs, text: "", thinking: null };
  if (!round) return null;
  switch (update.type) {
    case "round.retried":
      return { ...round, text: "", thinking: null };
    case "text.delta":
      return { ...round, text: round.text + update.text };
    case "thinking.started":
      return { ...round, thinking: "" };
    case "thinking.delta":
      return { ...round, thinking: (round.thinking ?? "") + update.text };
    case "thinking.ended":
      return { ...round, thinking: null };
    default:
      return round;
  }
};
