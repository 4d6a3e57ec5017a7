import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ScriptedAnswer } from "../scripted/answer.ts";
import { scriptedModel } from "../scripted/scripted-model.ts";
import { replyTo } from "./reply.ts";
import { sceneOf } from "./scene.ts";

/** The text word by word, as a model streams it. */
const words = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

const answerTo = ({ prompt, tools = [], toolChoice }: LanguageModelV4CallOptions): ScriptedAnswer => {
  const offered = new Set(toolChoice?.type === "none" ? [] : tools.map(({ name }) => name));
  const { text, calls } = replyTo(sceneOf(prompt), offered);
  const chunks = [...words(text).map((word) => ({ text: word })), ...calls.map((call) => ({ tool_call: call }))];
  return { chunks, usage: { input_tokens: prompt.length, output_tokens: chunks.length } };
};

/**
 * A model without a network, a key or a mind: it follows rules, and says so in its first answer to something it does not
 * understand. It understands the sentences in `intents.ts`, several joined by `and` or `then`, and keeps no state: a
 * prompt has one answer. It calls only tools that are offered.
 */
export const demoModel = (): LanguageModelV4 =>
  scriptedModel(({ options }) => answerTo(options), { provider: "wakeful", modelId: "demo", keep: 0 });
