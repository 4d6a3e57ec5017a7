import type { JsonObject } from "../../machines/history/json.ts";
import { displayForm } from "../../machines/history/wording.ts";
import { safeText, shortened } from "./text.ts";
import type { Tool } from "./tool.ts";

const longest = 200;

/**
 * How a call is shown to people: what the tool's own `display` says of the parsed arguments, cut to 200 characters; the
 * default form where it says nothing that can be shown, or throws.
 */
export const displayOf = (tool: Tool, args: JsonObject, parsed: unknown): string => {
  try {
    const text = tool.display?.(parsed);
    if (text instanceof Promise) text.catch(() => {});
    if (typeof text === "string" && text.trim() !== "") return safeText(shortened(text, longest));
  } catch {
    // A display that fails must not keep a call from being made; people see the default form.
  }
  return safeText(displayForm(tool.name, args));
};
