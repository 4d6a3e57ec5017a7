import type { JsonObject } from "../../../machines/history/json.ts";
import { displayForm } from "../../../machines/history/wording.ts";
import { oneLine } from "./terminal-text.ts";

/** A call that was stored, in the form that people read. */
export const displayOf = (call: {
  readonly name: string;
  readonly args: JsonObject;
  readonly display?: string | undefined;
}): string => oneLine(call.display ?? displayForm(call.name, call.args));
