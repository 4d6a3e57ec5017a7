import { existsSync } from "node:fs";
import type { Envelope } from "../../../machines/thread/input.ts";
import { silentLogger } from "../../../src/logger.ts";
import { createSender } from "../../../src/queue/sender.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { newNotesIn, notebook, notesIn } from "../notes.ts";
import { type Load, pause } from "./load.ts";
import { answersIn, deliveriesOf, type Parcel, textFor } from "./outside.ts";
import type { Begun } from "./runner.ts";

/** `key` names the input for the world outside; it is the same in every try. */
export type SentNote =
  | { readonly what: "sent"; readonly key: string; readonly envelope: Envelope }
  | { readonly what: "acknowledged"; readonly key: string; readonly fresh: boolean }
  | { readonly what: "has nothing left" };

/** ms between two texts. */
const between = 20;

/**
 * The world outside: users who write, services that deliver what they were asked for, and a person who answers. It notes what
 * it sends before it sends, and sends again, under the same ids, whatever was not acknowledged, also after it was killed
 * itself.
 */
export const send = async (load: Load): Promise<void> => {
  const book = notebook<SentNote>(load.sent);
  const store = sqliteStore(load.file, { logger: silentLogger });
  const sender = createSender(store, { logger: silentLogger });
  const begunSince = newNotesIn<Begun>(load.begun);
  const open = new Map<string, Envelope>();
  const known = new Set<string>();
  let texts = 0;
  for (const note of notesIn<SentNote>(load.sent)) {
    if (note.what === "acknowledged") open.delete(note.key);
    if (note.what !== "sent") continue;
    known.add(note.key);
    open.set(note.key, note.envelope);
    if (note.envelope.input.kind === "text") texts++;
  }

  const offer = ({ key, envelope }: Parcel): void => {
    if (known.has(key)) return;
    known.add(key);
    book.add({ what: "sent", key, envelope });
    open.set(key, envelope);
  };
  const deliver = async (key: string, envelope: Envelope): Promise<void> => {
    try {
      book.add({ what: "acknowledged", key, fresh: await sender.send(envelope) });
      open.delete(key);
    } catch {
      // Nobody said that it is durable, and it may be: it stays open, and is sent again.
    }
  };

  for (let done = false; ; ) {
    const enough = existsSync(load.enough);
    if (!enough) offer(textFor(texts++));
    for (const begun of begunSince()) for (const parcel of deliveriesOf(begun)) offer(parcel);
    for (const parcel of await answersIn(store)) offer(parcel);
    for (const [key, envelope] of open) await deliver(key, envelope);
    if (enough && open.size === 0 && !done) {
      done = true;
      book.add({ what: "has nothing left" });
    }
    await pause(between);
  }
};
