import type { Intent } from "./intent.ts";
import { arithmetic } from "./intents/arithmetic.ts";
import { buildStatus } from "./intents/build-status.ts";
import { callTool } from "./intents/call-tool.ts";
import { count } from "./intents/count.ts";
import { help } from "./intents/help.ts";
import { remind } from "./intents/remind.ts";
import { say } from "./intents/say.ts";
import { sleep } from "./intents/sleep.ts";
import { split } from "./intents/split.ts";
import { wait } from "./intents/wait.ts";
import { watchBuild } from "./intents/watch-build.ts";

/** Everything the demo model understands; the first that reads a piece has it. A new ability is a new line here. */
export const intents: readonly Intent[] = [
  buildStatus,
  arithmetic,
  count,
  watchBuild,
  sleep,
  remind,
  split,
  wait,
  callTool,
  help,
  say,
];

/** The intent that speaks of a tool's results and events. */
export const intentOf = (tool: string): Intent => intents.find((intent) => intent.tool === tool) ?? callTool;
