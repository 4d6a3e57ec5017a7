import type { Envelope } from "../../../machines/thread/input.ts";
import { PlayStopped } from "./difference.ts";
import type { Answer } from "./feed.ts";
import type { Envelopes } from "./inputs.ts";
import type { Play } from "./play.ts";
import type { InputStep, Step } from "./step-schema.ts";

const listed = (names: readonly string[]): string => names.join(", ") || "none";

/** Threads of user text are launched where there is none, before the text is delivered. */
const launch = async (step: InputStep, play: Play): Promise<void> => {
  if (step.op === "user" || step.op === "interrupt") await play.open(step.thread, step.metadata);
};

const mustBeOpen = (thread: string, play: Play, what: string): void => {
  if (play.seen.openRequest(thread)) return;
  throw new PlayStopped(what, {
    expected: `a request of ${thread} that waits for the model`,
    seen: `requests open: ${listed(play.seen.open)}; requests of ${thread} so far: ${play.seen.requestsOf(thread).length}`,
  });
};

/** The same answer to `times` requests in a row; the runtime settles between two. */
const answer = async (thread: string, answer: Answer, play: Play, times = 1): Promise<void> => {
  for (let nth = 1; nth <= times; nth++) {
    if (nth > 1) await play.settle();
    mustBeOpen(
      thread,
      play,
      times === 1 ? "the model has nothing to answer" : `answer ${nth} of ${times} meets no request`,
    );
    play.seen.openRequest(thread)?.fed.answer(answer);
  }
};

const made = async (inputs: readonly InputStep[], envelopes: Envelopes, play: Play): Promise<readonly Envelope[]> => {
  for (const input of inputs) {
    await launch(input, play);
    if (input.op === "interrupt") mustBeOpen(input.thread, play, "there is no round to interrupt");
  }
  const calls = await play.calls();
  return inputs.map((input) => envelopes.of(input, calls, play.children));
};

const deliver = async (inputs: readonly InputStep[], envelopes: Envelopes, play: Play): Promise<void> =>
  play.deliver(await made(inputs, envelopes, play));

const advance = async (seconds: number, play: Play): Promise<void> => {
  const { open } = play.seen;
  if (open.length > 0)
    throw new PlayStopped("time cannot pass while a round is open: that is an error of the scenario", {
      seen: `requests open: ${listed(open)}`,
    });
  await play.advance(seconds * 1_000);
};

const acknowledge = async (call: string, play: Play): Promise<void> => {
  const calls = await play.calls();
  const handed = play.seen.dispatched.filter(({ thread, callId }) => calls.labelOf(thread, callId) === call);
  if (handed.some(({ callId }) => play.acknowledge(callId))) return;
  throw new PlayStopped(`no tool waits to acknowledge ${call}`);
};

/**
 * Plays one step, without the settling that follows it. Throws PlayStopped where the runtime is not where the step wants
 * it. Checkpoints are no steps that do anything; operations that no system has yet are not played but skipped before.
 */
export const perform = async (step: Step, envelopes: Envelopes, play: Play): Promise<void> => {
  switch (step.op) {
    case "checkpoint":
      return;
    case "model_text":
      return answer(step.thread, { chunks: [{ text: step.text }], end: "final", usage: step.usage }, play);
    case "model_tool_calls": {
      const { text, calls, usage } = step;
      const chunks = [...(text === undefined ? [] : [{ text }]), ...calls.map((tool_call) => ({ tool_call }))];
      return answer(step.thread, { chunks, end: "final", usage }, play);
    }
    case "model_stream":
      return answer(step.thread, step, play, step.repeat);
    case "batch":
      return deliver(step.inputs, envelopes, play);
    case "advance_time":
      return advance(step.seconds, play);
    case "dispatch_ack":
      return acknowledge(step.call, play);
    case "restart":
      if (step.mode === "graceful") await play.stop();
      else play.crash();
      return play.start();
    case "switch_model":
      return play.switchModel({ modelId: step.model, supportsImages: step.supports_images ?? false });
    case "set_budget":
      return play.setBudget(step.tokens);
    case "halt":
      return play.deliver([envelopes.halt(step.thread)]);
    case "attach":
      return play.attach(step.thread, step.as);
    case "compact":
      return play.deliver([envelopes.compact(step.thread)]);
    case "step":
      return play.step(await made(step.inputs, envelopes, play), step.threads ?? []);
    case "fail_next":
      throw new PlayStopped(`this player cannot play ${step.op} yet`);
    default:
      return deliver([step], envelopes, play);
  }
};
