import { existsSync } from "node:fs";
import { silentLogger } from "../../../src/logger.ts";
import { createSender } from "../../../src/queue/sender.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { resultFor } from "../../../src/tool/address.ts";
import { notebook, notesIn } from "../notes.ts";
import { type Load, pause, threadIds } from "./load.ts";
import type { Begun } from "./runner.ts";

/** `key` names the input for the world outside; it is the same in every try. */
export type SentNote =
  | { readonly what: "sent"; readonly key: string; readonly envelope: { readonly threadId: string } }
  | { readonly what: "acknowledged"; readonly key: string; readonly fresh: boolean }
  | { readonly what: "has nothing left" };

/** ms between two texts. */
const between = 20;

const textFor = (number: number) => {
  const id = `text ${number}`;
  return {
    threadId: threadIds[number % threadIds.length] ?? "",
    dedupId: id,
    input: { kind: "text", text: id, whileBusy: number % 3 === 0 ? "interrupt" : "wait" },
  };
};

/**
 * The world outside: users who write, and a service that delivers the result of each job it was given. It notes what it sends
 * before it sends, and sends again, under the same ids, whatever was not acknowledged, also after it was killed itself.
 */
export const send = async (load: Load): Promise<void> => {
  const book = notebook<SentNote>(load.sent);
  const sender = createSender(sqliteStore(load.file, { logger: silentLogger }), { logger: silentLogger });
  const open = new Map<string, { readonly threadId: string }>();
  const known = new Set<string>();
  let texts = 0;
  for (const note of notesIn<SentNote>(load.sent)) {
    if (note.what === "acknowledged") open.delete(note.key);
    if (note.what !== "sent") continue;
    known.add(note.key);
    open.set(note.key, note.envelope);
    if (note.key.startsWith("text ")) texts++;
  }

  const offer = (key: string, envelope: { readonly threadId: string }): void => {
    if (known.has(key)) return;
    known.add(key);
    book.add({ what: "sent", key, envelope });
    open.set(key, envelope);
  };
  const deliver = async (key: string, envelope: object): Promise<void> => {
    try {
      book.add({ what: "acknowledged", key, fresh: await sender.send(envelope) });
      open.delete(key);
    } catch {
      // Nobody said that it is durable, and it may be: it stays open, and is sent again.
    }
  };

  for (let done = false; ; ) {
    const enough = existsSync(load.enough);
    if (!enough) {
      const text = textFor(texts++);
      offer(text.dedupId, text);
    }
    for (const { name, address } of notesIn<Begun>(load.begun))
      if (name === "hand") offer(`result ${address}`, resultFor(address, "delivered", { id: "delivered" }));
    for (const [key, envelope] of open) await deliver(key, envelope);
    if (enough && open.size === 0 && !done) {
      done = true;
      book.add({ what: "has nothing left" });
    }
    await pause(between);
  }
};
