import { shownIdOf, type ThreadId } from "../../../machines/history/ids.ts";
import type { ScriptedChunk } from "../../model/scripted/answer.ts";
import type { Record } from "./record.ts";
import type { Said } from "./step.ts";

/** Whose model speaks, and what it can speak of. */
export interface Scene {
  readonly record: Record;
  readonly threadId: ThreadId;
  /** The model refuses calls that it did not sign. */
  readonly signs: boolean;
  /** A word that is said once in a story. */
  readonly word: (kind: string) => string;
}

/** What a model says of one part of its turn. */
export const chunksOf = (said: Said, scene: Scene): ScriptedChunk[] => {
  switch (said.says) {
    case "text":
      return [{ text: scene.word("a") }];
    case "blank":
      return [{ text: " " }];
    case "reasoning":
      return [{ reasoning: "hm" }];
    case "unsigned reasoning":
      return [{ unsigned_reasoning: "hm" }];
    case "call": {
      const { tool, id, garbled } = said;
      // A name that no provider takes is sent back as another, under which its signature is not valid.
      if (tool === "" && scene.signs) return [];
      const raw = garbled ? '{"how":' : JSON.stringify(argsOf(said, scene));
      const shown = id === "own" ? scene.word("k") : id === "empty" ? "" : "same";
      return [{ tool_call: { name: tool, raw, id: shown } }];
    }
  }
};

const argsOf = ({ tool, how, pick }: Extract<Said, { says: "call" }>, { record, threadId, word }: Scene): object => {
  const page = record.page(threadId);
  switch (tool) {
    case "sleep":
      return { seconds: 1 + (pick % 5) };
    case "sleep_until":
      return { date: "1970-01-01", time: `00:0${pick % 4}:0${pick % 9}`, timezone: "UTC" };
    case "sleep_until_event_or_input":
      return {};
    case "spawn_thread":
      return {
        instructions: word("i"),
        child_of: pick % 9 === 0 ? [] : [...(page.opening?.stack ?? []), threadId],
      };
    case "report_to_parent":
      return { report: word("r") };
    case "send_message_to_child": {
      const children = [...record.pages.values()].filter(
        ({ opening, state }) => opening?.parent === threadId && state !== "closed",
      );
      return { thread_id: children[pick % children.length]?.threadId ?? "nobody", message: word("w") };
    }
    case "close_thread":
      return { thread_id: threadId, ...(pick % 2 === 0 && { report_to_parent: word("c") }) };
    case "cancel_subscription": {
      const active = [...page.subscriptions];
      const callId = active[pick % active.length];
      return { tool_call_id: callId === undefined ? "none" : shownIdOf(callId) };
    }
    default:
      return { how };
  }
};
