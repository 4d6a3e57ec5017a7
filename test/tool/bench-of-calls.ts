import { callIdOf, ThreadId } from "../../machines/history/ids.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import type { Call } from "../../machines/thread/commit.ts";
import type { Envelope, EventInput, ResultInput } from "../../machines/thread/input.ts";
import type { Logger } from "../../src/logger.ts";
import type { AboutCall } from "../../src/tool/call.ts";
import { defineTool, type JsonSchema, type Tool, type ToolDefinition } from "../../src/tool/define.ts";
import { createCallRegistry, type HandedCall } from "../../src/tool/registry.ts";
import { virtualClock } from "../support/virtual-clock.ts";

export const t1 = ThreadId.parse("t1");
export const about: AboutCall = {
  threadId: t1,
  threadStack: [t1],
  userId: "u7",
  metadata: { tenant: "acme" },
  message: "go",
};

const anything = { type: "object" } as const;

type Any = ToolDefinition<JsonSchema>;
type Behaviour = Any extends infer D
  ? D extends Any
    ? Omit<D, "name" | "description" | "inputSchema">
    : never
  : never;

/** A tool named `work` that takes anything; only its behaviour matters. */
export const toolThat = (behaviour: Behaviour, name = "work"): Tool =>
  defineTool({ name, description: "Works.", inputSchema: anything, ...behaviour } as Any);

let position = 0;

/** A fresh call of a tool, as the record has it. */
export const callOf = (tool: Tool, args: JsonObject = {}): HandedCall & { readonly call: Call } => {
  const callId = callIdOf(t1, 1, position++);
  const { name, form, passive, onRestart } = tool;
  const call: Call = {
    callId,
    providerCallId: "p1",
    name,
    args,
    position,
    form,
    passive,
    onRestart,
    status: "started",
  };
  return { call, tool, about };
};

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: object;
  readonly message: string;
}

export const recordingLogger = () => {
  const lines: LogLine[] = [];
  const at = (level: LogLine["level"]) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { logger, lines };
};

/** A registry with a clock to turn, and everything it sends and logs. `send` decides what becomes of an envelope. */
export const benchOfCalls = (send: (envelope: Envelope) => Promise<void> | void = () => {}) => {
  const clock = virtualClock(1_000);
  const { logger, lines } = recordingLogger();
  const sent: Envelope[] = [];
  const sender = {
    async send(envelope: Envelope) {
      await send(envelope);
      sent.push(envelope);
      return true;
    },
  };
  const registry = createCallRegistry({ clock, logger, sender, random: () => 0.5 });
  const acknowledged: string[] = [];
  return {
    clock,
    lines,
    sent,
    registry,
    acknowledged,
    handOver: (...calls: HandedCall[]) => registry.handOver(calls, (callId) => void acknowledged.push(callId)),
    results: () => sent.map(({ input }) => input).filter((input): input is ResultInput => input.kind === "result"),
    events: () => sent.map(({ input }) => input).filter((input): input is EventInput => input.kind === "event"),
  };
};

/** The text of a result's content. */
export const said = (result: { readonly content: readonly { readonly type: string }[] } | undefined): string =>
  (result?.content ?? []).map((item) => ("text" in item ? item.text : item.type)).join("\n");
