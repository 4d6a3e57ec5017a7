import { handOverOf, requestOf } from "./effect.ts";
import { callsToHandOver, inlineCalls, ledgerOf } from "./ledger.ts";
import { threadSetup } from "./setup.ts";

/** A thread: what it may do, and when. The guards are in `guards.ts`, what the actions do in `setup.ts`. */
export const threadMachine = threadSetup.createMachine({
  id: "thread",
  context: ({ input }) => ledgerOf(input),
  initial: "waking",
  on: {
    "inputs.accepted": {
      target: ".deciding",
      description: "At rest, every input is judged against record and inbox at once.",
      actions: { type: "sort", params: ({ event }) => ({ inputs: event.inputs }) },
    },
    "configuration.changed": { actions: "unconfigure" },
    "system.stopping": { target: ".stopped" },
    "system.leaving": { actions: "leave", description: "No round begins any more; what goes on ends as it would." },
  },
  states: {
    waking: {
      description: "The thread comes into memory: its inbox is judged, and calls that a dead process left behind.",
      always: [
        {
          guard: "diedTooOften",
          target: "running.recovering",
          description: "Each time it was begun again the process died over it: it is set aside, and harms no other.",
          actions: ["wake", "setAside"],
        },
        {
          guard: "wasLeftAtWork",
          target: "running.recovering",
          description: "A process died while it was at work: that is counted before it is begun again.",
          actions: ["wake", "countRestart"],
        },
        { target: "deciding", actions: "wake" },
      ],
    },
    deciding: {
      description: "Never rested in: record and inbox say what comes next, live and on load alike.",
      always: [
        {
          guard: "isClosed",
          target: "closed",
          description: "Its children have ended, and its parent is told by the commit that said so.",
        },
        {
          guard: "closeWaits",
          target: "running.committing",
          description:
            "Everything outstanding is settled, subscriptions end, children are told; what waits is discarded.",
          actions: "beginClosing",
        },
        {
          guard: "haltWaits",
          target: "running.committing",
          description: "Everything outstanding is settled, and what could be deferred is discarded, here and below.",
          actions: "halt",
        },
        {
          guard: "releaseWaits",
          target: "running.recovering",
          description: "A person lets it go on, or wrote to it.",
          actions: "release",
        },
        { guard: "isSetAside", target: "resting", description: "What waits goes on waiting." },
        {
          guard: "handsOver",
          target: "running.dispatching",
          description: "Calls that are durable and not handed over come first: a commit was followed by a crash.",
        },
        { guard: "callsInline", target: "running.callingInline", description: "The same for inline calls." },
        {
          guard: "leavesRound",
          target: "stopped",
          description: "The time of this slice is used up: what waits is begun by the next.",
        },
        {
          guard: "stopWaits",
          target: "running.preparing",
          description: "An interrupt without text settles what is outstanding and releases the deferred.",
          actions: ["beginSlice", { type: "interrupt", params: { by: "control" } }],
        },
        {
          guard: "stopFollows",
          target: "running.preparing",
          description: "What waits goes into the history, and the model is asked nothing.",
          actions: ["beginSlice", "wakeEarly"],
        },
        {
          guard: "controlWaits",
          target: "deciding",
          reenter: true,
          description: "An interrupt that finds nothing to interrupt is acted on by doing nothing.",
          actions: "dropControls",
        },
        {
          guard: "textInterrupts",
          target: "running.preparing",
          description: "R6: the user is heard. Calls without a result are settled as interrupted.",
          actions: ["beginSlice", { type: "interrupt", params: { by: "text" } }],
        },
        {
          guard: "compacts",
          target: "running.compacting",
          description: "The conversation fills its model's window, or somebody asks: its beginning is summarised.",
          actions: "beginCompaction",
        },
        {
          guard: "compactsNothing",
          target: "running.recovering",
          description: "Somebody asks, and there is nothing to summarise, or the thread closes.",
          actions: "dropCompact",
        },
        {
          guard: "roundIsDue",
          target: "running.preparing",
          description: "The slice goes on: the model reads the results of inline calls, with nothing between.",
          actions: "goOn",
        },
        {
          guard: "batchWaits",
          target: "running.preparing",
          description: "R4 holds nothing back: all that waits is one batch, and waits are woken early.",
          actions: ["beginSlice", "wakeEarly"],
        },
        {
          guard: "lossWaits",
          target: "running.committing",
          description:
            "A process died over an inline call, and other work goes on: the record no longer says that it runs.",
          actions: "closeLostInline",
        },
        {
          guard: "quietWaits",
          target: "running.committing",
          description: "What asks the model nothing: a child is opened or has ended. Waits sleep on.",
          actions: ["takeQuiet", "closeQuiet"],
        },
        { target: "resting" },
      ],
    },
    resting: {
      description: "Never rested in: what is outstanding says where the thread rests.",
      always: [
        { guard: "activeCallOutstanding", target: "awaitingActiveCall" },
        { guard: "passiveCallOutstanding", target: "idlePassive" },
        { guard: "subscriptionActive", target: "subscribed" },
        { target: "idle" },
      ],
    },
    running: {
      description: "A slice is under way. Inputs are kept and judged by the state that follows.",
      initial: "preparing",
      on: {
        "inputs.accepted": { actions: { type: "sort", params: ({ event }) => ({ inputs: event.inputs }) } },
        "system.stopping": { actions: { type: "stop", params: ({ event }) => ({ at: event.at }) } },
      },
      states: {
        compacting: {
          description:
            "One request covers the view up to a safe point. The history stays; requests begin with the summary.",
          initial: "preparing",
          states: {
            preparing: {
              description: "What is to be summarised is read.",
              on: {
                "system.stopping": "#thread.stopped",
                "inputs.accepted": [
                  {
                    guard: { type: "bringsInterruption", params: ({ event }) => ({ inputs: event.inputs }) },
                    target: "keeping",
                    actions: [{ type: "sort", params: ({ event }) => ({ inputs: event.inputs }) }, "giveUpCompaction"],
                  },
                  { actions: { type: "sort", params: ({ event }) => ({ inputs: event.inputs }) } },
                ],
              },
              invoke: {
                id: "gather",
                src: "gather",
                input: ({ context }) => ({ threadId: context.threadId, upTo: context.compaction?.upTo ?? 0 }),
                onDone: {
                  target: "asking",
                  actions: { type: "measure", params: ({ event }) => ({ size: event.output.size }) },
                },
              },
            },
            asking: {
              description: "A request for a summary is open. Nobody reads along: it is no part of the conversation.",
              invoke: {
                id: "round",
                src: "round",
                input: ({ context }) => ({
                  threadId: context.threadId,
                  request: { threadId: context.threadId, entries: [], causes: [], summarises: true },
                  limits: context.limits.round,
                  attempt: 1,
                }),
                onDone: [
                  {
                    guard: "isStopping",
                    target: "#thread.stopped",
                    description: "The next start asks for it again.",
                  },
                  {
                    target: "keeping",
                    actions: { type: "closeCompaction", params: ({ event }) => ({ output: event.output }) },
                  },
                ],
              },
              initial: "open",
              states: {
                open: {
                  on: {
                    "system.stopping": {
                      target: "interrupting",
                      actions: [{ type: "stop", params: ({ event }) => ({ at: event.at }) }, "cutRound"],
                    },
                    "inputs.accepted": [
                      {
                        guard: { type: "bringsInterruption", params: ({ event }) => ({ inputs: event.inputs }) },
                        target: "interrupting",
                        actions: [{ type: "sort", params: ({ event }) => ({ inputs: event.inputs }) }, "cutRound"],
                      },
                      { actions: { type: "sort", params: ({ event }) => ({ inputs: event.inputs }) } },
                    ],
                  },
                },
                interrupting: { description: "The summary is given up: who writes is not kept waiting (R6)." },
              },
            },
            keeping: {
              description: "One transaction: the summary, or that there is none.",
              invoke: {
                id: "commit",
                src: "commit",
                input: ({ context }) => context.commit,
                onDone: [
                  { guard: "isStopping", target: "#thread.stopped", actions: "forgetCommit" },
                  { target: "#thread.deciding", actions: "forgetCommit" },
                ],
              },
            },
          },
        },
        recovering: {
          description: "One transaction: what is noted of a thread that a process died over comes before what it does.",
          invoke: {
            id: "commit",
            src: "commit",
            input: ({ context }) => context.commit,
            onDone: [
              { guard: "isStopping", target: "#thread.stopped", actions: "forgetCommit" },
              { target: "#thread.deciding", actions: "forgetCommit" },
            ],
          },
        },
        preparing: {
          description: "History and configuration are there, or are loaded. What arrives meanwhile joins the batch.",
          initial: "checking",
          states: {
            checking: {
              description: "A resident thread has both already, and goes on in the same breath.",
              always: [
                {
                  guard: "ownerStops",
                  target: "#thread.deciding",
                  description: "It was halted, or is to close: the slice has not begun.",
                },
                {
                  guard: "isLeaving",
                  target: "#thread.stopped",
                  description: "The time is used up before the round has begun: its inputs wait.",
                },
                { guard: "lacksConfiguration", target: "loading" },
                {
                  guard: "budgetIsReached",
                  target: "#thread.running.committing",
                  description:
                    "Nothing is left for a round: what waits goes where a halt puts it, and the tree is halted.",
                  actions: {
                    type: "haltForBudget",
                    params: ({ context }) => ({ tree: context.tree, at: context.now }),
                  },
                },
                { guard: "mayAsk", target: "#thread.running.completing", actions: "takeBatch" },
                {
                  target: "#thread.running.committing",
                  description: "A slice may have no round: it was stopped, or its rounds are used up.",
                  actions: ["takeBatch", "closeWithoutRound"],
                },
              ],
            },
            loading: {
              description: "The first slice since the thread came into memory, or since something changed.",
              on: {
                "system.stopping": { target: "#thread.stopped", description: "The slice has not begun." },
                "configuration.changed": {
                  target: "loading",
                  reenter: true,
                  description: "What is being loaded is out of date already.",
                },
              },
              invoke: {
                id: "prepare",
                src: "prepare",
                input: ({ context }) => ({ threadId: context.threadId, keepsConfiguration: context.configured }),
                onDone: [
                  {
                    guard: { type: "isDamaged", params: ({ event }) => ({ repair: event.output.repair }) },
                    target: "mending",
                    actions: { type: "mend", params: ({ event }) => ({ repair: event.output.repair }) },
                  },
                  {
                    target: "checking",
                    actions: { type: "configure", params: ({ event }) => event.output },
                  },
                ],
              },
            },
            mending: {
              description: "R5: a history that was damaged is mended first, by a commit of its own, and read again.",
              invoke: {
                id: "commit",
                src: "commit",
                input: ({ context }) => context.commit,
                onDone: [
                  { guard: "isStopping", target: "#thread.stopped", actions: "forgetCommit" },
                  { target: "#thread.deciding", actions: "forgetCommit" },
                ],
              },
            },
          },
        },
        completing: {
          description: "A request to the model is open, or waits a short while to be tried again.",
          invoke: {
            id: "round",
            src: "round",
            input: ({ context }) => ({
              threadId: context.threadId,
              request: requestOf(context),
              limits: context.limits.round,
              attempt: context.slice.attempt,
            }),
            onDone: [
              {
                guard: { type: "isUnheard", params: ({ event }) => ({ output: event.output }) },
                target: "#thread.stopped",
                description: "The stop came before the model had said anything: the next start asks again.",
              },
              {
                guard: { type: "isTooLong", params: ({ event }) => ({ output: event.output }) },
                target: "committing",
                description:
                  "Refused for its length: what waited is kept, the beginning is summarised, and it is asked again.",
                actions: { type: "closeTooLong", params: ({ event }) => ({ output: event.output }) },
              },
              {
                target: "committing",
                actions: { type: "closeTurn", params: ({ event }) => ({ output: event.output }) },
              },
            ],
          },
          initial: "open",
          states: {
            open: {
              on: {
                "system.stopping": {
                  target: "interrupting",
                  description: "What is visible is kept, and the thread rests with it.",
                  actions: [{ type: "stop", params: ({ event }) => ({ at: event.at }) }, "cutRound"],
                },
                "inputs.accepted": [
                  {
                    guard: { type: "bringsInterruption", params: ({ event }) => ({ inputs: event.inputs }) },
                    target: "interrupting",
                    actions: [{ type: "sort", params: ({ event }) => ({ inputs: event.inputs }) }, "cutRound"],
                  },
                  { actions: { type: "sort", params: ({ event }) => ({ inputs: event.inputs }) } },
                ],
              },
            },
            interrupting: {
              description: "The round was told to stop; it lives until it has handed back what is kept.",
            },
          },
        },
        committing: {
          description: "One transaction: history, inputs, calls, subscriptions, timers, facts.",
          invoke: {
            id: "commit",
            src: "commit",
            input: ({ context }) => context.commit,
            onDone: [
              { guard: "isStopping", target: "#thread.stopped", actions: "forgetCommit" },
              {
                guard: { type: "reachesBudget", params: ({ event }) => ({ tree: event.output.tree }) },
                target: "committing",
                reenter: true,
                description: "The turn is kept; its calls are settled as a halt settles them, and the tree is halted.",
                actions: {
                  type: "haltForBudget",
                  params: ({ event }) => ({ tree: event.output.tree, at: event.output.at }),
                },
              },
              { guard: "handsOver", target: "dispatching", actions: "forgetCommit" },
              {
                guard: "inlineOvertaken",
                target: "committing",
                reenter: true,
                description: "An interruption came before the inline calls could begin: they are not begun.",
                actions: { type: "skipInline", params: ({ event }) => ({ at: event.output.at }) },
              },
              { guard: "callsInline", target: "callingInline", actions: "forgetCommit" },
              { target: "#thread.deciding", actions: "forgetCommit" },
            ],
          },
        },
        dispatching: {
          description: "R7: calls are marked started, then handed over. No acknowledgement is waited for.",
          invoke: {
            id: "dispatch",
            src: "dispatch",
            input: ({ context }) => handOverOf(context, callsToHandOver(context)),
            onDone: [
              { guard: "isStopping", target: "#thread.stopped", actions: "markStarted" },
              {
                guard: "inlineOvertaken",
                target: "committing",
                actions: ["markStarted", { type: "skipInline", params: ({ event }) => ({ at: event.output.at }) }],
              },
              { guard: "callsInline", target: "callingInline", actions: "markStarted" },
              { target: "#thread.deciding", actions: "markStarted" },
            ],
          },
        },
        callingInline: {
          description: "Inline tools of the turn run; dispatched ones are on their way already.",
          invoke: {
            id: "inline",
            src: "inline",
            input: ({ context }) => handOverOf(context, inlineCalls(context)),
            onDone: {
              target: "committing",
              actions: { type: "closeInline", params: ({ event }) => ({ output: event.output }) },
            },
          },
          initial: "open",
          states: {
            open: {
              on: {
                "system.stopping": {
                  target: "interrupting",
                  actions: [{ type: "stop", params: ({ event }) => ({ at: event.at }) }, "cutInline"],
                },
                "inputs.accepted": [
                  {
                    guard: { type: "bringsInterruption", params: ({ event }) => ({ inputs: event.inputs }) },
                    target: "interrupting",
                    actions: [{ type: "sort", params: ({ event }) => ({ inputs: event.inputs }) }, "cutInline"],
                  },
                  { actions: { type: "sort", params: ({ event }) => ({ inputs: event.inputs }) } },
                ],
              },
            },
            interrupting: {
              description: "Signals are aborted. What has finished is kept, the rest is settled as interrupted.",
            },
          },
        },
      },
    },
    awaitingActiveCall: {
      description: "Work is in flight. Deferrable inputs are held back (R4).",
      entry: "announceDeferred",
    },
    idlePassive: { description: "Only waits are outstanding: anything wakes the thread." },
    subscribed: { description: "Nothing is outstanding; events can come." },
    idle: { description: "Nothing is outstanding, nothing is expected. Costs nothing until the next input." },
    closed: { type: "final", description: "The thread has ended. What comes is refused." },
    stopped: { type: "final", description: "The process leaves the thread; its store has it as it is." },
  },
});
