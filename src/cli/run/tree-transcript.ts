import type { Update } from "../../thread/update.ts";
import { asItComes, type Layout } from "./layout.ts";
import { createNames } from "./names.ts";
import { plainTranscript, type Transcript, type TranscriptOptions } from "./transcript.ts";

export interface TreeTranscriptOptions extends Omit<TranscriptOptions, "names" | "isChild"> {
  /** The thread that is talked to; updates of others are those of threads below it. */
  readonly threadId: string;
}

/**
 * The conversation of a thread, and between its lines, indented and with their names, those of the threads below it:
 *
 *     + child 1 begins
 *       child 1 │ · a call
 *       child 1 │   ⇒ its result
 *       child 1 │ what it says, once it has said it
 *
 * Children's lines wait while the thread is in the middle of a line of its own.
 */
export const treeTranscript = (options: TreeTranscriptOptions): Transcript => {
  const { threadId, paint, layout = asItComes() } = options;
  const names = createNames();
  const root = plainTranscript({ ...options, layout, names });
  const children = new Map<string, { readonly mark: string; readonly transcript: Transcript }>();

  const childOf = (childId: string) => {
    const name = names.name(childId, threadId);
    const depth = name.split(".").length;
    const mark = `${"  ".repeat(depth)}${name} │ `;
    const { view: _, ...shared } = options;
    const transcript = plainTranscript({ ...shared, echo: true, names, isChild: true, layout: beside(layout, mark) });
    return { mark, transcript };
  };

  /** What waits until the open line ends. */
  let held = "";

  const next = (update: Update): string => {
    const text = textOf(update);
    if (update.threadId !== threadId) held += text;
    const own = update.threadId === threadId ? text : "";
    if (layout.column > 0 || held === "") return own;
    const due = held;
    held = "";
    return own + due;
  };
  const textOf = (update: Update): string => {
    if (update.type === "child.opened") names.name(update.childId, update.threadId);
    if (update.threadId === threadId) {
      const text = root.next(update);
      if (update.type === "child.ended") names.forget(update.childId);
      return text;
    }
    const child = children.get(update.threadId) ?? childOf(update.threadId);
    children.set(update.threadId, child);
    const text = child.transcript.next(update);
    if (update.type === "child.ended") names.forget(update.childId);
    if (update.type === "state.changed" && update.state === "closed") children.delete(update.threadId);
    if (text === "") return "";
    const lines = text.replace(/\n$/, "").split("\n");
    return lines.map((line) => `${paint("note", child.mark)}${line}\n`).join("");
  };

  return {
    next,
    get midLine() {
      return root.midLine;
    },
  };
};

/** Lines that have a mark of their own before them, on the width of another layout. */
const beside = (layout: Layout, mark: string): Layout => {
  const own = asItComes();
  return { ...own, fold: (line, indent) => layout.fold(line, indent + mark.length) };
};
