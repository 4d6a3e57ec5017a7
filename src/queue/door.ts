import { z } from "zod";
import { noOutput } from "../../machines/history/wording.ts";
import { Envelope, Input, type InputKind, unsupportedKinds } from "../../machines/thread/input.ts";
import { InputRefusedError } from "../errors.ts";
import { resultOf, storedLimit } from "../tool/result.ts";
import { safeText, shortened } from "../tool/text.ts";
import { NotPlainJson, plainJson } from "./plain-json.ts";

export interface DoorLimits {
  /** Bytes of one input: UTF-8 of its text, JSON of its metadata. A result may have what is stored of one: 10 MB. */
  readonly inputSize: number;
}

const kinds = Input.options.map((option) => option.shape.kind.value).filter((kind) => kind !== "timer");

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
  if (typeof kind === "string" && (unsupportedKinds as readonly string[]).includes(kind))
    refuse(`this version does not handle inputs of kind ${JSON.stringify(kind)}. It takes ${kinds.join(", ")}.`);
  if (kind === "timer") refuse("timers are the system's own: a wait or a deadline of a tool sets one.");
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
    case "event": {
      if (!input.associative)
        refuse(
          "a non-associative event is handled in a child thread, which this version does not have. Send it with `associative: true`, for the subscriber's own history.",
        );
      checkSize(Buffer.byteLength(input.text), limits.inputSize, "text");
      return { ...input, text: input.text.trim() === "" ? noOutput : safeText(input.text) };
    }
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
    case "interrupt":
      checkId(input.sender, "sender");
      return input;
    case "timer":
    case "retry":
      return input;
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
  const { metadata } = input as { metadata?: unknown };
  const plain = metadata === undefined ? undefined : plainJson(metadata, "metadata", limits.inputSize);
  const parsed = Envelope.safeParse({
    threadId,
    dedupId,
    input: plain ? { ...(input as object), metadata: plain.value } : input,
  });
  if (!parsed.success) return refuse(shortened(z.prettifyError(parsed.error), 1_000));
  const envelope = parsed.data;
  checkId(envelope.dedupId, "dedup id");
  if ("callId" in envelope.input) checkId(envelope.input.callId, "call id");
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
 * version does not handle, events that need a child thread, blank user text, metadata that is no plain JSON (cycles,
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
