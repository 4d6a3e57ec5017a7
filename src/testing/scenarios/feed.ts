import type { ScriptedChunk, ScriptedEnd } from "../../model/scripted/answer.ts";
import type { ScriptedRequest } from "../../model/scripted/request.ts";
import type { Chunk, ScenarioUsage, Step } from "./step-schema.ts";

/** A request that a scenario answers, over as many steps as it likes. */
export interface Fed {
  /** It waits for an answer, or for the rest of one. */
  readonly isOpen: boolean;
  answer(answer: Answer): void;
  /** Nobody is there any more to read an answer. */
  abandon(): void;
}

export interface Answer {
  readonly chunks: readonly Chunk[];
  readonly end: Extract<Step, { op: "model_stream" }>["end"];
  readonly error?: "fatal" | "transient" | undefined;
  readonly usage?: ScenarioUsage | undefined;
}

const endOf = ({ end, error = "fatal" }: Answer): ScriptedEnd => (end === "error" ? { error } : end);

export const feed = (request: ScriptedRequest): Fed => {
  let abandoned = false;
  /** Text of the reasoning that came in deltas and is not complete. */
  let thought: string | undefined;

  /** A complete piece of reasoning that begins with the deltas before it completes them; else it is one of its own. */
  const scripted = (chunk: Chunk): readonly ScriptedChunk[] => {
    const before = thought;
    thought = "reasoning_delta" in chunk ? (before ?? "") + chunk.reasoning_delta : undefined;
    if (before === undefined || !("reasoning" in chunk) || !chunk.reasoning.startsWith(before)) return [chunk];
    const rest = chunk.reasoning.slice(before.length);
    return rest === "" ? [] : [{ reasoning_delta: rest }];
  };

  return {
    get isOpen() {
      return !abandoned && request.open;
    },
    answer(answer) {
      request.stream(answer.chunks.flatMap(scripted), endOf(answer), answer.usage);
    },
    abandon() {
      abandoned = true;
    },
  };
};
