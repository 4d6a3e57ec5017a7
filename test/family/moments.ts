import { ReplaySubject, type Subject } from "rxjs";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  memoryStore,
  type ProducerEvent,
  type Store,
  type System,
  silentLogger,
  type ToolCall,
} from "../../src/index.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";
import { call, calls, modelOf, quiet, spawn } from "./tree.ts";

/** What its owner does to a thread, from outside. */
export type Control = "halt" | "close" | "interrupt";
/** Whom: by its place in the family, because ids are made while the story runs. */
export type Whom = "root" | "child" | "grandchild" | "event child";

export interface SteppingIn {
  readonly kind: Control;
  readonly whom: Whom;
  readonly at: number;
}

/** At which moments something is done to the story; each is counted from its beginning. */
export interface Plan {
  readonly control?: SteppingIn;
  /** Somebody else steps in too, perhaps before. */
  readonly another?: SteppingIn;
  /** The process ends in the middle of everything, and another begins on the same store. */
  readonly crash?: number;
}

export interface Played {
  readonly system: System;
  readonly store: Store;
  /** How many moments the story had. */
  readonly moments: number;
  /** What happened at which moment, for people. */
  readonly log: readonly string[];
  /** The thread that the control reached; undefined: there was none of that place at that moment. */
  readonly reached: string | undefined;
  /** Calls whose tools still work in the process that lives, and were not told to stop. */
  readonly atWork: () => readonly string[];
  /** Sources that somebody still listens to. */
  readonly listenedTo: () => number;
  /** Lets everything go on until nothing moves, and the clock runs on by `ms`. */
  readonly goOn: (ms?: number) => Promise<void>;
  /** Tells a thread something, also when the process ends before it has answered, and lets everything go on. */
  readonly tell: (threadId: string, input: object) => Promise<void>;
}

/**
 * A family in which everything happens: calls of every form, a child and its child, sources of both kinds of events,
 * children for those, reports, messages. Each call of the store, each request and each tool that begins is a moment, before
 * and after; a plan says at which of them its owner steps in, or the process dies.
 */
export const playFamily = async (plan: Plan = {}): Promise<Played> => {
  const raw = memoryStore();
  const clock = virtualClock(1_000);
  const log: string[] = [];
  let life = 0;
  let moments = 0;
  let system: System | undefined;
  let reached: string | undefined;
  const works = new Map<string, { readonly signal: AbortSignal; readonly life: number; done: boolean }>();
  const sources: { readonly source: Subject<ProducerEvent>; readonly life: number }[] = [];

  const find = async (whom: Whom): Promise<string | undefined> => {
    if (whom === "root") return "root";
    const below = await raw.threads({ parent: "root" as never });
    const kinds = await Promise.all(below.map(async ({ threadId }) => (await raw.load(threadId))?.opening?.kind));
    const child = below[kinds.indexOf("spawned")]?.threadId;
    if (whom === "child") return child;
    if (whom === "event child") return below[kinds.indexOf("event")]?.threadId;
    return child && (await raw.threads({ parent: child }))[0]?.threadId;
  };
  const stepIn = async (control: SteppingIn): Promise<void> => {
    const { kind, whom } = control;
    const threadId = await find(whom);
    if (!threadId) return;
    if (control === plan.control) reached = threadId;
    await system
      ?.deliver({ threadId, dedupId: control === plan.control ? "stepped in" : "another", input: { kind } })
      .catch(() => {});
  };
  /** Something begins or has ended. */
  const moment = (what: string): void => {
    const now = moments++;
    log.push(`${now} ${what}`);
    for (const control of [plan.control, plan.another]) if (control?.at === now) void stepIn(control);
    if (plan.crash === now) {
      life++;
      log.push("crash");
    }
  };

  const open = async (): Promise<System> => {
    const mine = life;
    const lives = () => life === mine;
    const dead = new Promise<never>(() => {});
    const store = new Proxy(raw, {
      get(target, name: keyof Store) {
        const original = target[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
        if (!original) return undefined;
        return async (...args: unknown[]) => {
          if (!lives()) return dead;
          moment(`before ${name}`);
          if (!lives()) return dead;
          const value = await original.apply(target, args);
          if (!lives()) return dead;
          moment(`after ${name}`);
          return lives() ? value : dead;
        };
      },
    });
    const begin = (name: string, { id, signal }: ToolCall) => {
      const work = { signal, life: mine, done: false };
      works.set(`${name} ${id}`, work);
      moment(`tool ${name}`);
      return work;
    };
    const inputSchema = z.object({});
    const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(() => lives() && resolve(), ms));
    const run = (name: string, ms: number) => async (_: object, toolCall: ToolCall) => {
      const work = begin(name, toolCall);
      await wait(ms);
      work.done = true;
      return `${name} done`;
    };
    const tools = [
      defineTool({ name: "work", description: "Works.", inputSchema, run: run("work", 1_000) }),
      defineTool({ name: "doze", description: "Dozes.", inputSchema, passive: true, run: run("doze", 60_000) }),
      defineTool({
        name: "look",
        description: "Looks.",
        inputSchema,
        inline: async (_, toolCall) => {
          const work = begin("look", toolCall);
          await wait(100);
          work.done = true;
          return "seen";
        },
      }),
      defineTool({
        name: "watch",
        description: "Watches.",
        inputSchema,
        subscribe: (_, toolCall) => {
          begin("watch", toolCall).done = true;
          const source = new ReplaySubject<ProducerEvent>();
          sources.push({ source, life: mine });
          const say = (ms: number, event: ProducerEvent) =>
            clock.setTimeout(() => lives() && !toolCall.signal.aborted && source.next(event), ms);
          say(200, { text: "threaded 1" });
          say(1_500, { text: "threaded 2" });
          say(1_600, { text: "associative", associative: true });
          say(4_000, { text: "last", associative: true, final: true });
          return { started: "watching", events: source };
        },
      }),
    ];
    const model = modelOf(({ id, stack, nth, last }) => {
      if (!lives()) return new Promise<never>(() => {});
      moment("request");
      if (!id) {
        if (nth === 1) return calls(call("work"), call("watch"), call("doze"), spawn("part"));
        if (last.includes("associative")) return calls(call("look"));
        if (last.includes("half")) return calls(call("doze"));
        return "ok";
      }
      if (last.includes("threaded")) return calls(call("look"), call("work"));
      if (stack.length === 3) return nth === 1 ? calls(call("sleep_until_event_or_input")) : "ok";
      if (nth === 1) return calls(call("look"), spawn("detail", stack));
      if (nth === 2) return calls(call("report_to_parent", { report: "half" }), call("work"), call("doze"));
      return "ok";
    });
    return createSystem(
      { model, store, clock, logger: silentLogger, tools, limits: { hibernateAfter: 300, restarts: 1e6 } },
      { freshId: freshIds() },
    );
  };
  let ids = 0;
  const freshIds = () => () => `id${++ids}`;

  const begin = async (): Promise<void> => {
    const mine = life;
    const opened = open().then(async (made) => {
      if (life !== mine) return;
      system = made;
      const root = await made.open("root");
      await root.send("go", { id: "go" });
    });
    opened.catch((error) => log.push(`failed: ${error}`));
    for (let turn = 0; turn < 8 && life === mine; turn++) await quiet(1);
  };
  let begun = -1;
  const goOn = async (ms = 8_000): Promise<void> => {
    const until = clock.now() + ms;
    for (;;) {
      if (begun !== life) {
        begun = life;
        await begin();
      }
      await quiet(4);
      if (begun !== life) continue;
      const [next] = clock.due;
      if (next === undefined || next > until) break;
      await clock.advance(next - clock.now(), () => quiet(1));
    }
    await clock.advance(until - clock.now(), () => quiet(1));
    await quiet(4);
  };
  await goOn();
  if (!system) throw new Error("the system did not begin");
  return {
    get system() {
      return system as System;
    },
    store: raw,
    log,
    get moments() {
      return moments;
    },
    reached,
    atWork: () =>
      [...works].flatMap(([name, { signal, life: its, done }]) =>
        its === life && !done && !signal.aborted ? [name] : [],
      ),
    listenedTo: () => sources.filter(({ source, life: its }) => its === life && source.observed).length,
    goOn,
    async tell(threadId, input) {
      const dedupId = `told ${++ids}`;
      for (let isTold = false; !isTold; ) {
        const told = system?.deliver({ threadId, dedupId, input }).then(
          () => {
            isTold = true;
          },
          // It has closed.
          () => {
            isTold = true;
          },
        );
        await goOn();
        if (isTold) await told;
      }
    },
  };
};
