import { callsOf } from "../../../../machines/history/entry.ts";
import { endedText } from "../../../../machines/history/family-wording.ts";
import type { World } from "../world.ts";
import { wordsRead } from "./words.ts";

/** Families: what a turn said to others arrived once, and nothing arrived that no turn said; every end is heard once. */
export const faultsOfFamilies = ({ record }: World): string[] => {
  const faults = record.repeated
    .filter((key) => /\["(report|message|ended)"/.test(key))
    .map((key) => `R7: ${key} was told before the commit that tells it`);
  for (const page of record.pages.values()) {
    const { threadId, opening, history } = page;
    const asked = new Map(
      history.flatMap(({ entry }) =>
        entry.kind === "turn" ? callsOf(entry).map((call) => [call.callId as string, call] as const) : [],
      ),
    );
    const acknowledged = new Set(
      history.flatMap(({ entry }) =>
        entry.kind === "result" && entry.origin === "ack" ? [entry.callId as string] : [],
      ),
    );
    for (const { waiting } of record.accepted) {
      const { input, dedupId } = waiting;
      const isReport = input.kind === "report" && input.child === threadId && !input.failed;
      if (!isReport && !(input.kind === "message" && input.parent === threadId)) continue;
      const { report, message } = asked.get(dedupId)?.args ?? {};
      if ((isReport ? report : message) !== input.text)
        faults.push(`R7: ${threadId} told ${input.text}, and no turn of it says so`);
      else if (!acknowledged.has(dedupId)) faults.push(`R7: ${threadId} told ${input.text}, and does not know`);
    }
    if (!opening) continue;
    const ends = record.accepted.filter(({ waiting: { input } }) => input.kind === "ended" && input.child === threadId);
    if (page.state === "closed" && ends.length !== 1)
      faults.push(`the end of ${threadId} was told ${ends.length} times`);
    if (page.state !== "closed" && ends.length > 0) faults.push(`the end of ${threadId} was told, and it is open`);
    const parent = record.page(opening.parent);
    for (const { waiting } of ends) {
      if (waiting.input.kind !== "ended") continue;
      const words = `child ${threadId} ${endedText(threadId, waiting.input.report)}`;
      const heard = parent.history.filter((placed) => wordsRead(placed) === words).length;
      if (heard > 1) faults.push(`R2: the end of ${threadId} was read ${heard} times`);
      if (heard === 0 && opening.kind === "spawned" && !parent.closing && parent.consumed.has(waiting.seq))
        faults.push(`R1: the end of ${threadId} was taken and not read`);
    }
  }
  return faults;
};
