import { z } from "zod";
import type { CrashPoint } from "../../src/crash-points.ts";
import type { ScriptedCall } from "../../src/model/scripted/answer.ts";
import { eventFor, resultFor } from "../../src/tool/address.ts";
import { defineTool, type ProducerEvent, type Tool } from "../../src/tool/define.ts";
import type { Outside } from "./life.ts";

/** A story around one call of a tool. It is the same in the process that dies and in the one that follows. */
export interface Behaviour {
  /** What a restart may do with a call that had begun. */
  readonly onRestart: "again" | "fail";
  readonly calls: readonly ScriptedCall[];
  readonly tools?: (outside: Outside) => readonly Tool[];
  /** Texts behind the first, while the call is out. A text that waits is held back until it has its result (R4). */
  readonly texts?: readonly { readonly id: string; readonly whileBusy: "interrupt" | "wait" }[];
  /** What the webhooks of the world outside deliver for each address that they were given, in order. */
  readonly deliveries?: (address: string) => readonly { readonly id: string; readonly envelope: unknown }[];
  /** ms that pass in the first process once nothing else happens; what is due later is due in the second. */
  readonly passes?: number;
  /** Origins that the result may have when nothing went wrong. */
  readonly origins: readonly string[];
  /** Crash points that this story meets beside those that every story meets. */
  readonly meets: readonly CrashPoint[];
  /** The events of its subscription, when it has one, by text; and what becomes of that when its process ends. */
  readonly events?: readonly string[];
  readonly eventsAfterRestart?: "go on" | "end";
}

export const alwaysMet: readonly CrashPoint[] = [
  "created",
  "accepting",
  "accepted",
  "delivered",
  "committing",
  "committed",
];

const base = { name: "work", description: "Works.", inputSchema: z.object({}) };
const calls: readonly ScriptedCall[] = [{ name: "work" }];
const later = { id: "later", whileBusy: "wait" } as const;
type OnRestart = Behaviour["onRestart"];
type Call = Parameters<Outside["began"]>[0];

const handed = { calls, meets: ["marked", "handed-over", "result-sent"], origins: ["tool"] } as const;
const acknowledged = { ...handed, meets: [...handed.meets, "acknowledged"] } as const;

/** Works until the texts behind the first are accepted. */
const works =
  ({ began, talked, life }: Outside) =>
  async (_: unknown, call: Call) => {
    began(call);
    await talked;
    return `worked in life ${life}`;
  };

const run = (onRestart: OnRestart): Behaviour => ({
  ...handed,
  onRestart,
  texts: [later],
  tools: (outside) => [defineTool({ ...base, onRestart, run: works(outside) })],
});

const byHand = (onRestart: OnRestart): Behaviour => ({
  ...acknowledged,
  onRestart,
  texts: [later],
  tools: ({ began }) => [defineTool({ ...base, onRestart, dispatch: (_, call) => began(call) })],
  deliveries: (address) => [{ id: "built", envelope: resultFor(address, "built", { id: "built" }) }],
});

const inline = (onRestart: OnRestart): Behaviour => ({
  calls,
  meets: ["marked"],
  origins: ["sync"],
  onRestart,
  texts: [later],
  tools: ({ began, life }) => [
    defineTool({
      ...base,
      onRestart,
      inline: (_, call) => {
        began(call);
        return `worked in life ${life}`;
      },
    }),
  ],
});

/** Any text would wake the thread early: none follows. */
const passiveRun: Behaviour = {
  ...handed,
  onRestart: "fail",
  tools: (outside) => [defineTool({ ...base, passive: true, run: works(outside) })],
};

const passiveByHand: Behaviour = {
  ...acknowledged,
  onRestart: "again",
  tools: ({ began }) => [
    defineTool({ ...base, onRestart: "again", passive: true, dispatch: (_, call) => began(call) }),
  ],
  deliveries: (address) => [{ id: "built", envelope: resultFor(address, "built", { id: "built" }) }],
};

const events = ["one", "two", "three"];

/** Three events, or those behind `last`; the third is the last. */
async function* source(last = ""): AsyncGenerator<ProducerEvent> {
  for (const text of events.slice(events.indexOf(last) + 1))
    yield { text, id: text, associative: true, final: text === "three" };
}

const subscribes = (outside: Outside) => async (_: unknown, call: Call) => {
  outside.began(call);
  await outside.talked;
  return { started: `watching in life ${outside.life}`, events: source() };
};

const resumed: Behaviour = {
  ...handed,
  onRestart: "again",
  texts: [later],
  events,
  eventsAfterRestart: "go on",
  tools: (outside) => [
    defineTool({
      ...base,
      onRestart: "again",
      subscribe: subscribes(outside),
      resume: (_, __, last) => ({ started: "", events: source(last) }),
    }),
  ],
};

const notResumed: Behaviour = {
  ...handed,
  onRestart: "fail",
  texts: [later],
  events,
  eventsAfterRestart: "end",
  tools: (outside) => [defineTool({ ...base, subscribe: subscribes(outside) })],
};

/** The subscription is confirmed, and its events are delivered, by a webhook. */
const subscribedByHand: Behaviour = {
  ...acknowledged,
  onRestart: "again",
  texts: [later],
  events: ["one", "two"],
  eventsAfterRestart: "go on",
  tools: ({ began }) => [defineTool({ ...base, onRestart: "again", dispatch: (_, call) => began(call) })],
  deliveries: (address) => [
    { id: "watching", envelope: resultFor(address, "watching", { id: "watching", subscription: true }) },
    { id: "one", envelope: eventFor(address, { id: "one", text: "one", associative: true }) },
    { id: "two", envelope: eventFor(address, { id: "two", text: "two", associative: true, final: true }) },
  ],
};

/** The tool never ends; the user writes instead of waiting for it. */
const interrupted: Behaviour = {
  calls,
  meets: ["marked", "handed-over"],
  origins: ["interrupted"],
  onRestart: "fail",
  texts: [later, { id: "stop", whileBusy: "interrupt" }],
  tools: ({ began }) => [
    defineTool({
      ...base,
      run: (_, call) => {
        began(call);
        return new Promise(() => {});
      },
    }),
  ],
};

const sleeping = (seconds: number, passes: number): Behaviour => ({
  calls: [{ name: "sleep", args: { seconds } }],
  meets: [],
  origins: ["timer"],
  onRestart: "fail",
  passes,
});

const refused: Behaviour = {
  calls: [{ name: "nobody" }, { name: "sleep", args: { seconds: "soon" } }],
  meets: [],
  origins: ["unknown_tool", "validation"],
  onRestart: "fail",
};

export const behaviours: Readonly<Record<string, Behaviour>> = {
  "run, again": run("again"),
  "run, fail": run("fail"),
  "dispatch by hand, again": byHand("again"),
  "dispatch by hand, fail": byHand("fail"),
  "inline, again": inline("again"),
  "inline, fail": inline("fail"),
  "passive run": passiveRun,
  "passive dispatch by hand": passiveByHand,
  "subscribe with resume": resumed,
  "subscribe without resume": notResumed,
  "subscribe by hand": subscribedByHand,
  "run that the user interrupts": interrupted,
  "sleep that is over at the restart": sleeping(60, 60_000),
  "sleep that is not over at the restart": sleeping(129_600, 0),
  "calls that are refused": refused,
};
