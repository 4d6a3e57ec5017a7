import type { Entry, TurnPart } from "./entry.ts";
import type { Report } from "./repair-report.ts";
import { isBlank } from "./well-formed.ts";
import { cutTurnText, noOutput, noText, says } from "./wording.ts";

const isBlankText = (part: { readonly type: string; readonly text?: string }): boolean =>
  part.type === "text" && isBlank(part.text ?? "");

/** The entry without blank texts: itself when it has none. */
export const withoutBlanks = (entry: Entry, position: number, report: Report): Entry => {
  const mended = mendedTexts(entry);
  if (mended !== entry) report("blank-text", position, "A blank text was taken out.");
  return mended;
};

const mendedTexts = (entry: Entry): Entry => {
  switch (entry.kind) {
    case "turn": {
      if (!entry.parts.some(isBlankText)) return entry;
      const parts = entry.parts.filter((part) => !isBlankText(part));
      return { ...entry, parts: parts.length > 0 ? parts : [{ type: "text", text: noText }] };
    }
    case "result": {
      const content = entry.content.filter((item) => !isBlankText(item));
      if (content.length > 0 && content.length === entry.content.length) return entry;
      return { ...entry, content: content.length > 0 ? content : says(noOutput) };
    }
    default:
      return isBlank(entry.text) ? { ...entry, text: noText } : entry;
  }
};

/**
 * What is left of a turn without some of its calls. Its reasoning goes with them: providers take none that led to calls
 * which are not there.
 */
export const partsWithout = (parts: readonly TurnPart[], gone: ReadonlySet<TurnPart>): TurnPart[] => {
  const left = parts.filter((part) => !gone.has(part) && part.type !== "reasoning");
  return left.length > 0 ? left : [{ type: "text", text: cutTurnText }];
};
