import type { ThreadId } from "../../../machines/history/ids.ts";
import type { BuiltinAct } from "../../../machines/round/turn.ts";
import type { Asked, Grove } from "./grove.ts";
import type { Said } from "./tree-story.ts";

type Act = Extract<Said, { say: "spawn" | "report" | "message" | "close" }>;

export const isAct = (said: Said): said is Act => ["spawn", "report", "message", "close"].includes(said.say);

/** What a model asks for, under words that nobody says again, and whether its thread may. */
export const actOf = (
  tree: Grove,
  by: ThreadId,
  said: Act,
  words: string,
): { readonly asked: Asked; readonly act: BuiltinAct } => {
  const isRoot = tree.fold(by).opening === null;
  const anyThread = (pick: number): ThreadId => tree.threads[pick % tree.threads.length] as ThreadId;
  switch (said.say) {
    case "spawn": {
      const stack = tree.stackOf(by);
      const childOf = said.as === "itself" ? stack : said.as === "nobody" ? [] : stack.slice(0, -1);
      return {
        asked: { by, what: "spawn", words, wrong: said.as !== "itself" },
        act: { do: "spawn", instructions: words, childOf },
      };
    }
    case "report":
      return { asked: { by, what: "report", words, wrong: isRoot }, act: { do: "report", text: words } };
    case "message": {
      const own = tree.childrenOf(by);
      const to = said.pick % 4 > 0 && own.length > 0 ? own[said.pick % own.length] : anyThread(said.pick >> 2);
      const wrong = !own.includes(to as ThreadId);
      return {
        asked: { by, what: "message", words, to: to as string, wrong },
        act: { do: "message", to: to as string, text: words },
      };
    }
    case "close": {
      const to = said.who === "itself" ? by : anyThread(said.pick);
      return {
        asked: { by, what: "close", words, to, wrong: to !== by || isRoot },
        act: { do: "close", threadId: to, report: said.report ? words : null },
      };
    }
  }
};
