/** One place of the source, changed. `from` stands there exactly once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A fault of the runtime that somebody could make, and that breaks a promise. */
export interface Fault {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** What the simulation is given beside seeds. */
  readonly flags: readonly string[];
}

const crashes = ["--crashes"];

export const faults: readonly Fault[] = [
  {
    name: "a deferred input dropped on restart",
    edits: [
      {
        file: "machines/thread/wake.ts",
        from: "sortIn({ ...asleep, inbox: [] }, asleep.inbox);",
        to: 'sortIn({ ...asleep, inbox: [] }, asleep.inbox.filter(({ input }) => input.kind !== "event"));',
      },
    ],
    flags: crashes,
  },
  {
    name: "dispatch before commit",
    edits: [
      {
        file: "src/thread/effects.ts",
        from: "const committed = await resident.commit(input);",
        to: `const { toolset } = await resident.configuredOnce();
        const early = input.calls.made.filter(({ form }) => form === "run" || form === "dispatch" || form === "subscribe");
        registry.handOver(
          early.map((call) => ({ call, tool: toolset.get(call.name), about: aboutOf(resident, "") })),
          () => {},
        );
        const committed = await resident.commit(input);`,
      },
    ],
    flags: [],
  },
  {
    name: "a forgotten dedup key",
    edits: [
      {
        file: "src/store/memory/thread-row.ts",
        from: "row.seen.add(key);",
        to: 'if (input.kind !== "event") row.seen.add(key);',
      },
    ],
    flags: [],
  },
  {
    name: "deferred inputs released on a stale result",
    edits: [
      {
        file: "machines/thread/judge.ts",
        from: 'if (!call || call.form === "inline" || call.status === "proposed") return "call-not-outstanding";',
        to: 'if (!call || call.form === "inline" || call.status === "proposed") return hasActive(ledger) && !call ? "keep" : "call-not-outstanding";',
      },
      {
        file: "machines/thread/judge.ts",
        from: "const isActive =",
        to: "const hasActive = ({ calls }: Ledger): boolean => calls.some(({ passive }) => !passive);\n\nconst isActive =",
      },
      {
        file: "machines/thread/settle.ts",
        from: "facts: [...slice.facts, ...entries",
        to: `facts: [
          ...slice.facts,
          ...answers
            .filter(({ input }) => !ledger.calls.some(({ callId }) => callId === input.callId))
            .map(({ dedupId, input }) => ({
              type: "input.discarded" as const,
              dedupId,
              kind: input.kind,
              callId: input.callId,
              reason: "call-not-outstanding" as const,
            })),
          ...entries`,
      },
      {
        file: "machines/thread/decide.ts",
        from: "!hasActiveUnanswered(ledger) && (ledger.lost.length > 0 ||",
        to: "(!hasActiveUnanswered(ledger) || ledger.inbox.some((one) => isAnswer(one) && !ledger.calls.some(({ callId }) => callId === one.input.callId))) && (ledger.lost.length > 0 ||",
      },
    ],
    flags: [],
  },
  {
    name: "a finished tool run again",
    edits: [
      {
        file: "machines/thread/wake.ts",
        from: "&& !working.includes(callId) && !answerTo(ledger, callId),",
        to: "&& !working.includes(callId),",
      },
      {
        file: "machines/thread/ledger.ts",
        from: 'unanswered(ledger).filter(({ form, status }) => status === "committed" && form !== "inline" && form !== "builtin");',
        to: 'ledger.calls.filter(({ form, status }) => status === "committed" && form !== "inline" && form !== "builtin");',
      },
      {
        file: "src/thread/effects.ts",
        from: "calls.filter(({ callId }) => !answerTo(resident.snapshot.context, callId));",
        to: "calls;",
      },
    ],
    flags: crashes,
  },
  {
    name: "a result accepted and not consumed",
    edits: [
      {
        file: "machines/thread/settle.ts",
        from: "consumed: [...slice.consumed, ...answers.map(({ seq }) => seq)],",
        to: "consumed: [...slice.consumed, ...answers.slice(1).map(({ seq }) => seq)],",
      },
    ],
    flags: [],
  },
  {
    name: "a lease ignored",
    edits: [
      {
        file: "src/store/sqlite/leases.ts",
        from: "if (by !== holder) return",
        to: "if (by === null) return",
      },
    ],
    flags: ["--crashes", "--store", "sqlite"],
  },
  {
    name: "a report sent before its commit",
    edits: [
      {
        file: "src/thread/resident.ts",
        from: "const outcome = await this.#persisted(commit, at);",
        to: `const reports = commit.sent.filter(({ input }) => input.kind === "report");
          for (const one of reports) {
            const [taken] = await this.#env.store.accept([deliveryOf(one, at)], { inboxLimit: 1_000 });
            if (taken?.status === "accepted") this.#env.delivered(one.threadId, [{ ...taken, facts: [] }]);
          }
          const outcome = await this.#persisted(commit, at);`,
      },
      {
        file: "src/thread/resident.ts",
        from: "import { persist,",
        to: 'import { deliveryOf } from "../store/delivery.ts";\nimport { persist,',
      },
    ],
    flags: crashes,
  },
  {
    name: "a timer armed twice",
    edits: [
      {
        file: "src/system/timers.ts",
        from: "await deliver(late.map(timerEnvelope));",
        to: `await deliver(
          [...late, ...late].map((timer, index) => ({ ...timerEnvelope(timer), dedupId: \`\${timer.due}.\${index}\` })),
        );`,
      },
    ],
    flags: [],
  },
  {
    name: "an event's child opened twice",
    edits: [
      {
        file: "machines/thread/intake.ts",
        from: "slice: { ...slice, bornChildren: [...slice.bornChildren, thread] },",
        to: `slice: {
          ...slice,
          bornChildren: [...slice.bornChildren, thread, { ...thread, threadId: (thread.threadId + ".b") as ThreadId }],
        },`,
      },
    ],
    flags: [],
  },
  {
    name: "a call made before its approval",
    edits: [
      {
        file: "machines/thread/ledger.ts",
        from: 'unanswered(ledger).filter(({ form, status }) => status === "committed" && form !== "inline" && form !== "builtin");',
        to: 'unanswered(ledger).filter(({ form, status }) => status !== "started" && status !== "acknowledged" && form !== "inline" && form !== "builtin");',
      },
    ],
    flags: [],
  },
  {
    name: "an answer that does not reach its tool",
    edits: [
      {
        file: "src/thread/resident.ts",
        from: "if (answer) registry.answer(",
        to: "if (answer?.expired) registry.answer(",
      },
    ],
    flags: [],
  },
  {
    name: "a result discarded for what is not durable",
    edits: [
      {
        file: "machines/thread/judge.ts",
        from: 'if (judgement !== "hand over" && fallsWithSlice(',
        to: 'if (judgement === "not-due" && fallsWithSlice(',
      },
    ],
    flags: crashes,
  },
  {
    name: "inputs read as they are told of",
    edits: [
      {
        file: "src/thread/hearing.ts",
        from: "return gap < 0 ? notices.length : gap;",
        to: "return gap < -1 ? gap : notices.length;",
      },
    ],
    flags: ["--crashes", "--store", "sqlite"],
  },
  {
    name: "a configuration that changes within a slice",
    edits: [
      {
        file: "machines/thread/setup.ts",
        from: "goOn: assign(({ context }) => ({ slice:",
        to: "goOn: assign(({ context }) => ({ configured: !context.configuresEachSlice, slice:",
      },
    ],
    flags: [],
  },
];
