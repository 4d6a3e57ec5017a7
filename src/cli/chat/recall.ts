import type { Entry, PlacedEntry } from "../../../machines/history/entry.ts";
import { displayOf } from "../run/display-of.ts";
import type { Layout } from "../run/layout.ts";
import type { Kind, Paint } from "../run/paint.ts";
import { shownOf } from "../run/shown-result.ts";
import { excerpt } from "../run/terminal-text.ts";

/** Entries that are shown when a thread is gone on with. */
const shown = 8;
/** Lines that are shown of each text. */
const lines = 6;

interface Block {
  readonly kind: Kind;
  readonly sign: string;
  readonly text: string;
}

const blocksOf = (entry: Entry): Block[] => {
  switch (entry.kind) {
    case "user":
      return [{ kind: "user", sign: "> ", text: entry.text }];
    case "seed":
      return [];
    case "event":
      return [{ kind: "event", sign: "~ ", text: `${entry.source.name}: ${entry.text}` }];
    case "result":
      return [
        entry.error
          ? { kind: "error", sign: "  ✗ ", text: shownOf(entry) }
          : { kind: "result", sign: "  ⇒ ", text: shownOf(entry) },
      ];
    case "turn":
      return entry.parts.flatMap((part): Block[] => {
        if (part.type === "text") return [{ kind: "speech", sign: "", text: part.text }];
        return part.type === "call" ? [{ kind: "call", sign: "· ", text: displayOf(part) }] : [];
      });
  }
};

/** The last entries, from one that is no result on: a result says nothing without its call. */
const lastOf = (history: readonly PlacedEntry[]): readonly PlacedEntry[] => {
  const last = history.slice(-shown);
  return last.slice(
    Math.max(
      0,
      last.findIndex(({ entry }) => entry.kind !== "result"),
    ),
  );
};

/** What was said last, as the transcript of that time showed it, below a line that says how much there is. */
export const recalled = (
  history: readonly PlacedEntry[],
  { paint, layout }: { readonly paint: Paint; readonly layout: Pick<Layout, "fold"> },
): string => {
  const last = lastOf(history);
  if (last.length === 0) return "";
  const head = last.length === history.length ? "What was said:" : "The last of what was said:";
  const blocks = last.flatMap(({ entry }) => blocksOf(entry));
  const text = blocks.flatMap(({ kind, sign, text }) =>
    excerpt(text, { lines })
      .flatMap((line) => layout.fold(line, sign.length))
      .map((line, index) => paint(kind, `${index === 0 ? sign : " ".repeat(sign.length)}${line}`)),
  );
  return `${[...layout.fold(head, 0).map((line) => paint("note", line)), ...text].join("\n")}\n`;
};
