import type { CallId } from "../../../machines/history/ids.ts";
import { calls, callsInline, proposes, says, settle, spawns, turn, waits } from "./blocks.ts";
import { Fold, type GivenInput } from "./fold.ts";

/** A thread in each state that the table has a column for, each with a subscription to `watch` where it can be. */
const asking = (): Fold => {
  const fold = turn(settle(new Fold().accept({ kind: "text", text: "watch" })), spawns());
  turn(fold, calls("watch"));
  settle(
    fold.accept({
      kind: "result",
      callId: fold.call("watch"),
      content: [{ type: "text", text: "watching" }],
      subscription: true,
    }),
  );
  turn(fold, says("ok"));
  return settle(fold.accept({ kind: "text", text: "go" }));
};

/** The same thread, whose model's window is full after the turn that watches. */
const compacting = (): Fold => {
  const fold = asking();
  fold.window = 2;
  settle(fold.reconfigured().answered({ blocks: [says("ok")] }));
  return turn(fold.accept({ kind: "text", text: "on" }).prepared(), says("ok")).preparedSummary();
};

export const columns: Record<string, () => Fold> = {
  preparing: () => turn(asking(), says("ok")).reconfigured().accept({ kind: "text", text: "again" }),
  completing: asking,
  callingInline: () =>
    asking()
      .answered({ blocks: [callsInline("add"), calls("build")] })
      .committed()
      .dispatched(),
  compacting,
  committing: () => asking().answered({ blocks: [says("ok")] }),
  dispatching: () =>
    asking()
      .answered({ blocks: [calls("build"), waits("sleep")] })
      .committed(),
  awaitingActiveCall: () => turn(asking(), calls("build"), waits("sleep")),
  idlePassive: () => turn(asking(), waits("sleep")),
  subscribed: () => turn(asking(), says("ok")),
  idle: () => turn(settle(new Fold().accept({ kind: "text", text: "hello" })), says("ok")),
};

const result = (callId: CallId | undefined): GivenInput | undefined =>
  callId && { kind: "result", callId, content: [{ type: "text", text: "done" }] };
const outstanding = (fold: Fold, passive: boolean): CallId | undefined =>
  fold.context.calls.find((call) => call.passive === passive && call.form !== "inline")?.callId;
const event = (callId: CallId | undefined): GivenInput | undefined =>
  callId && { kind: "event", callId, text: "tick", associative: true };
const nobody = "t1#99.0" as CallId;

/** Rests on a call that waits for approval; a call that does not rest can have none. */
const proposed = (fold: Fold): { readonly fold: Fold; readonly callId: CallId } | undefined => {
  if (fold.state !== "awaitingActiveCall") return undefined;
  const asked = turn(asking(), proposes("remove"));
  return { fold: asked, callId: asked.call("remove") };
};
const answer = (choiceId: string, choice: string | number): GivenInput => ({ kind: "answer", choiceId, choice });

/** The inputs that the table has a row for; undefined where that input cannot exist. Some need a thread of their own. */
export const rows: Record<
  string,
  (fold: Fold) => GivenInput | { readonly fold: Fold; readonly input: GivenInput } | undefined
> = {
  "user text": () => ({ kind: "text", text: "stop" }),
  'text sent with `whileBusy: "wait"`': () => ({ kind: "text", text: "later", whileBusy: "wait" }),
  "result of an outstanding active call": (fold) => result(outstanding(fold, false)),
  "result or timer of an outstanding passive call": (fold) => result(outstanding(fold, true)),
  "result of a settled or unknown call": () => result(nobody),
  "associative event of a subscription": (fold) => event(fold.context.subscriptions[0]?.callId),
  "non-associative event of a subscription": (fold) => {
    const callId = fold.context.subscriptions[0]?.callId;
    return callId && { kind: "event", callId, text: "tick" };
  },
  "report of a child": (fold) => {
    const child = fold.context.children[0]?.threadId;
    return child && { kind: "report", child, text: "found" };
  },
  "event of an active call that is still outstanding": (fold) => event(outstanding(fold, false)),
  "event of a passive call": (fold) => event(outstanding(fold, true)),
  "event of an unknown or ended source": () => event(nobody),
  "approval of a proposed call": (given) => {
    const made = proposed(given);
    return made && { fold: made.fold, input: answer(made.callId, "approve") };
  },
  "denial of a proposed call, or its expiry": (given) => {
    const made = proposed(given);
    return made && { fold: made.fold, input: answer(made.callId, "deny") };
  },
  "answer to a question that a call asks": (fold) => {
    const callId = outstanding(fold, false);
    if (!callId || fold.context.calls.find((call) => call.callId === callId)?.form === "inline") return undefined;
    const asks: GivenInput = { kind: "choice", callId, choiceId: `${callId}?1`, prompt: "which?", choices: ["a", "b"] };
    return { fold: fold.accept(asks), input: answer(`${callId}?1`, "b") };
  },
  "answer to a question that is closed or unknown": () => answer(`${nobody}?1`, 0),
  "question, sign-in or view of an outstanding call": (fold) => {
    const callId = outstanding(fold, false);
    return callId && { kind: "oauth", callId, url: "https://example.com" };
  },
  "progress of an outstanding call": (fold) => {
    const callId = outstanding(fold, false);
    return callId && { kind: "progress", callId, text: "half" };
  },
  "interrupt (no text)": () => ({ kind: "interrupt" }),
  halt: () => ({ kind: "halt" }),
  close: () => ({ kind: "close" }),
};

/** What one input does to a thread, in the words of the table. */
export const outcomeOf = (fold: Fold, input: GivenInput): string => {
  const before = {
    state: fold.state,
    recorded: fold.recorded.length,
    aborted: fold.aborted.length,
    cuts: fold.cuts.length,
  };
  const waiting = fold.context.inbox.length;
  const announced = fold.announced.length;
  fold.accept(input);
  const facts = fold.recorded.slice(before.recorded).flatMap((commit) => commit.facts);
  const told = fold.aborted.length > before.aborted;
  if (facts.some(({ type }) => type === "input.discarded")) return "discarded";
  if (facts.some(({ type }) => type === "call.progressed" || type === "oauth.required"))
    return "handed to the application";
  if (facts.some(({ type }) => type === "choice.answered")) return "recorded, passed to the asker";
  if (facts.some(({ type }) => type === "choice.closed") && fold.waits("dispatch")) return "recorded; handed over";
  if (fold.cuts.length > before.cuts) return "cuts; kept";
  if (fold.state === "running.committing" && before.state !== fold.state) {
    if (input.kind === "halt") return "settles; halts those below too";
    if (input.kind === "close") return "settles; closes those below, then itself";
    if (input.kind === "event") return "opens its child; rests on";
  }
  if (fold.state.startsWith("running") && !before.state.startsWith("running")) {
    if (input.kind === "interrupt" || (told && input.kind === "text" && before.state === "awaitingActiveCall"))
      return "interrupts; runs";
    return told ? "runs; waits are woken early" : "runs";
  }
  if (fold.announced.length > announced) return "deferred";
  if (fold.context.inbox.length > waiting) {
    if (before.state === "running.preparing")
      return ["interrupt", "halt", "close"].includes(input.kind) ? "kept; no round" : "joins the batch";
    return before.state.startsWith("running") ? "kept" : "waits for the active calls";
  }
  return "nothing to do";
};

/** The table as markdown, made by running every cell. */
export const tableOfMachine = (): string => {
  const names = Object.keys(columns);
  const lines = Object.entries(rows).map(([row, make]) => {
    const cells = names.map((name) => {
      const fold = (columns[name] as () => Fold)();
      const made = make(fold);
      if (!made) return "–";
      return "input" in made ? outcomeOf(made.fold, made.input) : outcomeOf(fold, made);
    });
    return `| ${row} | ${cells.join(" | ")} |`;
  });
  return [`| input | ${names.join(" | ")} |`, `| --- |${" --- |".repeat(names.length)}`, ...lines].join("\n");
};
