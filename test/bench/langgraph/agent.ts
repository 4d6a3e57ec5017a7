// @ts-nocheck: the packages of this folder are installed by `npm run bench langgraph`, not with the others.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { z } from "zod";

/** Says what the scripted model says, in one piece, as LangChain's own fake models do; notes when it was asked. */
class TripChatModel extends BaseChatModel {
  asked = [];

  constructor({ trips, clock, said }) {
    super({});
    Object.assign(this, { trips, clock, said });
  }

  _llmType() {
    return "trips";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const asked = this.asked.push(this.clock());
    const call = { id: `c${asked}`, name: "look", args: { at: asked }, type: "tool_call" };
    const message = new AIMessage(asked > this.trips ? "done" : { content: this.said, tool_calls: [call] });
    return { generations: [{ text: message.text, message }] };
  }
}

const look = tool(async () => "ok", {
  name: "look",
  description: "Looks.",
  schema: z.object({ at: z.number() }),
});

/** A saver on `file`, with its own settings but for how it waits for the disk: it is to lose as little as ours. */
export const graphOn = (file, synchronous) => {
  const saver = SqliteSaver.fromConnString(file);
  saver.db.pragma(`synchronous = ${synchronous}`);
  let threads = 0;
  return {
    /** A thread of its own, from "go" to the end: the clock at each request. */
    async run({ trips, clock, said }) {
      const model = new TripChatModel({ trips, clock, said });
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("agent", async ({ messages }) => ({ messages: [await model.bindTools([look]).invoke(messages)] }))
        .addNode("tools", new ToolNode([look]))
        .addEdge(START, "agent")
        .addConditionalEdges("agent", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tools" : END))
        .addEdge("tools", "agent")
        .compile({ checkpointer: saver });
      const configurable = { thread_id: `bench-${++threads}` };
      const { messages } = await graph.invoke(
        { messages: [new HumanMessage("go")] },
        { configurable, recursionLimit: 2 * trips + 10 },
      );
      if (messages.at(-1).text !== "done") throw new Error(`LangGraph ended with ${messages.at(-1).text}.`);
      return model.asked;
    },
    close: () => saver.db.close(),
  };
};
