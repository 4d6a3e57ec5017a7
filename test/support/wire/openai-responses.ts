import { createOpenAI } from "@ai-sdk/openai";
import { type Format, isBlank, isName, isObject, parsedArgs, type RequestBody } from "./format.ts";
import { openaiErrors } from "./openai-errors.ts";
import { type Answer, byTurns, counted, event, finishOf, pieces, type Said } from "./script.ts";

type Event = { readonly type: string } & Record<string, unknown>;

/** What opens an item, its pieces, and what ends it. */
interface Item {
  readonly isCall: boolean;
  readonly events: readonly Event[];
}

const itemOf = (said: Said, output_index: number): Item => {
  const added = (item: object): Event => ({ type: "response.output_item.added", output_index, item });
  const done = (item: object): Event => ({ type: "response.output_item.done", output_index, item });
  if ("call" in said) {
    const { call: name, args = "", id: call_id = `call_${output_index}` } = said;
    const id = `fc_${output_index}`;
    const item = { type: "function_call", id, call_id, name };
    const parts = pieces(args).map((delta) => ({
      type: "response.function_call_arguments.delta",
      item_id: id,
      output_index,
      delta,
    }));
    return {
      isCall: true,
      events: [
        added({ ...item, arguments: "", status: "in_progress" }),
        ...parts,
        { type: "response.function_call_arguments.done", item_id: id, output_index, arguments: args },
        done({ ...item, arguments: args, status: "completed" }),
      ],
    };
  }
  if ("thinking" in said || "redacted" in said) {
    const item_id = `rs_${output_index}`;
    const text = "thinking" in said ? said.thinking : "";
    const encrypted_content = "thinking" in said ? (said.signature ?? null) : said.redacted;
    const place = { item_id, output_index, summary_index: 0 };
    const summary = text === "" ? [] : [{ type: "summary_text", text }];
    const shown: Event[] = [
      { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
      ...pieces(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
      { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text } },
    ];
    return {
      isCall: false,
      events: [
        added({ type: "reasoning", id: item_id, summary: [], encrypted_content: null }),
        ...(text === "" ? [] : shown),
        done({ type: "reasoning", id: item_id, summary, encrypted_content }),
      ],
    };
  }
  const item_id = `msg_${output_index}`;
  const [kind, text] = "text" in said ? ["output_text", said.text] : ["refusal", said.refusal];
  const place = { item_id, output_index, content_index: 0 };
  const item = { type: "message", id: item_id, role: "assistant" };
  return {
    isCall: false,
    events: [
      added({ ...item, status: "in_progress", content: [] }),
      ...pieces(text).map((delta) => ({ type: `response.${kind}.delta`, ...place, delta })),
      done({ ...item, status: "completed", content: [] }),
    ],
  };
};

const render = (answer: Answer): readonly string[] => {
  const { said, usage = counted, interleaved = false } = answer;
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m-1" };
  const finish = finishOf(answer);
  const reason = { length: "max_output_tokens", filter: "content_filter", stop: undefined, calls: undefined }[finish];
  const items = said.map(itemOf);
  const spoken = items.filter(({ isCall }) => !isCall).flatMap(({ events }) => events);
  const called = items.filter(({ isCall }) => isCall).map(({ events }) => events);
  const events: readonly Event[] = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.in_progress", response: { ...response, status: "in_progress" } },
    ...spoken,
    ...(interleaved ? byTurns(called) : called.flat()),
    {
      type: reason ? "response.incomplete" : "response.completed",
      response: {
        ...response,
        status: reason ? "incomplete" : "completed",
        incomplete_details: reason ? { reason } : null,
        usage: {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cached ?? 0 },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: usage.thinking ?? 0 },
        },
      },
    },
  ];
  return events.map((one, sequence_number) => event({ ...one, sequence_number }, answer, one.type));
};

/** Whether an item is the model's: reasoning without one of these behind it is refused. */
const isMade = ({ type, role }: RequestBody): boolean => type === "function_call" || role === "assistant";

/** Nothing is referred to, all of it is there; calls are answered before anybody else speaks. */
const faults = ({ input, tools = [], store }: RequestBody): readonly string[] => {
  const found: string[] = [];
  const seen = new Set<string>();
  const open = new Set<string>();
  if (store !== false) found.push("the provider is asked to keep the answer");
  for (const [n, item] of input.entries()) {
    const { type, role, content, call_id: id } = item;
    if (type === "item_reference") found.push(`item ${n} is only referred to: ${item.id}`);
    if (type === "function_call_output") {
      if (!open.delete(id)) found.push(`item ${n} answers ${id}, which nothing asked`);
      if (item.output === "" || item.output?.length === 0) found.push(`item ${n} is a blank result`);
    } else if (open.size > 0 && type !== "function_call")
      found.push(`item ${n} comes before the results of ${[...open]}`);
    if (type === "function_call") {
      if (isBlank(id) || seen.has(id)) found.push(`call id ${JSON.stringify(id)} is empty or repeated`);
      seen.add(id);
      open.add(id);
      if (!isName(item.name)) found.push(`tool name ${item.name}`);
      if (!isObject(parsedArgs(item.arguments))) found.push(`arguments of ${id} are no object`);
    }
    if (type === "reasoning" && item.encrypted_content == null)
      found.push(`item ${n} is reasoning that nobody can read`);
    if (type === "reasoning" && !(input[n + 1]?.type === "reasoning" || isMade(input[n + 1] ?? {})))
      found.push(`item ${n} is reasoning without what it led to`);
    if (role !== undefined && (content?.length ?? 0) === 0) found.push(`item ${n} is empty`);
    for (const part of Array.isArray(content) ? content : [])
      if (/text$/.test(part.type) && isBlank(part.text)) found.push(`item ${n} has a blank text`);
  }
  if (open.size > 0) found.push(`the results of ${[...open]} are missing`);
  if (isMade(input.at(-1) ?? {})) found.push("the request ends in an answer");
  for (const tool of tools) if (!isName(tool.name)) found.push(`tool name ${tool.name}`);
  return found;
};

export const openaiResponses: Format = {
  name: "openai.responses",
  render,
  whole: (events) => events.length,
  error: (trouble) => openaiErrors[trouble],
  errorEvent: (trouble) => {
    const { error } = openaiErrors[trouble].body as { error: object };
    return event({ ...error, type: "error", sequence_number: 9 }, {}, "error");
  },
  faults,
  // A model that reasons: its reasoning comes encrypted where nothing is kept.
  model: ({ url, modelId = "gpt-5-m1", apiKey = "sk-right", fetch }) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey, ...(fetch && { fetch }) }).responses(modelId),
};
