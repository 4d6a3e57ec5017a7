import { randomUUID } from "node:crypto";
import { ThreadId } from "../../machines/history/ids.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import type { Envelope } from "../../machines/thread/input.ts";
import { ThreadIdError } from "../errors.ts";

/** Of a text. */
export interface SendOptions {
  /** The same id again is dropped (R2). Default: a fresh one. */
  readonly id?: string;
  readonly metadata?: JsonObject;
  /** `wait`: do not interrupt work in flight. Default `interrupt`. */
  readonly whileBusy?: "interrupt" | "wait";
  /** Part of the key: ids of different senders never meet. Default `user`. */
  readonly sender?: string;
}

/** A text for a thread, from any process, to be given to a sender; what `thread.send` makes. Throws ThreadIdError. */
export const textFor = (
  threadId: string,
  text: string,
  { id = randomUUID(), sender = "user", whileBusy = "interrupt", metadata }: SendOptions = {},
): Envelope => {
  const parsed = ThreadId.safeParse(threadId);
  if (!parsed.success) throw new ThreadIdError(String(threadId));
  const input = { kind: "text", text, sender, whileBusy, ...(metadata && { metadata }) } as const;
  return { threadId: parsed.data, dedupId: id, input };
};
