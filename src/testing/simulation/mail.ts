import { dedupKeyOf, type Envelope } from "../../../machines/thread/input.ts";
import { InputRefusedError, StoreError, SystemStoppedError } from "../../errors.ts";
import { silentLogger } from "../../logger.ts";
import { createSender, type StoreSender } from "../../queue/sender.ts";
import { isShared, type Store } from "../../store/store.ts";
import { Crash } from "./crash.ts";
import { type Grounds, Life } from "./life.ts";

/** An envelope that was sent, and what its sender was told: null while nothing was said. */
export interface Sent {
  readonly envelope: Envelope;
  /** What R2 compares, across threads. */
  readonly key: string;
  readonly by: Life;
  /** What goes one way keeps its order; of two ways nobody can say which is faster. */
  readonly way: string;
  answer: boolean | "refused" | "failed" | null;
}

export interface MailParts {
  readonly grounds: Grounds;
  /** The process that runs the threads now. */
  readonly main: () => Life;
  /** A handle of another process on the store. */
  readonly open: () => Store;
  /** For people. */
  readonly note: (line: string) => void;
  readonly blame: (fault: string) => void;
}

/** What people and other programs send, from inside the process that runs the threads and from elsewhere. */
export class Mail {
  readonly sent: Sent[] = [];
  readonly #senders = new Map<Life, StoreSender>();
  readonly #parts: MailParts;
  #elsewhere: Life | undefined;

  constructor(parts: MailParts) {
    this.#parts = parts;
  }

  /** The process that only sends, where there is one. */
  get elsewhere(): Life | undefined {
    return this.#elsewhere;
  }

  /** Everybody who sends has been told something. */
  get isAnswered(): boolean {
    return this.sent.every(({ answer }) => answer !== null);
  }

  /** Of each envelope the last try, where nobody knows what became of it. */
  get unsure(): readonly Envelope[] {
    const last = new Map(this.sent.map((sent) => [sent.key, sent]));
    return [...last.values()].flatMap(({ envelope, answer }) => (answer === "failed" ? [envelope] : []));
  }

  /** A process has died: who waited for it is told nothing. */
  lost(life: Life): void {
    for (const sent of this.sent) if (sent.by === life) sent.answer ??= "failed";
    if (life === this.#elsewhere) this.#elsewhere = undefined;
  }

  send(envelopes: readonly Envelope[], there: boolean): void {
    const { main, note } = this.#parts;
    const by = there ? this.#outside() : main();
    const way = `${there ? "sender" : "system"} ${by.index}`;
    const parcels = envelopes.map((envelope): Sent => {
      note(`  ${envelope.threadId} ${envelope.dedupId}: ${JSON.stringify(envelope.input)}`);
      return { envelope, key: `${envelope.threadId} ${dedupKeyOf(envelope)}`, by, way, answer: null };
    });
    this.sent.push(...parcels);
    if (there) this.#post(parcels, by);
    else this.#deliver(parcels, by);
  }

  #deliver(parcels: readonly Sent[], { system }: Life): void {
    if (!system) this.#answer(parcels, "failed");
    system?.deliver(parcels.map(({ envelope }) => envelope)).then(
      (fresh) => {
        for (const [index, parcel] of parcels.entries()) this.#answer([parcel], fresh[index] ?? "failed");
      },
      (error: unknown) => this.#failed(parcels, error),
    );
  }

  #post(parcels: readonly Sent[], by: Life): void {
    const sender = this.#senders.get(by) ?? createSender(by.store, { clock: by.clock, logger: silentLogger });
    this.#senders.set(by, sender);
    for (const parcel of parcels)
      sender.send(parcel.envelope).then(
        (fresh) => this.#answer([parcel], fresh),
        (error: unknown) => this.#failed([parcel], error),
      );
  }

  #answer(parcels: readonly Sent[], answer: NonNullable<Sent["answer"]>): void {
    for (const parcel of parcels) parcel.answer ??= answer;
  }

  #failed(parcels: readonly Sent[], error: unknown): void {
    const refused = error instanceof InputRefusedError;
    this.#answer(parcels, refused ? "refused" : "failed");
    if (refused || error instanceof Crash || error instanceof StoreError || error instanceof SystemStoppedError) return;
    this.#parts.blame(`a sender was told ${String(error)}`);
  }

  /** Another process where the store can be shared, and another sender in this one where it cannot. */
  #outside(): Life {
    const main = this.#parts.main();
    if (!isShared(main.store)) return main;
    this.#elsewhere ??= new Life(-1, this.#parts.open(), this.#parts.grounds, false);
    return this.#elsewhere;
  }
}
