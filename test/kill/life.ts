import { type CrashPoint, onPoint } from "../../src/crash-points.ts";
import { silentLogger } from "../../src/logger.ts";
import type { ScriptedReply } from "../../src/model/scripted/scripted-model.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { createSender } from "../../src/queue/sender.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { createSystem } from "../../src/system/create.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import type { ToolCall } from "../../src/tool/call.ts";
import { type Behaviour, behaviours } from "./behaviours.ts";
import { type Notebook, notebook, notesIn } from "./notes.ts";

/** One process of a story: which store, which notes, how many processes there were with it, and where it dies. */
export interface Life {
  readonly file: string;
  readonly notes: string;
  /** From 1. */
  readonly life: number;
  readonly behaviour: string;
  /** The visit of the crash point, from 1, at which the process kills itself. */
  readonly dies?: { readonly point: CrashPoint; readonly visit: number };
}

/** What the world outside sees of a story. `id` is the sender's own, which it keeps over all tries. */
export type Note = { readonly life: number } & (
  | { readonly what: "sent"; readonly id: string }
  | { readonly what: "answered"; readonly id: string; readonly fresh: boolean }
  | { readonly what: "began"; readonly callId: string; readonly address: string }
  | { readonly what: "ended"; readonly trail: readonly CrashPoint[]; readonly refusals: readonly string[] }
);

/** What the tools of a story touch outside. */
export interface Outside {
  readonly life: number;
  /** Notes that work on a call begins. */
  began(call: Pick<ToolCall, "id" | "address">): void;
  /** Resolves once the texts behind the first are accepted. */
  readonly talked: Promise<void>;
}

const day = 86_400_000;

/** The second process begins a day after the first: the lease of the first is over, and so is a short sleep. */
export const beginningOf = (life: number): number => life * day;
export const threadId = "t";

/** Calls once, and says that it is done whenever it is asked again. */
const replyOf =
  ({ calls }: Behaviour): ScriptedReply =>
  ({ prompt }) => {
    const asked = prompt.some(
      (message) =>
        message.role === "assistant" &&
        message.content.some((part) => part.type === "tool-call" && calls.some(({ name }) => name === part.toolName)),
    );
    return asked ? "done" : { calls };
  };

const dieAt = ({ dies }: Life, trail: CrashPoint[]): (() => void) => {
  const visits = new Map<CrashPoint, number>();
  return onPoint((name) => {
    trail.push(name);
    const visit = (visits.get(name) ?? 0) + 1;
    visits.set(name, visit);
    if (dies?.point === name && dies.visit === visit) process.kill(process.pid, "SIGKILL");
  });
};

/** Sends what was not answered, under the same id; who sends does not know more than it noted. */
const teller = (life: number, notes: Notebook<Note>) => async (id: string, send: () => Promise<boolean>) => {
  notes.add({ life, what: "sent", id });
  notes.add({ life, what: "answered", id, fresh: await send() });
};

/** Lives one process of a story to its end, unless it dies before. */
export const live = async (one: Life): Promise<void> => {
  const { file, life } = one;
  const behaviour = behaviours[one.behaviour];
  if (!behaviour) throw new Error(`there is no behaviour ${one.behaviour}`);
  const notes = notebook<Note>(one.notes);
  const trail: CrashPoint[] = [];
  const unhook = dieAt(one, trail);
  const clock = virtualClock(beginningOf(life));
  const store = sqliteStore(file, { synchronous: "normal", logger: silentLogger });
  const model = scriptedModel(replyOf(behaviour), { strict: true });
  const talked = Promise.withResolvers<void>();
  const tools = behaviour.tools?.({
    life,
    talked: talked.promise,
    began: ({ id: callId, address }) => notes.add({ life, what: "began", callId, address }),
  });
  const system = await createSystem({
    model,
    store,
    clock,
    logger: silentLogger,
    random: () => 0.5,
    tools: tools ?? [],
    // The clock is turned by days; nothing else uses the file.
    limits: { lease: day / 2, pollInterval: day },
  });
  const thread = await system.open(threadId);
  const tell = teller(life, notes);
  await tell("go", () => thread.send("go", { id: "go" }));
  await settle();
  for (const { id, whileBusy } of behaviour.texts ?? []) await tell(id, () => thread.send(id, { id, whileBusy }));
  talked.resolve();
  await settle();

  const sender = createSender(store, { clock, logger: silentLogger });
  const addresses = new Set(notesIn<Note>(one.notes).flatMap((note) => (note.what === "began" ? [note.address] : [])));
  for (const address of addresses)
    for (const { id, envelope } of behaviour.deliveries?.(address) ?? []) {
      await tell(id, () => sender.send(envelope));
      await settle();
    }
  await clock.advance(life === 1 ? (behaviour.passes ?? 0) : 3 * day);

  const refusals = model.requests.flatMap((request) => request.refusals);
  unhook();
  await system.stop();
  await sender.stop();
  await store.close();
  notes.add({ life, what: "ended", trail, refusals });
};
