import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import type { ScriptedChunk, ScriptedEnd } from "../../model/scripted/answer.ts";

/** What a world did to its system, with everything chosen: it can be done to another one. */
export type Act =
  | { readonly act: "send"; readonly envelopes: readonly Envelope[] }
  | {
      readonly act: "answer";
      readonly threadId: ThreadId;
      readonly chunks: readonly ScriptedChunk[];
      readonly end: ScriptedEnd;
    }
  | { readonly act: "pass"; readonly ms: number }
  | { readonly act: "restart" | "crash" }
  /** What cannot be done to another system by name. */
  | { readonly act: "untold" };
