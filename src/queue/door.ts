import { z } from "zod";
import { noOutput } from "../../machines/history/wording.ts";
import { Envelope, Input, type InputKind } from "../../machines/thread/input.ts";
import { InputRefusedError } from "../errors.ts";
import { resultOf, storedLimit } from "../tool/result.ts";
import { safeText, shortened } from "../tool/text.ts";
import { NotPlainJson, plainJson } from "./plain-json.ts";

export interface DoorLimits {
  /** Bytes of one input: UTF-8 of its text, JSON of its metadata. A result may have what is stored of one: 10 MB. */
  readonly inputSize: number;
}

/** Kinds that only the runtime says, and why nobody else may: who could forge them could end what is still at work. */
const ownKinds: Partial<Record<InputKind, string>> = {
  timer: "timers are the system's own: a wait or a deadline of a tool sets one.",
  retry: "the system itself asks a model again. Send a text to have it asked at once.",
  linger: "the system itself closes what has lingered. Send a close to end a thread.",
  ended: "the end of a child is told by the child itself when it closes. Send a close to the child to end it.",
  rested: "that a child has come to rest is told by the child itself.",
  resume: "what halts is resumed from the thread above, or by a text. Send a text to the thread.",
};

const kinds = Input.options.map((option) => option.shape.kind.value).filter((kind) => !(kind in ownKinds));

/** Characters of a dedup id, a sender, a call id. */
const idLimit = 500;

/** Says why; `parseEnvelope` adds the thread. */
class Refusal extends Error {}

const refuse = (reason: string): never => {
  throw new Refusal(reason);
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const checkKind = (input: unknown): void => {
  if (!isObject(input)) refuse("it has no `input` object.");
  const { kind } = input as { kind?: unknown };
  const why = typeof kind === "string" && Object.hasOwn(ownKinds, kind) && ownKinds[kind as InputKind];
  if (why) refuse(`inputs of kind ${JSON.stringify(kind)} are not taken from outside: ${why}`);
  if (!(kinds as readonly InputKind[]).includes(kind as InputKind))
    refuse(
      `there are no inputs of kind ${typeof kind === "string" ? JSON.stringify(shortened(kind, 40)) : typeof kind}. It takes ${kinds.join(", ")}.`,
    );
};

/** Ids are compared, so they are never mended: two that differ would meet. */
const checkId = (id: string, what: string): void => {
  if (id.length > idLimit) refuse(`its ${what} has ${id.length} characters, and ${idLimit} are taken.`);
  if (!id.isWellFormed() || id.includes("\0"))
    refuse(`its ${what} holds a lone surrogate or NUL. Use well-formed text.`);
};

const checkSize = (bytes: number, limit: number, what: string): void => {
  if (bytes <= limit) return;
  const [has, takes] = [bytes, limit].map((number) => number.toLocaleString("en-US"));
  refuse(
    `its ${what} has ${has} bytes, and ${takes} are taken. Send a part of it, or say where the whole can be read.`,
  );
};

/** `metadata`: bytes it has, which count for the input. */
const admitted = (input: Input, metadata: number, limits: DoorLimits): Input => {
  switch (input.kind) {
    case "text": {
      checkId(input.sender, "sender");
      if (input.text.trim() === "") refuse("its text is blank. Send text that says something, or an interrupt.");
      checkSize(
        Buffer.byteLength(input.text) + metadata,
        limits.inputSize,
        metadata ? "text with its metadata" : "text",
      );
      return { ...input, text: safeText(input.text) };
    }
    case "event":
      checkSize(Buffer.byteLength(input.text), limits.inputSize, "text");
      return { ...input, text: input.text.trim() === "" ? noOutput : safeText(input.text) };
    case "report":
    case "message":
      if (input.kind === "report" && input.failed)
        refuse("that a child's work has failed is told by the child itself. Send the report without `failed`.");
      if (input.text.trim() === "") refuse(`its text is blank. Send a ${input.kind} that says something.`);
      checkSize(Buffer.byteLength(input.text), limits.inputSize, "text");
      return { ...input, text: safeText(input.text) };
    case "progress":
      checkSize(Buffer.byteLength(input.text), limits.inputSize, "text");
      return { ...input, text: safeText(input.text) };
    case "result": {
      checkSize(sizeOfResult(input), storedLimit, "result");
      const { content, display } = resultOf({
        content: input.content,
        ...(input.display && { display: input.display }),
      });
      const failure = input.failure && {
        reference: safeText(input.failure.reference),
        message: safeText(input.failure.message),
      };
      return { ...input, content, ...(display && { display }), ...(failure && { failure }) };
    }
    case "halt":
      checkId(input.sender, "sender");
      // Why a budget halts is for the runtime to say.
      return { kind: "halt", sender: input.sender };
    case "interrupt":
    case "close":
    case "release":
    case "compact":
      checkId(input.sender, "sender");
      return input;
    case "choice":
      checkId(input.choiceId, "choice id");
      return { ...input, prompt: safeText(input.prompt), choices: input.choices.map(safeText) };
    case "answer":
      checkId(input.choiceId, "choice id");
      if (input.by !== null) checkId(input.by, "by");
      return { ...input, reason: input.reason === null ? null : safeText(input.reason) };
    case "oauth":
      return input;
    case "view":
      checkId(input.viewType, "view type");
      return input;
    case "timer":
    case "retry":
    case "linger":
    case "ended":
    case "rested":
    case "resume":
      return refuse(ownKinds[input.kind] ?? "");
  }
};

const sizeOfResult = ({ content, display = [], failure }: Extract<Input, { kind: "result" }>): number => {
  let bytes = failure ? Buffer.byteLength(failure.message) + Buffer.byteLength(failure.reference) : 0;
  for (const item of content) bytes += Buffer.byteLength(item.type === "text" ? item.text : item.data + item.mediaType);
  for (const { content: shown } of display)
    bytes += Buffer.byteLength(typeof shown === "string" ? shown : JSON.stringify(shown));
  return bytes;
};

const parse = (value: unknown, limits: DoorLimits): Envelope => {
  if (!isObject(value)) return refuse("it is no envelope: `{ threadId, dedupId, input }` is one.");
  const { threadId, dedupId, input } = value;
  checkKind(input);
  const { kind, metadata, content } = input as { kind?: unknown; metadata?: unknown; content?: unknown };
  const plain = metadata === undefined ? undefined : plainJson(metadata, "metadata", limits.inputSize);
  const shown = kind === "view" ? { content: plainJson(content, "content", limits.inputSize).value } : {};
  const parsed = Envelope.safeParse({
    threadId,
    dedupId,
    input: { ...(input as object), ...(plain && { metadata: plain.value }), ...shown },
  });
  if (!parsed.success) return refuse(shortened(z.prettifyError(parsed.error), 1_000));
  const envelope = parsed.data;
  checkId(envelope.dedupId, "dedup id");
  if ("callId" in envelope.input && envelope.input.callId !== undefined) checkId(envelope.input.callId, "call id");
  return { ...envelope, input: admitted(envelope.input, plain?.bytes ?? 0, limits) };
};

const nameOf = (value: unknown): string => {
  try {
    if (isObject(value) && typeof value.threadId === "string") return shortened(value.threadId, 200);
  } catch {
    // A getter that throws: `parse` meets it again, or it is not asked.
  }
  return "(none)";
};

/**
 * What comes from outside becomes an envelope here, once; inside, it is trusted. Keys that an input does not have are left
 * out. Text is made safe for stores and providers (lone surrogates and NUL become U+FFFD), blank text in a result or
 * event becomes "(no output)"; ids are refused rather than mended. The envelope shares nothing with `value` that its sender
 * could change afterwards.
 *
 * Throws InputRefusedError, which says what was wrong and what would work: for anything that is no envelope, kinds this
 * version does not handle, kinds that only the runtime says, blank texts of people and threads, metadata that is no plain JSON (cycles,
 * bigints, functions, instances of classes), and inputs over a limit.
 */
export const parseEnvelope = (value: unknown, limits: DoorLimits): Envelope => {
  try {
    return parse(value, limits);
  } catch (error) {
    if (error instanceof Refusal) throw new InputRefusedError(nameOf(value), error.message);
    if (error instanceof NotPlainJson) throw new InputRefusedError(nameOf(value), `its ${error.message}.`);
    throw new InputRefusedError(nameOf(value), "it cannot be read: reading one of its fields fails.", { cause: error });
  }
};
