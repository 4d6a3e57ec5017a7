import type { ThreadId } from "../../../machines/history/ids.ts";
import { shownIdOf } from "../../../machines/history/ids.ts";
import type { BuiltinAct } from "../../../machines/round/turn.ts";
import type { ScriptedCall, ScriptedChunk } from "../../../src/model/scripted/answer.ts";
import type { Asked, Grove } from "../thread/grove.ts";
import { actOf, isAct } from "../thread/tree-acts.ts";
import type { Said } from "../thread/tree-story.ts";

/** The call of a built-in tool that asks for it. */
const callOf = (act: BuiltinAct): Pick<ScriptedCall, "name" | "args"> => {
  switch (act.do) {
    case "spawn":
      return { name: "spawn_thread", args: { instructions: act.instructions, child_of: act.childOf } };
    case "report":
      return { name: "report_to_parent", args: { report: act.text } };
    case "message":
      return { name: "send_message_to_child", args: { thread_id: act.to, message: act.text } };
    case "close":
      return {
        name: "close_thread",
        args: { thread_id: act.threadId, ...(act.report !== null && { report_to_parent: act.report }) },
      };
    case "cancel":
      return { name: "cancel_subscription", args: { tool_call_id: act.call } };
  }
};

const how = { how: "well" };
/** Tools that do the same in two ways, by turns. */
const tools = {
  work: ["work", "hand"],
  nap: ["nap", "sleep_until_event_or_input"],
  add: ["add", "look"],
  watch: ["follow", "hand"],
} as const;

/** What a scripted model says. Calls are named by words that nobody says again; those that begin with `w` are to be followed. */
export const chunkOf = (
  tree: Grove,
  by: ThreadId,
  said: Said,
  word: (letter: string) => string,
  asked: Asked[],
): ScriptedChunk => {
  if (isAct(said)) {
    const done = actOf(tree, by, said, word(said.say[0] ?? ""));
    asked.push(done.asked);
    return { tool_call: { id: done.asked.words, ...callOf(done.act) } };
  }
  if (said.say === "text") return { text: "ok" };
  if (said.say === "nonsense") return { tool_call: { id: word("n"), name: "nobody", args: {} } };
  if (said.say === "cancel") {
    const { subscriptions } = tree.fold(by).stored;
    const source = subscriptions[said.pick % 3];
    const call = source ? source.providerCallId || shownIdOf(source.callId) : "call_9_9";
    return { tool_call: { id: word("q"), ...callOf({ do: "cancel", call }) } };
  }
  const id = word(said.say[0] ?? "");
  const name = tools[said.say][Number.parseInt(id.slice(1), 10) % 2] ?? said.say;
  return {
    tool_call: { id: said.say === "work" ? `h${id.slice(1)}` : id, name, args: name.startsWith("sleep") ? {} : how },
  };
};
