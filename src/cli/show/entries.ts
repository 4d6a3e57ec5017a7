import { type Entry, type PlacedEntry, type TurnPart, textOf } from "../../../machines/history/entry.ts";
import type { JsonObject } from "../../../machines/history/json.ts";
import { localTime } from "../moments.ts";
import { type Paper, shortLine, shortText } from "./paper.ts";

/** A call as it was made: `deploy({"version":"v7"})`. */
export const callText = (name: string, args: JsonObject): string =>
  shortLine(`${name || "(no name)"}(${Object.keys(args).length === 0 ? "" : JSON.stringify(args)})`);

const headOf = (entry: Entry): string => {
  switch (entry.kind) {
    case "user":
      if (entry.repaired) return "a note of a repair";
      return entry.interrupt ? "the user, interrupting" : "the user";
    case "turn":
      return "the agent";
    case "result":
      return `${entry.error ? "error" : "result"} of ${shortLine(entry.name)}, ${shortLine(entry.callId)} (${entry.origin})`;
    case "seed":
      return "opened for an event";
    case "event":
      return `${entry.final ? "the last event" : "event"} of ${callText(entry.source.name, entry.source.args)}, ${shortLine(entry.source.callId)}`;
  }
};

/** One entry of a history: its place, who said it and when, and what. */
export const writeEntry = (paper: Paper, { position, entry }: PlacedEntry): void => {
  paper.add(`[${position}] ${headOf(entry)}, ${localTime(entry.at)}`);
  switch (entry.kind) {
    case "user":
      paper.add(shortText(entry.text), 1);
      if (entry.metadata) paper.add(`metadata ${shortLine(JSON.stringify(entry.metadata))}`, 1);
      break;
    case "turn":
      for (const part of entry.parts) writePart(paper, part);
      break;
    case "result":
      paper.add(shortText(textOf(entry.content)), 1);
      break;
    case "event":
    case "seed":
      paper.add(shortText(entry.text), 1);
      break;
  }
};

const writePart = (paper: Paper, part: TurnPart): void => {
  switch (part.type) {
    case "text":
      paper.add(shortText(part.text), 1);
      break;
    case "reasoning":
      paper.add(`(thinking) ${shortText(part.text)}`.trimEnd(), 1);
      break;
    case "call":
      paper.add(`calls ${callText(part.name, part.args)}, ${shortLine(part.callId)}`, 1);
      if (part.raw !== undefined) paper.add(`it wrote ${shortLine(part.raw)}`, 2);
      break;
    case "provided":
      paper.add(`(made by the provider) ${shortLine(JSON.stringify(part.part))}`, 1);
      break;
  }
};
