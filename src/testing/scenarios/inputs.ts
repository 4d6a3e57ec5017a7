import type { ContentItem } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import { encodeAddress, eventFor, resultFor } from "../../tool/address.ts";
import { answerFor, choiceFor, oauthFor } from "../../tool/answer.ts";
import type { CallBook } from "./calls.ts";
import type { Children } from "./children.ts";
import { PlayStopped } from "./difference.ts";
import type { ScenarioContent } from "./expectation-schema.ts";
import type { InputStep } from "./step-schema.ts";

type Relayed = Extract<InputStep, { op: "child_report" | "parent_message" }>;

/** A thread that nobody created: what is said to come from it has no source. */
const nobody = "nobody" as ThreadId;

const itemOf = (item: ScenarioContent): ContentItem =>
  item.type === "text" ? item : { type: "image", data: item.data, mediaType: item.media_type };

/**
 * Makes the envelopes of input steps. An input without an id gets a fresh one. Remembers them by id, so that one can be
 * delivered again unchanged.
 */
export class Envelopes {
  readonly #byId = new Map<string, Envelope>();
  #fresh = 0;

  /** Throws PlayStopped for a redelivery of an id that no step used. */
  of(step: InputStep, calls: CallBook, children: Children): Envelope {
    const envelope = this.#make(step, calls, children);
    this.#byId.set(envelope.dedupId, envelope);
    return envelope;
  }

  /** The owner of a thread halts it. */
  halt(thread: string): Envelope {
    return { threadId: thread as ThreadId, dedupId: this.#idOf({}), input: { kind: "halt", sender: "user" } };
  }

  /** Somebody asks for a summary. */
  compact(thread: string): Envelope {
    return { threadId: thread as ThreadId, dedupId: this.#idOf({}), input: { kind: "compact", sender: "user" } };
  }

  #make(step: InputStep, calls: CallBook, children: Children): Envelope {
    switch (step.op) {
      case "user":
      case "interrupt": {
        const { text, metadata } = step;
        return {
          threadId: step.thread as ThreadId,
          dedupId: this.#idOf(step),
          input: { kind: "text", text, sender: "user", whileBusy: "interrupt", ...(metadata && { metadata }) },
        };
      }
      case "tool_result": {
        const { content, subscription = false } = step;
        const said = content ? content.map(itemOf) : (step.text ?? "");
        return resultFor(this.#address(step, calls), said, { id: this.#idOf(step), subscription });
      }
      case "subscription_event": {
        const { text, mode, final = false } = step;
        const fields = { id: this.#idOf(step), text, associative: mode === "inline", final };
        return eventFor(this.#address(step, calls), fields);
      }
      case "child_report": {
        const child = childOf(step, step.thread, calls, children) ?? nobody;
        const input = { kind: "report" as const, child, text: step.text };
        return { threadId: step.thread as ThreadId, dedupId: this.#idOf(step), input };
      }
      case "parent_message": {
        const threadId = hearerOf(step, calls, children);
        const parent = children.openingOf(threadId)?.parent ?? nobody;
        return { threadId, dedupId: this.#idOf(step), input: { kind: "message", parent, text: step.text } };
      }
      case "oauth":
        return oauthFor(this.#address(step, calls), step.url, { id: this.#idOf(step) });
      case "user_choice": {
        const { prompt, choices, default: usual = 0 } = step;
        const envelope = choiceFor(this.#address(step, calls), { prompt, choices, default: usual });
        return { ...envelope, dedupId: this.#idOf(step) };
      }
      case "answer_choice":
        return answerFor(calls.idOf(step.thread, step.call), step.selected, { id: this.#idOf({}) });
      case "view_update": {
        const { view_type: viewType, content } = step;
        return {
          threadId: step.thread as ThreadId,
          dedupId: this.#idOf({}),
          input: { kind: "view", viewType, content },
        };
      }
      case "redeliver": {
        const envelope = this.#byId.get(step.id);
        if (!envelope) throw new PlayStopped(`no input with the id ${JSON.stringify(step.id)} was delivered before`);
        return envelope;
      }
    }
  }

  #idOf({ id }: { readonly id?: string | undefined }): string {
    return id ?? `fresh-${++this.#fresh}`;
  }

  #address({ thread, call }: { readonly thread: string; readonly call: string }, calls: CallBook): string {
    return encodeAddress({ threadId: thread as ThreadId, callId: calls.idOf(thread, call) });
  }
}

/** The child that a step names, or the one that the parent's call has opened. */
const childOf = (step: Relayed, parent: string, calls: CallBook, children: Children): ThreadId | undefined =>
  (step.child as ThreadId | undefined) ?? children.heardUnder(parent, calls.idOf(parent, step.spawn_call));

/** Who hears a parent's message: the thread is the child, or the parent whose call has opened the child. */
const hearerOf = (step: Relayed, calls: CallBook, children: Children): ThreadId => {
  const { thread, spawn_call: call } = step;
  const isChild = children.sourceOf(thread) === calls.idOf(thread, call);
  return (!isChild && childOf(step, thread, calls, children)) || (thread as ThreadId);
};
