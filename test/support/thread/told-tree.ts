import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Block } from "../../../machines/round/turn.ts";
import { type Envelope, Input } from "../../../machines/thread/input.ts";
import { acts, calls, callsInline, refused, says, waits } from "./blocks.ts";
import type { Fold } from "./fold.ts";
import { type Asked, type Told, treeLimits } from "./grove.ts";
import { Tree } from "./tree.ts";
import { actOf, isAct } from "./tree-acts.ts";
import { inputOf } from "./tree-post.ts";
import type { Said, Sketch, Step } from "./tree-story.ts";

/** A tree that a story is told to, with a record of what was said that is much simpler than the tree. */
export class ToldTree implements Told {
  readonly tree = new Tree(treeLimits);
  readonly asked: Asked[] = [];
  /** Envelopes from outside that were accepted. */
  readonly sent: Envelope[] = [];
  readonly faults: string[] = [];
  /** Called after each step; what it says is a fault. */
  readonly #check: (told: ToldTree) => readonly string[];
  #words = 0;

  constructor(check: (told: ToldTree) => readonly string[]) {
    this.#check = check;
  }

  get sentIds(): ReadonlySet<string> {
    return new Set(this.sent.map(({ dedupId }) => dedupId));
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
    if (sketch.kind !== "redelivered") {
      const words = this.#word("i");
      this.#send(
        threadId,
        inputOf(this.tree, threadId, sketch, words, ({ name }) => name === "watch"),
        words,
      );
      return;
    }
    const sent = this.sent[sketch.pick % this.sent.length];
    if (sent && this.tree.deliver(sent)) this.faults.push(`R2: ${sent.dedupId} was accepted twice`);
  }

  #send(threadId: ThreadId, input: object, dedupId: string): boolean {
    const envelope = { threadId, dedupId, input: Input.parse(input) };
    const accepted = this.tree.deliver(envelope);
    if (accepted) this.sent.push(envelope);
    return accepted;
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
    if (isAct(said)) {
      const { asked, act } = actOf(this.tree, by, said, this.#word(said.say[0] ?? ""));
      this.asked.push(asked);
      return acts(act, asked.words);
    }
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
      case "cancel": {
        const { subscriptions } = this.tree.fold(by).context;
        return acts({ do: "cancel", call: subscriptions[said.pick % 3]?.callId ?? "t1#99.0" });
      }
    }
  }
}

const effects = ["prepare", "commit", "dispatch", "inline", "round"] as const;
