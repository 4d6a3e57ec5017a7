import { createAnthropic } from "@ai-sdk/anthropic";
import { type ErrorAnswer, type Format, isBlank, isName, isObject, type RequestBody, type Trouble } from "./format.ts";
import { type Answer, byTurns, counted, event, finishOf, pieces, type Said } from "./script.ts";

const reasons = { stop: "end_turn", calls: "tool_use", length: "max_tokens", filter: "refusal" } as const;

type Event = { readonly type: string } & Record<string, unknown>;

const blockOf = (said: Said, index: number): { readonly isCall: boolean; readonly events: readonly Event[] } => {
  const block = (content_block: object, deltas: readonly object[], isCall = false) => ({
    isCall,
    events: [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ],
  });
  if ("call" in said) {
    const { call: name, args = "", id = `toolu_${index}` } = said;
    const deltas = ["", ...pieces(args)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    return block({ type: "tool_use", id, name, input: {} }, deltas, true);
  }
  if ("redacted" in said) return block({ type: "redacted_thinking", data: said.redacted }, []);
  if ("thinking" in said) {
    const { thinking, signature = "" } = said;
    const deltas = pieces(thinking).map((part) => ({ type: "thinking_delta", thinking: part }));
    return block({ type: "thinking", thinking: "", signature: "" }, [
      ...deltas,
      { type: "signature_delta", signature },
    ]);
  }
  const text = "text" in said ? said.text : said.refusal;
  return block(
    { type: "text", text: "" },
    pieces(text).map((part) => ({ type: "text_delta", text: part })),
  );
};

const render = (answer: Answer): readonly string[] => {
  const { said, usage = counted, interleaved = false } = answer;
  const { input, output, cached = 0, thinking } = usage;
  const blocks = said.map(blockOf);
  const spoken = blocks.filter(({ isCall }) => !isCall).flatMap(({ events }) => events);
  const called = blocks.filter(({ isCall }) => isCall).map(({ events }) => events);
  const events: readonly Event[] = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m-1",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 1 },
      },
    },
    { type: "ping" },
    ...spoken,
    ...(interleaved ? byTurns(called) : called.flat()),
    {
      type: "message_delta",
      delta: { stop_reason: reasons[finishOf(answer)], stop_sequence: null },
      usage: {
        output_tokens: output,
        ...(thinking !== undefined && { output_tokens_details: { thinking_tokens: thinking } }),
      },
    },
    { type: "message_stop" },
  ];
  return events.map((one) => event(one, answer, one.type));
};

const error = (status: number, type: string, message: string): ErrorAnswer => ({
  status,
  body: { type: "error", error: { type, message }, request_id: "req_1" },
});

const errors: Record<Trouble, ErrorAnswer> = {
  rate: error(429, "rate_limit_error", "This request would exceed your organization's rate limit."),
  server: error(500, "api_error", "Internal server error"),
  overloaded: error(529, "overloaded_error", "Overloaded"),
  key: error(401, "authentication_error", "invalid x-api-key"),
  length: error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
  unsigned: error(
    400,
    "invalid_request_error",
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
  ),
  request: error(400, "invalid_request_error", "temperature: range: 0..1"),
  model: error(404, "not_found_error", "model: m-1"),
};

const textOf = (block: RequestBody): unknown => block.text ?? block.content;

/** Roles take turns; results come first in the message behind their calls; what was signed is there. */
const faults = ({ messages, tools = [], max_tokens }: RequestBody): readonly string[] => {
  const found: string[] = [];
  const seen = new Set<string>();
  if (!(max_tokens > 0)) found.push("max_tokens is missing");
  if (messages[0]?.role !== "user") found.push("the first message is not the user's");
  if (messages.at(-1)?.role !== "user") found.push("the request ends in an answer");
  for (const [n, { role, content }] of messages.entries()) {
    if (messages[n - 1]?.role === role) found.push(`message ${n} is a second one of ${role}`);
    if (!Array.isArray(content) || content.length === 0) found.push(`message ${n} is empty`);
    const before: RequestBody[] = messages[n - 1]?.content ?? [];
    const asked = role === "user" ? before.filter(({ type }) => type === "tool_use").map(({ id }) => id) : [];
    const answered = content.filter(({ type }: RequestBody) => type === "tool_result");
    const ids = answered.map(({ tool_use_id }: RequestBody) => tool_use_id);
    if (JSON.stringify([...ids].sort()) !== JSON.stringify([...asked].sort()))
      found.push(`message ${n} answers ${ids} where ${asked} was asked`);
    if (content.slice(0, answered.length).some(({ type }: RequestBody) => type !== "tool_result"))
      found.push(`message ${n} has something before its results`);
    for (const block of content) {
      if ((block.type === "text" || block.type === "tool_result") && typeof textOf(block) === "string")
        if (isBlank(textOf(block))) found.push(`message ${n} has a blank ${block.type}`);
      if (block.type === "thinking" && isBlank(block.signature)) found.push(`message ${n} has unsigned thinking`);
      if (block.type === "redacted_thinking" && isBlank(block.data)) found.push(`message ${n} has no redacted data`);
      if (block.type !== "tool_use") continue;
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id) || seen.has(block.id)) found.push(`call id ${JSON.stringify(block.id)}`);
      seen.add(block.id);
      if (!isName(block.name)) found.push(`tool name ${block.name}`);
      if (!isObject(block.input)) found.push(`arguments of ${block.id} are no object`);
    }
    if (role === "assistant" && /thinking$/.test(content.at(-1)?.type)) found.push(`message ${n} ends in thinking`);
  }
  for (const { name, input_schema } of tools) {
    if (!isName(name)) found.push(`tool name ${name}`);
    if (input_schema?.type !== "object") found.push(`the schema of ${name} is no object`);
  }
  return found;
};

export const anthropic: Format = {
  name: "anthropic",
  render,
  whole: (events) => events.length,
  error: (trouble) => errors[trouble],
  errorEvent: (trouble) => event(errors[trouble].body, {}, "error"),
  faults,
  model: ({ url, modelId = "claude-m1", apiKey = "sk-right", fetch }) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey, ...(fetch && { fetch }) }).languageModel(modelId),
};
