import { type ScriptedModel, type ScriptedRequest, scriptedModel } from "wakeful/testing";

type Content = ScriptedRequest["prompt"][number]["content"];
type Part = Exclude<Content, string>[number];

const textOf = (part: Part): string => {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" && "value" in part.output ? String(part.output.value) : "";
};

/** What a request reads, in order; a call reads as "". */
const textsOf = ({ prompt }: ScriptedRequest): string[] =>
  prompt.flatMap(({ content }) => (typeof content === "string" ? content : (content as readonly Part[]).map(textOf)));

const call = (name: string, args: object) => ({ calls: [{ name, args: { ...args } }], usage: { total_tokens: 1_000 } });

/** In place of a model that researches. `isAway`: it answers 503 at the moment, and asks for an hour. */
export const scriptedResearcher = (isAway: () => boolean): ScriptedModel =>
  scriptedModel(
    (request) => {
      if (isAway()) return { error: "transient", retryAfter: 3_600 };
      const texts = textsOf(request);
      const seed = texts.findLast((text) => text.startsWith("You are a child thread"));
      const last = texts.at(-1) ?? "";
      if (seed !== undefined) {
        const [, id = "", topic = ""] = /Your thread id is (\S+)\..*Your instructions:\n(.+)/s.exec(seed) ?? [];
        const isNew = !texts
          .slice(texts.indexOf(seed) + 1)
          .some((text) => text !== "" && !text.startsWith("Not known"));
        return isNew
          ? call("search", { topic })
          : call("close_thread", { thread_id: id, report_to_parent: last.replace(/^Error: /, "Nothing: ") });
      }
      const asked = texts.findLast((text) => text.startsWith("It is the night of")) ?? "";
      const [, night = "", topics = ""] = /night of (\S+)\. Research (.+)\.$/.exec(asked) ?? [];
      const since = texts.slice(texts.lastIndexOf(asked));
      if (since.includes("It is published.")) return "Good morning.";
      if (since.length === 1) {
        const calls = topics
          .split(", ")
          .map((topic) => ({ name: "spawn_thread", args: { instructions: topic, child_of: [`research/${night}`] } }));
        return { calls, usage: { total_tokens: 1_000 } };
      }
      const found = since.flatMap((text) => /has closed\. Its last report:\n(.+)/.exec(text)?.[1] ?? []);
      const isMorning = since.some((text) => text.startsWith("The time is over"));
      if (found.length === topics.split(", ").length || isMorning)
        return call("publish", { report: found.toSorted().join(" ") || "Nothing was found." });
      const date = new Date(Date.parse(`${night}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
      return call("sleep_until", { date, time: "07:00", timezone: "UTC" });
    },
    { strict: true, keep: 0 },
  );
