import { z } from "zod";
import type { ToolCall } from "../../../src/tool/call.ts";
import { defineTool, type ProducerEvent, type Tool } from "../../../src/tool/define.ts";
import { pause } from "./load.ts";
import { moment } from "./script.ts";

/** Tools whose calls may not be made twice. */
export const onlyOnce: readonly string[] = ["charge", "stamp", "deploy"];

/** What `watch` tells, in order: two in the watcher's own history, one in a child, and that it is over. */
const events: readonly ProducerEvent[] = [
  { id: "one", text: "one", associative: true },
  { id: "two", text: "two" },
  { id: "three", text: "three", associative: true },
  { id: "four", text: "four", associative: true, final: true },
];

async function* behind(last = ""): AsyncGenerator<ProducerEvent> {
  for (const event of events.slice(events.findIndex(({ id }) => id === last) + 1)) {
    await pause(moment);
    yield event;
  }
}

const base = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: z.object({}) });

/** `began` notes that work on a call begins, before anything is done. */
export const toolsOfLoad = (began: (name: string, call: ToolCall) => void): readonly Tool[] => {
  const works = (name: string) => async (_: unknown, call: ToolCall) => {
    began(name, call);
    await pause(moment);
    return `${name} is done`;
  };
  const byHand = (name: string) =>
    defineTool({ ...base(name), onRestart: "again", dispatch: (_, call) => began(name, call) });
  return [
    defineTool({ ...base("charge"), run: works("charge") }),
    defineTool({ ...base("look"), annotations: { readOnly: true }, run: works("look") }),
    defineTool({ ...base("stamp"), inline: works("stamp") }),
    defineTool({ ...base("deploy"), needsApproval: true, run: works("deploy") }),
    byHand("hand"),
    byHand("follow"),
    defineTool({
      ...base("survey"),
      onRestart: "again",
      async run(_, call) {
        began("survey", call);
        const { choice } = await call.ask({ prompt: "Blue?", choices: ["yes", "no"], default: "no" });
        return `they say ${choice}`;
      },
    }),
    defineTool({
      ...base("watch"),
      onRestart: "again",
      subscribe(_, call) {
        began("watch", call);
        return { started: "watching", events: behind() };
      },
      resume: (_, __, last) => ({ started: "", events: behind(last) }),
    }),
  ];
};
