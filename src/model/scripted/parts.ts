import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ScriptedCall, ScriptedCallDelta, ScriptedChunk, ScriptedUsage } from "./answer.ts";
import { signedCall, signedReasoning } from "./signature.ts";

type Emit = (part: LanguageModelV4StreamPart) => void;

/** Turns chunks into stream parts as providers shape them. */
export interface PartWriter {
  /** What comes before the first chunk. */
  start(): void;
  write(chunk: ScriptedChunk): void;
  /** Closes the block that is open, then the end mark. `final` says `tool-calls` when a call was complete. */
  finish(reason: LanguageModelV4FinishReason["unified"] | "final", usage: ScriptedUsage | undefined): void;
}

export interface WriterOptions {
  /** From 1; ids are made from it. */
  readonly ordinal: number;
  readonly modelId: string;
  /** Whether calls carry a signature. */
  readonly signsCalls: boolean;
  /** Where the signature of reasoning stands: on an empty last delta, or on the end of the block. */
  readonly signatureOn: "delta" | "end";
}

const usageOf = ({ total_tokens: total, input_tokens, output_tokens }: ScriptedUsage = {}): LanguageModelV4Usage => {
  const output = output_tokens ?? (total === undefined || input_tokens === undefined ? 0 : total - input_tokens);
  const input = input_tokens ?? (total === undefined ? 0 : total - output);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
};

const argumentText = ({ args, raw }: ScriptedCall): string => raw ?? JSON.stringify(args ?? {});

const deltaText = ({ args, delta }: ScriptedCallDelta): string =>
  delta ?? (typeof args === "string" ? args : args === undefined ? "" : JSON.stringify(args));

export const partWriter = (emit: Emit, { ordinal, modelId, signsCalls, signatureOn }: WriterOptions): PartWriter => {
  let open: { readonly kind: "text" | "reasoning"; readonly id: string; text: string } | undefined;
  let openCall: { readonly id: string; text: string } | undefined;
  let blocks = 0;
  let calls = 0;

  const begin = (kind: "text" | "reasoning") => {
    const id = `${ordinal}-${blocks++}`;
    emit({ type: `${kind}-start`, id });
    return { kind, id, text: "" };
  };
  const close = (signed = true) => {
    if (!open) return;
    const { kind, id, text } = open;
    open = undefined;
    if (kind === "text" || !signed) return emit({ type: `${kind}-end`, id });
    const providerMetadata = signedReasoning(text);
    if (signatureOn === "end") return emit({ type: "reasoning-end", id, providerMetadata });
    emit({ type: "reasoning-delta", id, delta: "", providerMetadata });
    emit({ type: "reasoning-end", id });
  };
  const say = (kind: "text" | "reasoning", delta: string) => {
    if (open?.kind !== kind) {
      close();
      open = begin(kind);
    }
    if (kind === "reasoning") open.text += delta;
    emit({ type: `${kind}-delta`, id: open.id, delta });
  };
  const wholeReasoning = (text: string, signed: boolean) => {
    close();
    say("reasoning", text);
    close(signed);
  };

  const beginCall = (id: string, toolName: string) => {
    close();
    emit({ type: "tool-input-start", id, toolName });
    return { id, text: "" };
  };
  const freshId = () => `call-${ordinal}-${++calls}`;
  const callDelta = (given: string | ScriptedCallDelta) => {
    const delta = typeof given === "string" ? { delta: given } : given;
    if (!openCall || (delta.id !== undefined && delta.id !== openCall.id))
      openCall = beginCall(delta.id ?? freshId(), delta.name ?? "unnamed");
    const text = deltaText(delta);
    openCall.text += text;
    if (text !== "") emit({ type: "tool-input-delta", id: openCall.id, delta: text });
  };
  const call = (given: ScriptedCall) => {
    const input = argumentText(given);
    const goesOn = openCall && given.id === openCall.id && input.startsWith(openCall.text);
    const { id, text } = goesOn && openCall ? openCall : beginCall(given.id ?? freshId(), given.name);
    openCall = undefined;
    if (input.length > text.length) emit({ type: "tool-input-delta", id, delta: input.slice(text.length) });
    emit({ type: "tool-input-end", id });
    const signature = signsCalls ? { providerMetadata: signedCall(given.name) } : undefined;
    emit({ type: "tool-call", toolCallId: id, toolName: given.name, input, ...signature });
    completed = true;
  };
  let completed = false;

  return {
    start() {
      emit({ type: "stream-start", warnings: [] });
      emit({ type: "response-metadata", id: `response-${ordinal}`, modelId });
    },
    write(chunk) {
      if ("text" in chunk) say("text", chunk.text);
      else if ("reasoning" in chunk) wholeReasoning(chunk.reasoning, true);
      else if ("unsigned_reasoning" in chunk) wholeReasoning(chunk.unsigned_reasoning, false);
      else if ("reasoning_delta" in chunk) say("reasoning", chunk.reasoning_delta);
      else if ("tool_call_delta" in chunk) callDelta(chunk.tool_call_delta);
      else if ("tool_call" in chunk) call(chunk.tool_call);
      else emit(chunk.part);
    },
    finish(reason, usage) {
      close();
      const unified = reason === "final" ? (completed ? "tool-calls" : "stop") : reason;
      emit({ type: "finish", usage: usageOf(usage), finishReason: { unified, raw: unified } });
    },
  };
};
