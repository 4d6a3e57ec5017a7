import type {
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

/** Short words for prompts. */

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

export const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });

export const turn = (...content: Assistant): LanguageModelV4Message => ({ role: "assistant", content });

export const text = (words: string) => ({ type: "text" as const, text: words });

export const reasoning = (words: string) => ({ type: "reasoning" as const, text: words });

export const call = (toolCallId: string, toolName = "look", input: unknown = {}): LanguageModelV4ToolCallPart => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});

export const result = (
  toolCallId: string,
  output: string | LanguageModelV4ToolResultOutput = "seen",
  toolName = "look",
): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId,
  toolName,
  output: typeof output === "string" ? { type: "text", value: output } : output,
});

export const results = (...content: LanguageModelV4ToolResultPart[]): LanguageModelV4Message => ({
  role: "tool",
  content,
});

export const eventTool = "receive_event__injected";

/** An event shown as a call. */
export const event = (
  id: string,
  source: { readonly tool: string; readonly args: Record<string, unknown> },
  words: string,
): LanguageModelV4Message[] => [
  turn(
    call(id, eventTool, {
      original_tool_name: source.tool,
      original_tool_call_id: "c0",
      original_args: source.args,
    }),
  ),
  results(result(id, words, eventTool)),
];
