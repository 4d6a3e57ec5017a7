import { BehaviorSubject, filter, firstValueFrom, Subject } from "rxjs";
import { CallId } from "../../machines/history/ids.ts";
import type { Call, Subscription, ThreadState } from "../../machines/thread/commit.ts";
import type { Thread, ThreadView } from "../../src/system/api.ts";
import type { Update } from "../../src/thread/update.ts";

/** A thread that a test moves by hand. What was sent is in `texts`; sending makes it run. */
export const fakeThread = (refuse: (text: string) => Error | undefined = () => undefined) => {
  const texts: string[] = [];
  const updates$ = new Subject<Update>();
  const state$ = new BehaviorSubject<ThreadState>("idle");
  let view: ThreadView = {
    state: "idle",
    lastFailure: null,
    retry: null,
    usage: { inputTokens: 0, outputTokens: 0 },
    calls: [],
    subscriptions: [],
    opening: null,
    children: [],
    halted: false,
    quarantined: null,
    deferred: [],
  };
  const become = (state: ThreadState, more: Partial<ThreadView> = {}): void => {
    view = { ...view, calls: [], subscriptions: [], ...more, state };
    state$.next(state);
  };
  const thread: Thread = {
    id: "fake",
    async send(text) {
      const error = refuse(text);
      if (error) throw error;
      texts.push(text);
      become("running");
      return true;
    },
    ask: () => Promise.reject(new Error("not asked here")),
    interrupt: () => Promise.resolve(true),
    halt: () => Promise.resolve(true),
    release: () => Promise.resolve(true),
    compact: () => Promise.resolve("nothing"),
    close: () => Promise.resolve(true),
    choices: () => Promise.resolve([]),
    answer: () => Promise.resolve(true),
    atRest: () => firstValueFrom(state$.pipe(filter((state) => state !== "running"))),
    get state() {
      return view.state;
    },
    state$,
    view: () => view,
    usage: () => Promise.resolve(view.usage),
    reload: () => {},
    snapshot: () => Promise.reject(new Error("not looked at here")),
    history: () => Promise.resolve([]),
    updates: () => {
      throw new Error("not read here");
    },
    updates$,
    treeUpdates$: updates$,
  };
  return { thread, texts, become, updates$ };
};

export const fakeCall = (name: string, more: Partial<Call> = {}): Call => ({
  callId: CallId.parse(name),
  providerCallId: "",
  name,
  args: {},
  position: 1,
  form: "run",
  passive: false,
  onRestart: "fail",
  status: "started",
  ...more,
});
export const sleeping = fakeCall("sleep", { form: "builtin", passive: true, args: { seconds: 1 } });
export const waiting = fakeCall("sleep_until_event_or_input", { form: "builtin", passive: true });
export const subscription: Subscription = {
  callId: CallId.parse("s"),
  providerCallId: "",
  name: "count_up",
  args: {},
  form: "subscribe",
};
