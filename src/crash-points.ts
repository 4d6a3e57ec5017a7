/**
 * The places at which a crash is worth a test, in the order a slice meets them. Each says what is durable there; all that
 * it does not name is lost with the process. A store of your own calls the points that are marked *store*.
 *
 * - `created` (*store*): the thread exists, without inputs. Whoever opened it was not told.
 * - `result-sent`: a call has its result, and nothing durable says so: after a restart `onRestart` decides.
 * - `accepting` (*store*): nothing of the inputs about to be accepted. No sender was told anything.
 * - `accepted` (*store*): the inputs and their keys. Neither thread nor sender was told; a sender that sends again is
 *   answered as a repetition (R2), and the thread finds them in its inbox (R1).
 * - `delivered`: the inputs. The threads were told, the senders were not.
 * - `committing` (*store*): nothing of the commit: its inputs still wait, no tool saw its calls (R7).
 * - `committed` (*store*): the commit as a whole. Its calls are `committed`, nobody outside the store knows.
 * - `marked`: the calls are `started`, and none was handed over: `onRestart` decides, as if they had run.
 * - `handed-over`: the same as at `marked`; the tools run.
 * - `acknowledged` (*store*): the calls are `acknowledged`: somebody else will deliver their results.
 */
export const crashPoints = [
  "created",
  "result-sent",
  "accepting",
  "accepted",
  "delivered",
  "committing",
  "committed",
  "marked",
  "handed-over",
  "acknowledged",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

type Hook = (name: CrashPoint) => void;

let hooks: readonly Hook[] = [];

/** Says that the process is at a point where a crash is worth a test. Does nothing while no hook is set. */
export const point = (name: CrashPoint): void => {
  if (hooks.length === 0) return;
  for (const hook of hooks) hook(name);
};

/**
 * Calls `hook` at each crash point of this process, until the returned function is called; that function may be called
 * again. A hook that throws is the simulated crash: what stands behind the point does not happen, and whoever waits for it
 * gets the error. A hook may also end the process. For tests only.
 */
export const onPoint = (hook: Hook): (() => void) => {
  const own: Hook = (name) => hook(name);
  hooks = [...hooks, own];
  return () => {
    hooks = hooks.filter((other) => other !== own);
  };
};
