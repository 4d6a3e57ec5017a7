import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ScriptedCall } from "../../../src/model/scripted/answer.ts";
import type { ScriptedReply } from "../../../src/model/scripted/scripted-model.ts";
import { pause } from "./load.ts";

/** What the model of a load says: some work for each text, and what the threads do that this opens. */

/** By the number that a text ends with. Together: every form of a tool, and every way in which a thread waits. */
const work: readonly (readonly string[])[] = [
  ["charge"],
  ["look"],
  ["stamp"],
  ["hand"],
  ["charge", "stamp", "look"],
  [],
  ["sleep"],
  ["watch"],
  ["follow"],
  ["spawn_thread"],
  ["deploy"],
  ["survey"],
  ["deploy", "hand", "watch"],
];

/** ms that a model and a tool take. */
export const moment = 15;

const textOf = ({ role, content }: LanguageModelV4Message): string => {
  if (role === "system") return content;
  return content
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "tool-result" ? JSON.stringify(part.output) : "";
    })
    .join("\n");
};

/** Who asks, if it is a child; it reads so where it begins, behind everything that it inherits. */
const childIn = (prompt: LanguageModelV4Prompt): { readonly id: string; readonly isSpawned: boolean } | undefined => {
  const seed = prompt.findLast((message) => textOf(message).includes("You are a child thread from here on"));
  const text = seed && textOf(seed);
  const id = text && /Your thread id is (\S+)\. /.exec(text)?.[1];
  return id === undefined || id === "" ? undefined : { id, isSpawned: text?.includes("Your instructions:") ?? false };
};

const rootOf = ([first]: LanguageModelV4Prompt): string => (first?.role === "system" ? first.content : "");

const callTo = (name: string, root: string): ScriptedCall => {
  if (name === "sleep") return { name, args: { seconds: 1 } };
  return name === "spawn_thread" ? { name, args: { instructions: "Look.", child_of: [root] } } : { name };
};

/** A spawned child does some work and closes; one that an event opened reports, and rests until it is closed. */
const childReply = ({ id, isSpawned }: { readonly id: string; readonly isSpawned: boolean }, last: string) => {
  if (!isSpawned)
    return last.includes("The report was sent")
      ? "reported"
      : { calls: [{ name: "report_to_parent", args: { report: `${id} saw it` } }] };
  if (last.includes("Your instructions:")) return { calls: [{ name: "look" }, { name: "charge" }] };
  return { calls: [{ name: "close_thread", args: { thread_id: id, report_to_parent: `${id} is done` } }] };
};

export const reply: ScriptedReply = async ({ prompt }) => {
  await pause(moment);
  const last = prompt.at(-1);
  const said = last ? textOf(last) : "";
  const child = childIn(prompt);
  if (child) return childReply(child, said);
  const number = last?.role === "user" ? /(\d+)\D*$/.exec(said)?.[1] : undefined;
  const names = number === undefined ? [] : (work[Number(number) % work.length] ?? []);
  if (names.length === 0) return `answer to ${last?.role === "user" ? said : "what was done"}`;
  return { text: `doing ${said}`, calls: names.map((name) => callTo(name, rootOf(prompt))) };
};
