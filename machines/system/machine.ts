import { assign, enqueueActions, setup } from "xstate";
import type { ThreadId } from "../history/ids.ts";
import { providedAction, providedActor } from "../thread/provided.ts";
import {
  arrived,
  begun,
  calledBack,
  enlist,
  type FoundPage,
  failed,
  failsTooOften,
  hasMoreToList,
  isThrough,
  leftAlone,
  mayBegin,
  newRoster,
  nextOnTrial,
  nextToBegin,
  putOnTrial,
  type Roster,
  rested,
  type SystemLimits,
  waitAfterFailure,
} from "./roster.ts";

/**
 * What reaches the system: how threads fare that it has an eye on, and word to stop. `thread.failed`: its actor ended in an
 * error. `thread.called`: a person wrote to a thread that was left alone, or released it.
 */
export type SystemEvent =
  | {
      readonly type: "thread.arrived" | "thread.rested" | "thread.failed" | "thread.called";
      readonly threadId: ThreadId;
    }
  | { readonly type: "thread.unreadable"; readonly threadId: ThreadId; readonly problem: string }
  | { readonly type: "system.stopping" };

/** ms that a thread which may have killed the process has to itself, and its like, before the next are begun. */
const trial = 5_000;
/** ms that commits under way have when the system stops. */
const farewell = 5_000;

/** What the chart asks of the runtime. */
type Effect =
  | { type: "begin"; params: Named & { wait: number } }
  | { type: "report"; params: Named & { problem: string } };

/** An action that changes the roster and asks for effects; typed here because `setup` cannot see its own actions. */
const withEffects = <Params extends object | undefined = undefined>(
  collect: (context: Roster, params: Params) => { readonly roster: Roster; readonly effects: readonly Effect[] },
) =>
  enqueueActions<Roster, SystemEvent, Params, SystemEvent, never, Effect, never, never, never>(
    ({ context, enqueue }, params) => {
      const { roster, effects } = collect(context, params);
      enqueue.assign(roster);
      for (const effect of effects) enqueue(effect);
    },
  );

const beginning = (threadIds: readonly ThreadId[], wait = 0): readonly Effect[] =>
  threadIds.map((threadId) => ({ type: "begin", params: { threadId, wait } }));

interface Named {
  readonly threadId: ThreadId;
}

const systemSetup = setup({
  types: { context: {} as Roster, events: {} as SystemEvent, input: {} as SystemLimits },
  actors: {
    /** Threads with work, the next page of them. Rejects when the store cannot be read. */
    list: providedActor<FoundPage, { after: ThreadId | null }>("list"),
    /** Lets everything that is under way come to its end. */
    drain: providedActor<void, undefined>("drain"),
  },
  guards: {
    mayBegin: ({ context }) => mayBegin(context),
    hasMoreToList: ({ context }) => hasMoreToList(context),
    isThrough: ({ context }) => isThrough(context),
    hasSuspects: ({ context }) => context.suspects.length > 0,
    trialIsOver: ({ context }) => context.onTrial.length === 0,
    failsTooOften: ({ context }, { threadId }: Named) => failsTooOften(failed(context, threadId), threadId),
    isAside: ({ context }, { threadId }: Named) => context.aside.includes(threadId),
  },
  actions: {
    /** Effect: brings a thread into memory, after `wait` ms; tells with `thread.arrived` when it is there, or cannot be. */
    begin: (_, _params: Named & { wait: number }) => providedAction("begin")(),
    /** Effect: tells the owner of the system that a thread is left alone, and why. */
    report: (_, _params: Named & { problem: string }) => providedAction("report")(),
    enlist: assign(({ context }, page: FoundPage) => enlist(context, page)),
    beginWaiting: withEffects((context) => {
      const next = nextToBegin(context);
      return { roster: begun(context, next), effects: beginning(next) };
    }),
    tryNext: withEffects((context) => {
      const next = nextOnTrial(context);
      return { roster: putOnTrial(context, next), effects: beginning(next) };
    }),
    strikeOff: assign(({ context }, { threadId }: Named) => arrived(context, threadId)),
    acquit: assign(({ context }, { threadId }: Named) => rested(context, threadId)),
    beginAgain: withEffects((context, { threadId }: Named) => {
      const roster = failed(context, threadId);
      return { roster, effects: beginning([threadId], waitAfterFailure(roster, threadId)) };
    }),
    leaveAlone: withEffects((context, { threadId, problem }: Named & { problem: string }) => ({
      roster: leftAlone(context, threadId),
      effects: [{ type: "report", params: { threadId, problem } }],
    })),
    callBack: withEffects((context, { threadId }: Named) => ({
      roster: calledBack(context, threadId),
      effects: beginning([threadId]),
    })),
    refuse: assign((_, { error }: { error: unknown }) => ({ refusal: error })),
  },
  delays: { trial, farewell },
});

/** The life of a system: what it takes up when it starts, in which order, and what it does about threads that fail. */
export const systemMachine = systemSetup.createMachine({
  id: "system",
  context: ({ input }) => newRoster(input),
  initial: "starting",
  states: {
    starting: {
      description: "The store is asked for threads with work: a system that cannot read it never begins.",
      on: { "system.stopping": "draining" },
      invoke: {
        id: "list",
        src: "list",
        input: ({ context }) => ({ after: context.after }),
        onDone: { target: "running", actions: { type: "enlist", params: ({ event }) => event.output } },
        onError: { target: "stopped", actions: { type: "refuse", params: ({ event }) => ({ error: event.error }) } },
      },
    },
    running: {
      description: "Threads work by themselves. What was left behind by the last life is taken up a few at a time.",
      initial: "takingUp",
      on: {
        "system.stopping": "draining",
        "thread.arrived": { actions: { type: "strikeOff", params: ({ event }) => event } },
        "thread.rested": { actions: { type: "acquit", params: ({ event }) => event } },
        "thread.failed": [
          {
            guard: { type: "failsTooOften", params: ({ event }) => event },
            description: "It cannot be begun, however often: it is left alone in this life.",
            actions: {
              type: "leaveAlone",
              params: ({ event: { threadId } }) => ({ threadId, problem: "its actor failed again and again" }),
            },
          },
          {
            description: "Its inputs are in the store: it is loaded anew after a wait.",
            actions: { type: "beginAgain", params: ({ event }) => event },
          },
        ],
        "thread.unreadable": {
          description: "Waiting mends nothing.",
          actions: { type: "leaveAlone", params: ({ event }) => event },
        },
        "thread.called": {
          guard: { type: "isAside", params: ({ event }) => event },
          description: "A person wants it to be tried again.",
          actions: { type: "callBack", params: ({ event }) => event },
        },
      },
      states: {
        takingUp: {
          description: "Threads that no process died over come first.",
          always: [
            { guard: "mayBegin", target: "takingUp", reenter: true, actions: "beginWaiting" },
            { guard: "hasMoreToList", target: "listing" },
            { guard: "isThrough", target: "trying" },
          ],
        },
        listing: {
          description: "The store is asked for more, once those that it named are on their way.",
          invoke: {
            id: "list",
            src: "list",
            input: ({ context }) => ({ after: context.after }),
            onDone: { target: "takingUp", actions: { type: "enlist", params: ({ event }) => event.output } },
            onError: {
              target: "trying",
              description: "The store cannot be read: threads are loaded when something comes for them.",
            },
          },
        },
        trying: {
          description:
            "One of these killed the process. They are begun in small groups, the next when all have rested.",
          always: [{ guard: "hasSuspects", target: "onTrial", actions: "tryNext" }, { target: "settled" }],
        },
        onTrial: {
          description: "A group of them works. If the process dies now, it was one of these.",
          always: { guard: "trialIsOver", target: "trying" },
          after: { trial: { target: "trying", description: "It works on, and has not killed the process so far." } },
        },
        settled: { description: "Everything is taken up." },
      },
    },
    draining: {
      description: "Nothing more is accepted or begun. Commits come to their end, within a limit.",
      invoke: {
        id: "drain",
        src: "drain",
        onDone: "stopped",
        onError: "stopped",
      },
      after: { farewell: "stopped" },
    },
    stopped: { type: "final", description: "The store has everything; the next system goes on from there." },
  },
});
