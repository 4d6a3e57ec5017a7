import { z } from "zod";
import { spawnTool } from "../../../machines/history/family-wording.ts";
import { builtinAct } from "./builtin.ts";
import { oneLine, said } from "./said.ts";

export const spawnThread = builtinAct({
  name: spawnTool,
  description:
    "Spawn a child thread that does a part of the work by itself, at the same time as you. It begins with everything said " +
    "in this conversation so far, and with your instructions. You get its thread id at once and go on; what it reports, " +
    "and its end, arrive as events, so there is no need to wait or to ask. Further messages reach it through " +
    "send_message_to_child.",
  inputSchema: z.object({
    instructions: said("instructions").describe(
      "What the child shall do and what it shall report; it knows this conversation up to here, and nothing of what follows",
    ),
    child_of: z
      .array(z.string())
      .describe(
        "Your own full thread stack: the ids of the threads from the root down to you, root first, yourself last. A child " +
          "thread reads it where it begins, a root thread in its instructions. If you were not told, give an empty list: " +
          "nothing is spawned then, and the error says what your stack is",
      ),
  }),
  display: ({ instructions }) => `Spawn a thread: ${oneLine(instructions)}`,
  act: ({ instructions, child_of: childOf }) => ({ do: "spawn", instructions, childOf }),
});
