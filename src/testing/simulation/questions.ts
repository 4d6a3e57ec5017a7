import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Choice } from "../../../machines/thread/choice.ts";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Fact } from "../../../machines/thread/facts.ts";
import type { QuestionAnswer } from "../../tool/question.ts";
import type { Life } from "./life.ts";

/** What became of one question, as the commits of its thread say. */
export interface Asked {
  readonly choice: Choice;
  readonly threadId: ThreadId;
  /** How often facts said that it is there, and that it is over. */
  opened: number;
  closed: number;
  answer: Choice["answer"];
}

/** A tool that asks, in one process. */
export interface Asker {
  readonly life: Life;
  readonly threadId: ThreadId;
  readonly callId: CallId;
  readonly prompt: string;
  heard: QuestionAnswer | undefined;
  /** It was told that nobody will answer. */
  refused: boolean;
}

/** Every question of a world, by its id. */
export class Questions {
  readonly asked = new Map<string, Asked>();
  /** Tools that were made to wait for a person's word, with their thread: from then on their calls are made unasked. */
  readonly allowed = new Set<string>();
  readonly askers: Asker[] = [];

  wrote({ threadId, choices, record, facts }: ThreadCommit): void {
    for (const choice of choices?.opened ?? [])
      this.asked.set(choice.choiceId, { choice, threadId, opened: 0, closed: 0, answer: choice.answer });
    for (const { choiceId, answer } of choices?.moved ?? []) {
      const asked = this.asked.get(choiceId);
      if (asked) asked.answer = answer;
    }
    for (const fact of facts) this.#count(fact);
    for (const name of record?.allowed ?? []) this.allowed.add(`${threadId} ${name}`);
  }

  /** By the one who answered, where anybody did. */
  answersBy(by: string): readonly Asked[] {
    return [...this.asked.values()].filter(({ answer }) => answer?.by === by);
  }

  #count(fact: Fact): void {
    if (fact.type !== "choice.opened" && fact.type !== "choice.closed") return;
    const asked = this.asked.get(fact.choiceId);
    if (asked && fact.type === "choice.opened") asked.opened++;
    if (asked && fact.type === "choice.closed") asked.closed++;
  }
}
