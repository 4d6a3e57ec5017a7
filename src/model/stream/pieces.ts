import type { Block } from "../../../machines/round/turn.ts";
import { type Metadata, merged } from "./metadata.ts";

/** A block from its first sign until it is handed on. */
export interface Piece {
  readonly kind: "text" | "reasoning" | "call" | "provided";
  /** What text or reasoning says so far; "" for the others. */
  text: string;
  /** Characters of a call's arguments that were counted. */
  counted: number;
  metadata: Metadata | undefined;
  /** Set once it is whole. */
  block: Block | undefined;
  /** The id under which a call of the provider's own waits for its result. */
  awaits: string | undefined;
}

/** The blocks of a turn that are not handed on yet, in the order they began, and those of them that are open, by id. */
export class Pieces {
  #inOrder: Piece[] = [];
  /** By kind and id; of calls that share an id, in the order they began. */
  readonly #open = new Map<string, Piece[]>();

  /** A piece that needs no id, because nothing more is said of it. */
  add(kind: Piece["kind"], metadata?: unknown): Piece {
    const piece: Piece = {
      kind,
      text: "",
      counted: 0,
      metadata: merged(undefined, metadata),
      block: undefined,
      awaits: undefined,
    };
    this.#inOrder.push(piece);
    return piece;
  }

  begin(kind: Piece["kind"], id: string, metadata?: unknown): Piece {
    const piece = this.add(kind, metadata);
    const key = `${kind} ${id}`;
    const others = this.#open.get(key);
    if (others) others.push(piece);
    else this.#open.set(key, [piece]);
    return piece;
  }

  /** The open piece of that id, the first where several share it. */
  find(kind: Piece["kind"], id: string): Piece | undefined {
    return this.#open.get(`${kind} ${id}`)?.[0];
  }

  /** The same, and it is open no longer. */
  take(kind: Piece["kind"], id: string): Piece | undefined {
    const key = `${kind} ${id}`;
    const pieces = this.#open.get(key);
    const piece = pieces?.shift();
    if (pieces?.length === 0) this.#open.delete(key);
    return piece;
  }

  /** The result of a call that the provider executed has come. */
  answered(callId: string): void {
    const call = this.#inOrder.find(({ awaits }) => awaits === callId);
    if (call) call.awaits = undefined;
  }

  /** Takes out what is whole, up to the first that is not. */
  takeWhole(): readonly Block[] {
    const held = this.#inOrder.findIndex(({ block, awaits }) => !block || awaits !== undefined);
    const whole = this.#inOrder.splice(0, held < 0 ? this.#inOrder.length : held);
    return whole.flatMap(({ block }) => block ?? []);
  }

  /** Takes out everything: the turn is over. */
  takeAll(): readonly Piece[] {
    return this.#inOrder.splice(0);
  }
}
