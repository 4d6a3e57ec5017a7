import type { Thread } from "wakeful";

/** One line for everything that goes wrong with the model, and for what each round cost. */
export const watchTheModel = (thread: Thread, print: (line: string) => void) =>
  thread.updates$.subscribe((update) => {
    if (update.type === "round.retried")
      print(`try ${update.attempt} in ${update.wait} ms, because: ${update.message}`);
    if (update.type === "failure") print(`${update.code}: ${update.message}`);
    if (update.type === "round.ended" && update.usage)
      print(`${update.model}: ${update.usage.inputTokens} tokens in, ${update.usage.outputTokens} out`);
  });
