import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Block } from "../../../machines/round/turn.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import { Input } from "../../../machines/thread/input.ts";
import { acts, calls, callsInline, refused, says, waits } from "./blocks.ts";
import type { Fold } from "./fold.ts";
import { Tree } from "./tree.ts";
import type { Said, Sketch, Step } from "./tree-story.ts";

/** Something that a scripted model asked a built-in tool to do. Its words are said once in a story. */
export interface Asked {
  readonly by: ThreadId;
  readonly what: "spawn" | "report" | "message" | "close";
  readonly words: string;
  /** Whom it is about: the child of a message, the thread that closes. */
  readonly to?: string;
  /** It asks for what its thread may not do. */
  readonly wrong: boolean;
}

/** Small numbers, so that a short story meets every limit. */
export const treeLimits = {
  rounds: 6,
  equalCalls: 3,
  subscriptions: 2,
  children: 3,
  depth: 3,
  eventChildrenAtOnce: 2,
} as const;

/** A tree that a story is told to, with a record of what was said that is much simpler than the tree. */
export class ToldTree {
  readonly tree = new Tree(treeLimits);
  readonly asked: Asked[] = [];
  /** Envelopes from outside that were accepted. */
  readonly sent: Envelope[] = [];
  readonly faults: string[] = [];
  /** Called after each step; what it says is a fault. */
  readonly #check: (told: ToldTree) => readonly string[];
  readonly #calls: CallId[] = [];
  #words = 0;

  constructor(check: (told: ToldTree) => readonly string[]) {
    this.#check = check;
  }

  tell(steps: readonly Step[]): this {
    for (const step of steps) {
      this.#play(step);
      this.#look();
    }
    return this;
  }

  /** Everything goes on until nothing can without outside: models say no more than a word. */
  finish(): this {
    for (let effects = 0; effects < 4_000; effects++) {
      if (!this.#goOn(effects)) return this;
      this.#look();
    }
    this.faults.push("R9: the tree does not come to rest");
    return this;
  }

  /** From outside, by a name that nobody else uses. */
  send(threadId: ThreadId, given: { readonly kind: string }): boolean {
    return this.#send(threadId, { sender: "the last", ...given }, this.#word("x"));
  }

  #look(): void {
    for (const { context } of this.tree.folds.values())
      for (const { callId } of [...context.calls, ...context.subscriptions])
        if (!this.#calls.includes(callId)) this.#calls.push(callId);
    this.faults.push(...this.#check(this));
    this.tree.touched.clear();
  }

  #word(letter: string): string {
    return `${letter}${this.#words++}.`;
  }

  #threadAt(pick: number): ThreadId {
    const { threads } = this.tree;
    return threads[pick % threads.length] as ThreadId;
  }

  #play(step: Step): void {
    switch (step.do) {
      case "deliver": {
        const threadId = this.#threadAt(step.thread);
        for (const sketch of step.inputs) this.#deliver(threadId, sketch);
        return;
      }
      case "go":
        this.#goOn(step.pick, step);
        return;
      case "settle":
        for (let left = step.effects; left > 0; left--) this.#goOn(left);
        return;
      case "reload":
        this.tree.reload(this.#threadAt(step.thread));
        return;
      case "crash":
        this.tree.crash();
    }
  }

  #deliver(threadId: ThreadId, sketch: Sketch): void {
    const { tree } = this;
    const words = this.#word("i");
    const fold = tree.fold(threadId);
    switch (sketch.kind) {
      case "text":
        this.#send(threadId, { kind: "text", text: words, whileBusy: sketch.patient ? "wait" : "interrupt" }, words);
        return;
      case "result": {
        const callId = this.#callAt(fold, sketch.pick);
        const watches = fold.context.calls.some((call) => call.callId === callId && call.name === "watch");
        const content = [{ type: "text", text: words }];
        this.#send(threadId, { kind: "result", callId, content, ...(watches && { subscription: true }) }, words);
        return;
      }
      case "event": {
        const { pick, associative, final } = sketch;
        this.#send(
          threadId,
          { kind: "event", callId: this.#sourceAt(fold, pick), text: words, associative, final },
          words,
        );
        return;
      }
      case "redelivered": {
        const sent = this.sent[sketch.pick % this.sent.length];
        if (sent && tree.deliver(sent)) this.faults.push(`R2: ${sent.dedupId} was accepted twice`);
        return;
      }
      case "forged": {
        const other = this.#threadAt(sketch.pick);
        const child = tree.childrenOf(threadId).includes(other) ? "nobody" : other;
        const parent = fold.opening?.parent === other ? "nobody" : other;
        if (sketch.as === "message") this.#send(threadId, { kind: "message", parent, text: words }, words);
        else this.#send(threadId, { kind: sketch.as, child, text: words, report: words }, words);
        return;
      }
      case "linger": {
        const due = (fold.stored.record.linger ?? 0) - (sketch.early ? 1 : 0);
        this.#send(threadId, { kind: "linger", due }, words);
        return;
      }
      default:
        this.#send(threadId, { kind: sketch.kind }, words);
    }
  }

  #send(threadId: ThreadId, input: object, dedupId: string): boolean {
    const envelope = { threadId, dedupId, input: Input.parse(input) };
    const accepted = this.tree.deliver(envelope);
    if (accepted) this.sent.push(envelope);
    return accepted;
  }

  /** Calls of the thread first, where it has any; else those of others, long settled ones, and one that never was. */
  #callAt({ context }: Fold, pick: number): CallId {
    const own = context.calls.map(({ callId }) => callId);
    const known = pick % 4 > 0 && own.length > 0 ? own : [...this.#calls, "t1#99.0" as CallId];
    return known[(pick >> 2) % known.length] as CallId;
  }

  #sourceAt({ context }: Fold, pick: number): CallId {
    const own = [...context.subscriptions, ...context.calls.filter(({ name }) => name === "watch")];
    const known =
      pick % 8 > 0 && own.length > 0 ? own.map(({ callId }) => callId) : [...this.#calls, "t1#99.0" as CallId];
    return known[(pick >> 3) % known.length] as CallId;
  }

  /** One of the threads that can go on does; false when there is none. */
  #goOn(pick: number, how?: Extract<Step, { do: "go" }>): boolean {
    const { tree } = this;
    const ready = [
      ...tree.untold.map((threadId) => () => tree.tell(threadId)),
      ...[...tree.folds.values()]
        .filter((fold) => effects.some((effect) => fold.waits(effect)))
        .map((fold) => () => this.#effect(fold, how)),
    ];
    ready[pick % ready.length]?.();
    return ready.length > 0;
  }

  #effect(fold: Fold, how?: Extract<Step, { do: "go" }>): void {
    this.tree.touched.add(fold.place.threadId);
    if (fold.waits("prepare")) fold.prepared();
    else if (fold.waits("commit")) fold.committed();
    else if (fold.waits("dispatch")) fold.dispatched();
    else if (fold.waits("inline")) this.#ranInline(fold, how?.cut ?? 0);
    else this.#answered(fold, how);
  }

  #answered(fold: Fold, how?: Extract<Step, { do: "go" }>): void {
    const interrupted = fold.state.endsWith("interrupting") && (how?.cut ?? 1) > 0;
    const outcome = interrupted ? "cut" : (how?.outcome ?? "finished");
    const blocks = (how?.says ?? [{ say: "text" as const }]).map((said) => this.#blockOf(fold.place.threadId, said));
    fold.answered({
      outcome,
      blocks,
      usage: null,
      ...(outcome === "failed" && { failure: { code: "MODEL_UNAVAILABLE", message: "gone." } }),
    });
  }

  #ranInline(fold: Fold, cut: number): void {
    const interrupting = fold.state.endsWith("interrupting");
    fold.ranInline(
      fold.context.calls
        .filter(({ form, status }) => form === "inline" && status === "committed")
        .map(({ callId }, index) => ({
          callId,
          origin: interrupting && index >= cut ? "interrupted" : "sync",
          content: [{ type: "text", text: "ran" }],
        })),
    );
  }

  #blockOf(by: ThreadId, said: Said): Block {
    const { tree } = this;
    switch (said.say) {
      case "text":
        return says("ok");
      case "work":
        return calls("work");
      case "watch":
        return calls("watch", { onRestart: "again" });
      case "nap":
        return waits("nap");
      case "add":
        return callsInline("add");
      case "nonsense":
        return refused("no");
      case "spawn": {
        const stack = tree.stackOf(by);
        const childOf = said.as === "itself" ? stack : said.as === "nobody" ? [] : stack.slice(0, -1);
        return this.#asks({ by, what: "spawn", words: this.#word("s"), wrong: said.as !== "itself" }, (words) =>
          acts({ do: "spawn", instructions: words, childOf }, words),
        );
      }
      case "report":
        return this.#asks({ by, what: "report", words: this.#word("r"), wrong: by === tree.root }, (words) =>
          acts({ do: "report", text: words }, words),
        );
      case "message": {
        const own = tree.childrenOf(by);
        const known = said.pick % 4 > 0 && own.length > 0 ? own : tree.threads;
        const to = known[(said.pick >> 2) % known.length] as ThreadId;
        return this.#asks({ by, what: "message", words: this.#word("m"), to, wrong: !own.includes(to) }, (words) =>
          acts({ do: "message", to, text: words }, words),
        );
      }
      case "close": {
        const to = said.who === "itself" ? by : this.#threadAt(said.pick);
        const wrong = to !== by || by === tree.root;
        return this.#asks({ by, what: "close", words: this.#word("c"), to, wrong }, (words) =>
          acts({ do: "close", threadId: to, report: said.report ? words : null }, words),
        );
      }
      case "cancel": {
        const { context } = tree.fold(by);
        const call = context.subscriptions[said.pick % 3]?.callId ?? this.#callAt(tree.fold(by), said.pick);
        return acts({ do: "cancel", call });
      }
    }
  }

  #asks(asked: Asked, block: (words: string) => Block): Block {
    this.asked.push(asked);
    return block(asked.words);
  }
}

const effects = ["prepare", "commit", "dispatch", "inline", "round"] as const;
