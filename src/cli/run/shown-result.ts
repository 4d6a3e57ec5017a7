import { type ContentItem, type DisplaySegment, textOf } from "../../../machines/history/entry.ts";
import type { TimerInput } from "../../../machines/thread/input.ts";

/** What an input or a fact says of a result. */
export interface Result {
  readonly content: readonly ContentItem[];
  readonly error?: true | undefined;
  readonly display?: readonly DisplaySegment[] | undefined;
}

/** What a person sees of a result: the first segment that a terminal can show, or else what the model sees. */
export const shownOf = ({ content, display = [] }: Result): string => {
  const segment = display.find(({ type }) => type !== "image");
  return segment ? segmentText(segment) : textOf(content);
};

const segmentText = (segment: DisplaySegment): string => {
  if (segment.type === "diff") return `${segment.content.path}\n${segment.content.patch}`;
  return segment.type === "text" ? segment.content : `[${segment.content.mediaType}]`;
};

/** A timer is an input like a result; what the model will read of it comes with the commit. */
export const resultOfTimer = ({ purpose }: TimerInput): Result =>
  purpose === "wake"
    ? { content: [{ type: "text", text: "The time is over." }] }
    : { content: [{ type: "text", text: "No result came before the deadline." }], error: true };
