import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Usage } from "../../../machines/round/turn.ts";
import { sumOfUsage } from "../../../machines/thread/turn.ts";
import type { ThreadRow } from "./thread-row.ts";

/** What a thread and all below it have used (S22). */
export const usageBelow = (rows: ReadonlyMap<ThreadId, ThreadRow>, root: ThreadId): Usage => {
  let total: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  const left = [root];
  for (let threadId = left.pop(); threadId !== undefined; threadId = left.pop()) {
    const row = rows.get(threadId);
    if (!row) continue;
    total = sumOfUsage(total, row.record.usage);
    left.push(...row.offspring.behind(""));
  }
  return total;
};
