import type { ScriptedCall } from "../scripted/answer.ts";
import { trueStackIn } from "./family.ts";
import { sentence } from "./intent.ts";
import { intentOf } from "./intents.ts";
import { type PlannedTurn, planOf } from "./plan.ts";
import { type News, type Scene, wasInterrupted, wasWokenEarly } from "./scene.ts";
import { listed, notice, suggestions } from "./suggest.ts";

export interface Reply {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

const short = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;

/** What is said of one piece of news; `last`: nothing is done after it, `again`: what it ended begins anew. */
const told = (news: News, last: boolean, again: boolean): string => {
  if (news.kind === "event") {
    const event = { ...news.event, text: short(news.event.text, 1_000) };
    return intentOf(event.tool).hear?.(event) ?? sentence(`${event.tool} reports: ${event.text}`);
  }
  const { tool, args } = news;
  const text = short(news.text, 1_000);
  if (wasInterrupted(news)) return `I stopped waiting for ${tool}.`;
  if (wasWokenEarly(news)) return last || again ? "" : "I was woken early and go on.";
  if (again && trueStackIn(news.text)) return "";
  if (news.error) return sentence(`${tool} did not work: ${text.replace(/^error:\s*/i, "")}`);
  return intentOf(tool).tell?.({ tool, args, text, last }) ?? sentence(`${tool} says: ${text}`);
};

const helped = (offered: ReadonlySet<string>): string => `${notice} Try ${listed(suggestions(offered))}.`;

const notUnderstood = (text: string, offered: ReadonlySet<string>, said: string): string => {
  const honest = said.includes(notice) ? "" : `${notice} `;
  const shown = text.trim() === "" ? "an empty text" : `"${short(text.trim(), 60).toWellFormed()}"`;
  return `${honest}I do not understand ${shown}. Try ${listed(suggestions(offered).slice(0, 3))}.`;
};

const noTool = (name: string, offered: ReadonlySet<string>): string =>
  `I have no tool ${name} here. Try ${listed(suggestions(offered).slice(0, 3))}.`;

const nothing: Due = { says: [], calls: [], again: false };

/** A turn of the plan did not come to its end, and is due once more. */
const isUndone = (planned: PlannedTurn | undefined, results: Scene["turnsSince"][number]): boolean =>
  planned !== undefined &&
  results.some(
    (result) =>
      (planned.calls.some(({ again }) => again) && wasWokenEarly(result)) ||
      (planned.calls.some(({ name }) => name === spawnTool) && hasNewStack(result)),
  );

/** The call did not say whose child it makes, and was told: with that, it can be made again. */
const hasNewStack = ({ text, args }: Scene["turnsSince"][number][number]): boolean =>
  isNobody(args.child_of) && trueStackIn(text) !== undefined;

const spawnTool = "spawn_thread";

/** A spawning call says whose child it makes, as far as the thread knows. */
const withStack = ({ name, args, ...rest }: PlannedTurn["calls"][number], stack: Scene["stack"]) =>
  name === spawnTool && isNobody(args.child_of)
    ? { ...rest, name, args: { ...args, child_of: stack ?? [] } }
    : { ...rest, name, args };
const isNobody = (given: unknown): boolean => given === undefined || (Array.isArray(given) && given.length === 0);

interface Due extends PlannedTurn {
  /** The turn was made before, and did not come to its end. */
  readonly again: boolean;
}

/** What is to be done now: the plan is read from the last texts of the user, the place in it from the turns since. */
const dueIn = ({ asked, turnsSince, stopped, stack }: Scene, offered: ReadonlySet<string>): Due => {
  if (stopped || asked.length === 0) return nothing;
  const read = planOf(asked, offered);
  const plan = read.length > 0 ? read : planOf(["help"], offered);
  let place = 0;
  let again = false;
  for (const results of turnsSince) {
    again = isUndone(plan[place], results);
    if (!again) place += 1;
  }
  const { says, calls } = plan[place] ?? nothing;
  const isSplit = again && calls.some(({ name }) => name === spawnTool);
  const due = isSplit ? calls.filter(({ name }) => name === spawnTool) : calls;
  return { says: again ? [] : says, calls: due.map((call) => withStack(call, stack)), again };
};

/** A child that has done its work closes, and tells its parent how it went: of an event, what it says; else what it said. */
const closing = (
  { child, news, awaited, stopped }: Scene,
  text: string,
  offered: ReadonlySet<string>,
): ScriptedCall[] => {
  if (!child || awaited > 0 || stopped || !offered.has("close_thread")) return [];
  const events = news.flatMap((item) => (item.kind === "event" ? [item.event.text] : []));
  const report = child.instructions === undefined ? events.join("\n") : text;
  return [
    {
      name: "close_thread",
      args: { thread_id: child.threadId, ...(report.trim() !== "" && { report_to_parent: report }) },
    },
  ];
};

/** All children of the thread have ended, the last of them just now. */
const allDone = ({ news, spawned, awaited }: Scene): string =>
  spawned > 1 &&
  awaited === 0 &&
  news.some((item) => item.kind === "event" && item.event.ended && item.event.tool === spawnTool)
    ? `All ${spawned} parts are done.`
    : "";

/** A call of the last turn did not do what it was to do. */
const hasFailed = ({ news }: Scene): boolean =>
  news.some((item) => item.kind === "result" && (item.error || wasInterrupted(item)));

/** What the demo model says and calls next; the same prompt always gets the same reply. */
export const replyTo = (scene: Scene, offered: ReadonlySet<string>): Reply => {
  const { says, calls, again } = dueIn(scene, offered);
  const last = says.length + calls.length === 0;
  const sentences = scene.news.map((news) => told(news, last, again));
  for (const step of says) {
    const said = [scene.said, ...sentences].join("\n");
    if (step.kind === "say") sentences.push(...(step.ifDone && hasFailed(scene) ? [] : [step.text]));
    else if (step.kind === "help") sentences.push(helped(offered));
    else if (step.kind === "missing") sentences.push(noTool(step.tool, offered));
    else sentences.push(notUnderstood(step.text, offered, said));
  }
  sentences.push(allDone(scene));
  const text = sentences.filter((words) => words !== "").join(" ");
  const made = calls.length > 0 ? calls : closing(scene, text, offered);
  return {
    text: text === "" && made.length === 0 ? "Ready." : text,
    calls: made.map(({ name, args }, index) => ({ id: `demo_${scene.calls + index + 1}`, name, args })),
  };
};
