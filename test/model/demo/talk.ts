import type {
  LanguageModelV4,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { expect } from "vitest";
import { demoModel } from "../../../src/model/demo/demo-model.ts";
import { refusalsOf } from "../../../src/model/scripted/strict.ts";
import { call, result, results, text, turn, user } from "../scripted/prompts.ts";

export type Tools = Record<
  string,
  (args: Record<string, unknown>) => string | LanguageModelV4ToolResultOutput | "outstanding"
>;

/** The tools of the example, answered at once. */
export const exampleTools: Tools = {
  get_build_status: ({ build_id }) => `Build ${build_id} passed.`,
  calculate: ({ expression }) => (expression === "2 + 3" ? "5" : "14"),
  sleep: () => "The time is over. It was due at 2026-01-01T00:00:01.000Z; it is 2026-01-01T00:00:01.000Z now.",
  sleep_until_event_or_input: () => "Woken early by an event.",
  count_up: ({ to }) => `Counting to ${to}.`,
};

export interface Spoken {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
}

const offeredFrom = (tools: Tools): LanguageModelV4FunctionTool[] =>
  Object.keys(tools).map((name) => ({ type: "function", name, inputSchema: {} }));

/** One turn of the demo model on a prompt that every real provider would take. */
export const replyOn = async (
  prompt: LanguageModelV4Prompt,
  tools: Tools = exampleTools,
  model: LanguageModelV4 = demoModel(),
): Promise<Spoken> => {
  expect(refusalsOf(prompt)).toEqual([]);
  const { content } = await model.doGenerate({ prompt, tools: offeredFrom(tools) });
  return {
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, args: JSON.parse(part.input) }] : [],
    ),
  };
};

const turnOf = ({ text: said, calls }: Spoken) =>
  turn(...(said === "" ? [] : [text(said)]), ...calls.map(({ id, name, args }) => call(id, name, args)));

/** A conversation with the demo model: each input is answered turn by turn until it calls nothing more. */
export const conversation = (tools: Tools = exampleTools) => {
  const prompt: LanguageModelV4Prompt = [];
  const turns: Spoken[] = [];
  const goOn = async (): Promise<readonly Spoken[]> => {
    const begin = turns.length;
    for (let rounds = 0; rounds < 50; rounds++) {
      const spoken = await replyOn(prompt, tools);
      turns.push(spoken);
      prompt.push(turnOf(spoken));
      if (spoken.calls.length === 0) return turns.slice(begin);
      const answers = spoken.calls.map(({ id, name, args }) => result(id, tools[name]?.(args) ?? "nothing", name));
      prompt.push(results(...answers));
    }
    throw new Error("The demo model does not come to an end.");
  };
  return {
    prompt,
    turns,
    says: (words: string) => {
      prompt.push(user(words));
      return goOn();
    },
    gets: (...messages: LanguageModelV4Prompt) => {
      prompt.push(...messages);
      return goOn();
    },
  };
};

/** Turns as lines: what was said, then each call. */
export const lines = (turns: readonly Spoken[]): string[] =>
  turns.flatMap(({ text: said, calls }) => [
    ...(said === "" ? [] : [said]),
    ...calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`),
  ]);
