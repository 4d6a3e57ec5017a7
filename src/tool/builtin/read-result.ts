import { z } from "zod";
import { textOf } from "../../../machines/history/entry.ts";
import { ToolError } from "../../errors.ts";
import { wholeCodePoints } from "../code-points.ts";
import { toolOf } from "../define.ts";
import { readerOf } from "../reading.ts";

/** Characters that one call reads at most; with its first line that is less than a model is shown of a result. */
const most = 30_000;

const grouped = (value: number): string => value.toLocaleString("en-US");

/** Inline: the slice goes on with what was read. What a model is shown of a long result is its head and its tail. */
export const readResult = toolOf({
  name: "read_result",
  description:
    "Read a part of the result of an earlier tool call of this conversation that was too long to be shown whole. The " +
    "result itself is stored whole.",
  inputSchema: z.object({
    tool_call_id: z.string().describe("The id of the call whose result is read"),
    from: z.int().min(0).default(0).describe("The character to begin at; the first is 0"),
    length: z
      .int()
      .min(1)
      .max(most)
      .default(most)
      .describe(`How many characters; at most ${grouped(most)}`),
  }),
  display: ({ tool_call_id, from }) => `Read on in the result of ${tool_call_id} from ${grouped(from)}`,
  annotations: { readOnly: true },
  async inline({ tool_call_id: shown, from, length }, call) {
    const found = await readerOf(call)(shown);
    if (found.found === "no call")
      throw new ToolError(`There is no call ${JSON.stringify(shown)} in this conversation.`);
    if (found.found === "no result") throw new ToolError(`The call ${JSON.stringify(shown)} has no result yet.`);
    const whole = textOf(found.result.content);
    if (from >= whole.length)
      throw new ToolError(
        `The result has ${grouped(whole.length)} characters; there is nothing from ${grouped(from)} on.`,
      );
    const { text, start, end } = wholeCodePoints(whole, from, from + length);
    const next = end < whole.length ? `; go on from ${end}` : ", the end";
    return `[characters ${grouped(start)} to ${grouped(end)} of ${grouped(whole.length)}${next}]\n${text}`;
  },
});
