import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { ScriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import type { ToolCall } from "../../../src/tool/call.ts";
import { faultsOfRequest } from "../thread/tree-rules.ts";
import type { ForestJournal } from "./forest-journal.ts";
import { repeatable } from "./tools.ts";

/** Looks at each request to the model and each call of a tool at the moment it is made. `life`: in which process. */
export class ForestWatch {
  readonly #tree: ForestJournal;
  readonly #model: ScriptedModel;
  readonly #askers = new WeakMap<object, { readonly threadId: ThreadId; readonly life: number }>();
  readonly #begun = new Map<string, number>();

  constructor(tree: ForestJournal, model: ScriptedModel) {
    this.#tree = tree;
    this.#model = model;
  }

  asks(
    threadId: ThreadId,
    prompt: object,
    uncommitted: readonly { entry: { kind: string; callId?: CallId } }[],
    life: number,
  ): void {
    const { faults } = this.#tree;
    const answered = uncommitted.flatMap(({ entry }) => (entry.kind === "result" ? (entry.callId ?? []) : []));
    faults.push(...faultsOfRequest(this.#tree, threadId, answered));
    if (this.#model.openRequests.some((open) => this.askerOf(open.prompt, life) === threadId))
      faults.push(`R8: ${threadId} asks its model twice at once`);
    this.#askers.set(prompt, { threadId, life });
  }

  /** The thread that made the request, if that process did. */
  askerOf(prompt: object, life: number): ThreadId | undefined {
    const asker = this.#askers.get(prompt);
    return asker?.life === life ? asker.threadId : undefined;
  }

  /** R7: a call is handed over once it is durable and marked, and once in a process; in another if it may be. */
  began(name: string, { id, threadId }: ToolCall, life: number): void {
    const { faults } = this.#tree;
    if (!this.#tree.has(threadId)) {
      faults.push(`R7: ${name} was called by ${threadId}, which is nowhere`);
      return;
    }
    const { stored, started } = this.#tree.fold(threadId);
    if (!stored.calls.some(({ callId }) => callId === id)) faults.push(`R7: ${id} was handed over, and is not durable`);
    if (!started.has(id as CallId)) faults.push(`R7: ${id} was handed over, and is not marked`);
    const before = this.#begun.get(id);
    if (before === life || (before !== undefined && !repeatable.includes(name)))
      faults.push(`R7: ${name} began again for ${id}`);
    this.#begun.set(id, life);
  }
}
