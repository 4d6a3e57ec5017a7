import { setTimeout as after } from "node:timers/promises";
import { defineTool, ToolError } from "wakeful";
import { z } from "zod";

const reports = ["green: 318 tests passed", "running: 7 of 12 steps done", "red: 2 of 318 tests failed"] as const;

/** How a build went. */
export const reportOn = (id: string): string => {
  const digits = [...id].reduce((sum, digit) => sum + Number(digit), 0);
  return String(reports[digits % reports.length]);
};

/** A build server that answers after `latency` ms, as one at the other end of a network would. */
const askBuildServer = async (id: string, latency: number, signal: AbortSignal): Promise<string> => {
  await after(latency, undefined, { signal });
  if (!/^\d+$/.test(id)) throw new ToolError(`There is no build ${JSON.stringify(id)}. Builds have numbers.`);
  return `Build ${id} is ${reportOn(id)}.`;
};

/**
 * A dispatched tool: `run` starts the work and the thread rests until its promise resolves. When nobody wants the result
 * any more, `call.signal` aborts, and so does the request. What a ToolError says, the model reads.
 */
export const createGetBuildStatus = ({ latency = 200 } = {}) =>
  defineTool({
    name: "get_build_status",
    description: "Return the current status of a build.",
    inputSchema: z.object({ build_id: z.string().describe("Build identifier, e.g. 42") }),
    annotations: { readOnly: true },
    display: ({ build_id }) => `Check build ${build_id}`,
    run: ({ build_id }, call) => askBuildServer(build_id, latency, call.signal),
  });

export const getBuildStatus = createGetBuildStatus();
