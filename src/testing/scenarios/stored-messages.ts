import {
  type ContentItem,
  type EventEntry,
  type PlacedEntry,
  type TurnPart,
  textOf,
} from "../../../machines/history/entry.ts";
import { namedCalls } from "./calls.ts";
import type { SeenContent, SeenMessage } from "./messages.ts";

export const contentOf = (content: readonly ContentItem[]): readonly SeenContent[] =>
  content.map((item) => (item.type === "text" ? item : { type: "image", data: item.data, media_type: item.mediaType }));

type Label = (callId: string) => string | undefined;

const eventMessages = ({ source, text }: EventEntry, position: number, labelOf: Label): readonly SeenMessage[] => {
  const about = {
    source_call: labelOf(source.callId) ?? source.providerCallId,
    source_tool: source.name,
    source_args: source.args,
    pair: `event ${position}`,
  };
  return [
    { role: "assistant", kind: "event_call", ...about, turn: position },
    { role: "tool", kind: "event_result", ...about, text },
  ];
};

const partMessages = (part: TurnPart, position: number, labelOf: Label): readonly SeenMessage[] => {
  if (part.type === "provided") return [{ role: "assistant", kind: "text", text: "[provided]" }];
  if (part.type !== "call") return [{ role: "assistant", kind: part.type, text: part.text }];
  const { callId, name, args, providerCallId } = part;
  const call = labelOf(callId) ?? providerCallId;
  return [{ role: "assistant", kind: "tool_call", name, call, args, pair: callId, turn: position }];
};

const entryMessages = ({ position, entry }: PlacedEntry, labelOf: Label): readonly SeenMessage[] => {
  switch (entry.kind) {
    case "user":
      return [{ role: "user", kind: "text", text: entry.text, interrupt: entry.interrupt ?? false }];
    case "turn":
      return entry.parts.flatMap((part) => partMessages(part, position, labelOf));
    case "event":
      return eventMessages(entry, position, labelOf);
    case "seed": {
      const about = { name: "spawn_thread", pair: `seed ${position}` };
      return [
        { role: "assistant", kind: "seed_call", ...about, args: entry.args, turn: position },
        { role: "tool", kind: "seed_result", ...about, origin: "spawn_seed", text: entry.text },
      ];
    }
    case "result": {
      const { callId: pair, name, origin } = entry;
      const call = labelOf(pair);
      const content = contentOf(entry.content);
      const text = textOf(entry.content);
      return [
        { role: "tool", kind: "tool_result", name, ...(call !== undefined && { call }), origin, text, content, pair },
      ];
    }
  }
};

/** A stored history, flat, in the words of the format. `view`: where its calls are named, for one that inherits some. */
export const storedMessages = (
  history: readonly PlacedEntry[],
  view: readonly PlacedEntry[] = history,
): readonly SeenMessage[] => {
  const labels = new Map(namedCalls(view).map(({ callId, label }) => [callId as string, label]));
  return history.flatMap((placed) => entryMessages(placed, (callId) => labels.get(callId)));
};
