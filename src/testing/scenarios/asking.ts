import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { scriptedModel } from "../../model/scripted/scripted-model.ts";
import { PlayStopped } from "./difference.ts";
import { feed } from "./feed.ts";
import type { Asked } from "./observed.ts";

/** The model of a scenario, and what it can do. */
export interface ModelChoice {
  readonly modelId: string;
  readonly supportsImages: boolean;
}

export interface AskingWorld {
  /** The history a thread sees, as far as it is committed. */
  view(thread: ThreadId): Promise<readonly PlacedEntry[]>;
  /** A request waits for the scenario to answer it. */
  asked(request: Omit<Asked, "nth">): void;
  stopped(why: PlayStopped): void;
}

/** Requests to the scenario's models, each with the thread that announced it and the history it was made of. */
export class Asking {
  readonly #world: AskingWorld;
  readonly #announced = new WeakMap<object, Pick<Asked, "thread" | "entries">>();

  constructor(world: AskingWorld) {
    this.#world = world;
  }

  /** A thread is about to make a request of `prompt`. */
  announce(thread: ThreadId, prompt: LanguageModelV4Prompt, uncommitted: readonly PlacedEntry[]): void {
    const entries = this.#world
      .view(thread.replace(/#compaction$/, "") as ThreadId)
      .then((committed) => [...committed, ...uncommitted]);
    this.#announced.set(prompt, { thread, entries });
  }

  model({ modelId }: ModelChoice) {
    return scriptedModel({
      modelId,
      script: (request) => {
        const { prompt } = request;
        const from = this.#announced.get(prompt);
        if (from) this.#world.asked({ ...from, model: modelId, prompt, fed: feed(request) });
        else
          this.#world.stopped(
            new PlayStopped("a request came that no thread announced: onRequest comes before doStream"),
          );
        return undefined;
      },
    });
  }
}
