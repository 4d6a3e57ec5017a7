import type { ScriptedCall } from "../scripted/answer.ts";
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

/** What is said of one piece of news; `last`: nothing is done after it. */
const told = (news: News, last: boolean): string => {
  if (news.kind === "event") {
    const event = { ...news.event, text: short(news.event.text, 1_000) };
    return intentOf(event.tool).hear?.(event) ?? sentence(`${event.tool} reports: ${event.text}`);
  }
  const { tool, args } = news;
  const text = short(news.text, 1_000);
  if (wasInterrupted(news)) return `I stopped waiting for ${tool}.`;
  if (wasWokenEarly(news)) return last ? "" : "I was woken early and go on.";
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

const nothing: PlannedTurn = { says: [], calls: [] };

/** What is to be done now: the plan is read from the last texts of the user, the place in it from the turns since. */
const dueIn = ({ asked, turnsSince, stopped }: Scene, offered: ReadonlySet<string>): PlannedTurn => {
  if (stopped || asked.length === 0) return nothing;
  const plan = planOf(asked, offered);
  return (plan.length > 0 ? plan : planOf(["help"], offered))[turnsSince] ?? nothing;
};

/** What the demo model says and calls next; the same prompt always gets the same reply. */
export const replyTo = (scene: Scene, offered: ReadonlySet<string>): Reply => {
  const { says, calls } = dueIn(scene, offered);
  const last = says.length + calls.length === 0;
  const sentences = scene.news.map((news) => told(news, last));
  for (const step of says) {
    const said = [scene.said, ...sentences].join("\n");
    if (step.kind === "say") sentences.push(step.text);
    else if (step.kind === "help") sentences.push(helped(offered));
    else if (step.kind === "missing") sentences.push(noTool(step.tool, offered));
    else sentences.push(notUnderstood(step.text, offered, said));
  }
  const text = sentences.filter((words) => words !== "").join(" ");
  return {
    text: text === "" && calls.length === 0 ? "Ready." : text,
    calls: calls.map(({ name, args }, index) => ({ id: `demo_${scene.calls + index + 1}`, name, args })),
  };
};
