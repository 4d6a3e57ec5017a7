import type { Subject } from "rxjs";
import type { ProducerEvent } from "../../tool/define.ts";
import type { Happening } from "./step.ts";

type What = Extract<Happening, { do: "emit" }>["what"];

const eventOf = (what: What, text: string): ProducerEvent => {
  if (what === "nonsense") return { words: text } as never;
  if (what === "repeat") return { text, associative: true, id: "same" };
  return { text, associative: what !== "threaded", final: what === "final" };
};

/** What a source says. `word` is said once in a story. */
export const emit = (events: Subject<ProducerEvent>, what: What, word: () => string): void => {
  if (what === "complete") events.complete();
  else if (what === "error") events.error(new Error("secret of a producer"));
  else events.next(eventOf(what, word()));
};
