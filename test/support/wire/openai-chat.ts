import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Format, isBlank, isName, isObject, parsedArgs, type RequestBody } from "./format.ts";
import { openaiErrors } from "./openai-errors.ts";
import { type Answer, byTurns, counted, event, finishOf, pieces, type Said } from "./script.ts";

const reasons = { stop: "stop", calls: "tool_calls", length: "length", filter: "content_filter" } as const;

type Delta = Record<string, unknown>;

const deltasOf = (said: Said, index: number): readonly Delta[] => {
  if ("text" in said) return pieces(said.text).map((content) => ({ content }));
  if ("refusal" in said) return pieces(said.refusal).map((refusal) => ({ refusal }));
  if ("thinking" in said) return pieces(said.thinking).map((reasoning_content) => ({ reasoning_content }));
  if ("redacted" in said) return [];
  const { call: name, args = "", id = `call_${index}` } = said;
  return [
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    ...pieces(args).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
  ];
};

const render = (answer: Answer): readonly string[] => {
  const { said, usage = counted, interleaved = false } = answer;
  const chunk = (choices: readonly object[], more: object = {}) =>
    event({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m-1", choices, ...more }, answer);
  const delta = (given: Delta) => chunk([{ index: 0, delta: given, finish_reason: null }]);
  let calls = -1;
  const lists = said.map((one) => ({ isCall: "call" in one, deltas: deltasOf(one, "call" in one ? ++calls : -1) }));
  const spoken = lists.filter(({ isCall }) => !isCall).flatMap(({ deltas }) => deltas);
  const called = lists.filter(({ isCall }) => isCall).map(({ deltas }) => deltas);
  return [
    delta({ role: "assistant", content: "" }),
    ...[...spoken, ...(interleaved ? byTurns(called) : called.flat())].map(delta),
    chunk([{ index: 0, delta: {}, finish_reason: reasons[finishOf(answer)] }]),
    chunk([], {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
        completion_tokens_details: { reasoning_tokens: usage.thinking ?? 0 },
      },
    }),
    event("[DONE]", answer),
  ];
};

/** Calls are answered directly behind their message, each once; nothing else is answered. */
const faults = ({ messages, tools = [] }: RequestBody): readonly string[] => {
  const found: string[] = [];
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [n, message] of messages.entries()) {
    const { role, content, tool_calls: calls = [], tool_call_id: answered } = message;
    if (role === "tool") {
      if (!open.delete(answered)) found.push(`message ${n} answers ${answered}, which nothing asked`);
      if (isBlank(content)) found.push(`message ${n} is a blank result`);
      continue;
    }
    if (open.size > 0) found.push(`message ${n} comes before the results of ${[...open]}`);
    open = new Set(calls.map(({ id }: { id: string }) => id));
    if (!["system", "developer", "user", "assistant"].includes(role)) found.push(`message ${n} has role ${role}`);
    if (calls.length === 0 && (content?.length ?? 0) === 0) found.push(`message ${n} is empty`);
    for (const part of Array.isArray(content) ? content : [])
      if (part.type === "text" && isBlank(part.text)) found.push(`message ${n} has a blank text`);
    for (const { id, function: called } of calls) {
      if (isBlank(id) || seen.has(id)) found.push(`call id ${JSON.stringify(id)} is empty or repeated`);
      seen.add(id);
      if (!isName(called.name)) found.push(`tool name ${called.name}`);
      if (!isObject(parsedArgs(called.arguments))) found.push(`arguments of ${id} are no object`);
    }
  }
  if (open.size > 0) found.push(`the results of ${[...open]} are missing`);
  if (messages.at(-1)?.role === "assistant") found.push("the request ends in an answer");
  for (const tool of tools) if (!isName(tool.function?.name)) found.push(`tool name ${tool.function?.name}`);
  return found;
};

const format = {
  render,
  whole: (events: readonly string[]) => events.findIndex((one) => /"finish_reason":"/.test(one)) + 1,
  error: (trouble: keyof typeof openaiErrors) => openaiErrors[trouble],
  errorEvent: (trouble: keyof typeof openaiErrors) => event(openaiErrors[trouble].body, {}),
  faults,
};

export const compatible: Format = {
  ...format,
  name: "openai-compatible",
  model: ({ url, modelId = "m-1", apiKey = "sk-right", fetch }) =>
    createOpenAICompatible({
      name: "local",
      baseURL: `${url}/v1`,
      apiKey,
      includeUsage: true,
      ...(fetch && { fetch }),
    }).chatModel(modelId),
};

export const openaiChat: Format = {
  ...format,
  name: "openai.chat",
  model: ({ url, modelId = "m-1", apiKey = "sk-right", fetch }) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey, ...(fetch && { fetch }) }).chat(modelId),
};
