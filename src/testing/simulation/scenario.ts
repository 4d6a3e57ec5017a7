import type { Input } from "../../../machines/thread/input.ts";
import type { ScriptedChunk } from "../../model/scripted/answer.ts";
import { Scenario } from "../scenarios/schema.ts";
import type { Act } from "./act.ts";
import type { Record } from "./record.ts";

/** The format cannot say it. */
class Unsayable extends Error {}

const unsayable = (): never => {
  throw new Unsayable();
};

/** Tools that are answered by hand, or at once: what the others do by themselves has no word in the format. */
const tools: { readonly [name: string]: object } = {
  hand: { name: "hand", kind: "dispatched" },
  nap: { name: "nap", kind: "passive" },
  add: { name: "add", kind: "sync", result: "added" },
  look: { name: "look", kind: "sync", result: "looked" },
  watch: { name: "watch", kind: "subscription", auto_result: "watching" },
  follow: { name: "follow", kind: "subscription", auto_result: "following" },
};
const builtins: ReadonlySet<string> = new Set(["sleep", "sleep_until", "sleep_until_event_or_input", "nobody"]);

/** What the provider called a call, where it called no other one so. */
const nameOf = (record: Record, callId: string): string => {
  const calls = [...record.pages.values()].flatMap(({ made }) => [...made.values()]);
  const name = calls.find((call) => call.callId === callId)?.providerCallId;
  return name && calls.filter((call) => call.providerCallId === name).length === 1 ? name : unsayable();
};

const inputOf = (record: Record, thread: string, id: string, input: Input): object => {
  if (input.kind === "text" && input.whileBusy === "interrupt") return { op: "user", thread, text: input.text, id };
  if (input.kind === "result" && !input.error && input.content[0]?.type === "text") {
    const { subscription } = input;
    const call = nameOf(record, input.callId);
    return { op: "tool_result", thread, call, text: input.content[0].text, id, ...(subscription && { subscription }) };
  }
  if (input.kind === "event") {
    const { text, associative, final } = input;
    const mode = associative ? "inline" : "threaded";
    return { op: "subscription_event", thread, call: nameOf(record, input.callId), text, mode, final, id };
  }
  return unsayable();
};

const chunkOf = (used: Map<string, object>, chunk: ScriptedChunk): object => {
  if (!("tool_call" in chunk)) return chunk;
  const { name, raw = "{}", id } = chunk.tool_call;
  const tool = tools[name];
  if (tool) used.set(name, tool);
  const args = raw.endsWith("}") ? (JSON.parse(raw) as { readonly how?: string }) : unsayable();
  if (!id || (args.how ?? "well") !== "well" || !(tool || builtins.has(name))) return unsayable();
  return { tool_call: { id, name, args } };
};

const stepOf = (record: Record, used: Map<string, object>, act: Act, sent: Set<string>): object => {
  switch (act.act) {
    case "send": {
      const inputs = act.envelopes.map(({ threadId, dedupId, input }) => {
        if (input.kind === "halt") return { op: "halt", thread: threadId };
        const again = sent.has(`${threadId} ${dedupId}`);
        sent.add(`${threadId} ${dedupId}`);
        return again ? { op: "redeliver", id: dedupId } : inputOf(record, threadId, dedupId, input);
      });
      return inputs.length === 1 ? (inputs[0] as object) : { op: "batch", inputs };
    }
    case "answer": {
      const { threadId: thread, chunks, end } = act;
      const failure = typeof end === "object" && "error" in end ? { end: "error", error: end.error } : { end };
      return { op: "model_stream", thread, chunks: chunks.map((chunk) => chunkOf(used, chunk)), ...failure };
    }
    case "pass":
      return { op: "advance_time", seconds: act.ms / 1_000 };
    case "restart":
      return { op: "restart", mode: "graceful" };
    case "crash":
      return { op: "restart", mode: "crash" };
    case "untold":
      return unsayable();
  }
};

/**
 * What was done in a story, as a scenario that expects what every scenario does, and the models that are `open` at its end; null where the format cannot say it: work
 * that ends by itself, a store that fails, an end at a certain point, what a child does.
 */
export const scenarioOf = (
  seed: number,
  { acts, open }: { readonly acts: readonly Act[]; readonly open: readonly string[] },
  record: Record,
): Scenario | null => {
  const used = new Map<string, object>();
  const sent = new Set<string>();
  try {
    const steps = acts.map((act) => stepOf(record, used, act, sent));
    const title = `a story of seed ${seed}, shortened`;
    const parsed = Scenario.safeParse({
      id: `seed-${seed}`,
      title,
      main_thread: "t0",
      tools: [...used.values()],
      steps,
      expect: { open_requests: open },
    });
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof Unsayable) return null;
    throw error;
  }
};
