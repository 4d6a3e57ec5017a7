import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { DisplaySegment } from "../../machines/history/entry.ts";
import { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { Envelope, ResultInput } from "../../machines/thread/input.ts";
import { AddressError } from "../errors.ts";
import { type ResultContent, resultOf } from "./result.ts";
import { safeText } from "./text.ts";

/** A call, and the thread that made it. */
export interface CallAddress {
  readonly threadId: ThreadId;
  readonly callId: CallId;
}

/** Version of the address format; a later one gets another prefix, and both are read. */
const prefix = "w1_";
const Parts = z.tuple([ThreadId, CallId]);

/** The address as one string of `[A-Za-z0-9_-]`. It is a name, not a secret: it gives nobody access by itself. */
export const encodeAddress = ({ threadId, callId }: CallAddress): string =>
  prefix + Buffer.from(JSON.stringify([threadId, callId])).toString("base64url");

/** Throws AddressError for anything that `encodeAddress` did not make, also when a part of it is missing. */
export const parseAddress = (address: string): CallAddress => {
  if (typeof address !== "string" || !address.startsWith(prefix)) throw new AddressError(String(address));
  try {
    const text = Buffer.from(address.slice(prefix.length), "base64url").toString("utf8");
    const [threadId, callId] = Parts.parse(JSON.parse(text));
    if (encodeAddress({ threadId, callId }) === address) return { threadId, callId };
  } catch {
    // Told below, like every other string that is no address.
  }
  throw new AddressError(address);
};

export interface ResultOptions {
  /** Default: made from the content. See `resultFor`. */
  readonly id?: string;
  /** The result confirms a subscription: events may follow under this call. */
  readonly subscription?: boolean;
  /** For people, in place of what the content says. */
  readonly display?: readonly DisplaySegment[];
}

/**
 * The result of a call, from any process, to be given to a sender.
 *
 * Without an id, its dedup id is a hash of what the result says. A webhook that is delivered again calls this again with
 * the same content, perhaps in another process: that is the same result, and is dropped as seen (R2). A second, different
 * result of the call is another input: it is discarded with a reason that people can see, and does not vanish (R1). A random id
 * would make redeliveries look like late results, a fixed one would hide real ones.
 *
 * Throws AddressError. Content that has no form becomes an error result, as when a tool returns it.
 */
export const resultFor = (address: string, content: ResultContent, options: ResultOptions = {}): Envelope => {
  const { threadId, callId } = parseAddress(address);
  const result = resultOf(content);
  const display = options.display ? [...options.display] : result.display;
  const input: ResultInput = {
    kind: "result",
    callId,
    content: result.content,
    origin: "tool",
    ...(result.error && { error: true }),
    ...(display && { display }),
    ...(options.subscription && { subscription: true }),
  };
  return { threadId, dedupId: options.id ?? hashOf(input), input };
};

const hashOf = (input: ResultInput): string =>
  `sha256-${createHash("sha256").update(JSON.stringify(input)).digest("base64url")}`;

export interface EventFields {
  /** The same id again is dropped (R2). Default: a random one, because losing an event is worse than seeing it twice. */
  readonly id?: string;
  readonly text: string;
  /** The event belongs in the subscriber's own history. Default false. */
  readonly associative?: boolean;
  /** The last one: it closes the subscription to later events. Default false. */
  readonly final?: boolean;
}

/** An event of a subscription, from any process, to be given to a sender. Throws AddressError. */
export const eventFor = (address: string, { id, text, associative = false, final = false }: EventFields): Envelope => {
  const { threadId, callId } = parseAddress(address);
  return {
    threadId,
    dedupId: id ?? randomUUID(),
    input: { kind: "event", callId, text: safeText(text), associative, final },
  };
};

/** News of a call that is under way, for the application; never in a history. Throws AddressError. */
export const progressFor = (address: string, text: string, { id }: { readonly id?: string } = {}): Envelope => {
  const { threadId, callId } = parseAddress(address);
  return { threadId, dedupId: id ?? randomUUID(), input: { kind: "progress", callId, text: safeText(text) } };
};
