import type { Entry, TurnPart } from "../../../machines/history/entry.ts";
import type { JsonObject } from "../../../machines/history/json.ts";
import type { Block, BuiltinAct, CallForm, Verdict } from "../../../machines/round/turn.ts";
import type { Call } from "../../../machines/thread/commit.ts";
import type { Fold } from "./fold.ts";

export const says = (text: string): Block => ({ type: "text", text });
export const thinks = (text: string, keep = true): Block => ({
  type: "reasoning",
  text,
  keep,
  ...(keep && { providerMetadata: { test: { signature: "s" } } }),
});

type Accepted = Extract<Verdict, { as: "accepted" }>;
type Making = Partial<Omit<Accepted, "as">> & { readonly args?: JsonObject; readonly providerCallId?: string };

/** A call that the tools accept; dispatched unless said otherwise. */
export const calls = (name: string, { args = {}, providerCallId = `p-${name}`, ...verdict }: Making = {}): Block => ({
  type: "call",
  providerCallId,
  name,
  args,
  verdict: { as: "accepted", form: "dispatch" as CallForm, passive: false, onRestart: "fail", ...verdict },
});

/** A call that waits for a person's word. */
export const proposes = (name: string, making: Making = {}): Block => calls(name, { asks: true, ...making });

export const waits = (name = "sleep", making: Making = {}): Block =>
  calls(name, { form: "builtin", passive: true, ...making });

/** A call of a built-in tool that the commit of its turn carries out. */
export const acts = (act: BuiltinAct, providerCallId = `p-${act.do}`): Block =>
  calls(act.do, { form: "builtin", onRestart: "again", act, providerCallId, args: act as JsonObject });

export const spawns = (instructions = "look", childOf: readonly string[] = ["t1"]): Block =>
  acts({ do: "spawn", instructions, childOf });

export const closes = (threadId: string, report: string | null = null): Block =>
  acts({ do: "close", threadId, report });

export const callsInline = (name: string, making: Making = {}): Block => calls(name, { form: "inline", ...making });

export const refused = (
  name: string,
  origin: "unknown_tool" | "reserved_tool" | "validation" = "validation",
): Block => ({
  type: "call",
  providerCallId: `p-${name}`,
  name,
  args: {},
  verdict: { as: "refused", origin, text: `Error: ${name} is refused` },
});

/** Text goes in, the model answers with `blocks`, everything that can go on without outside goes on. */
export const turn = (fold: Fold, ...blocks: Block[]): Fold => settle(fold.answered({ blocks }));

/** Lets a fold go on as far as effects alone take it; inline calls answer "ran". */
export const settle = (fold: Fold): Fold => {
  for (let steps = 0; steps < 50; steps++) {
    if (fold.waits("commit")) fold.committed();
    else if (fold.waits("dispatch")) fold.dispatched();
    else if (fold.waits("prepare")) fold.prepared();
    else if (fold.waits("inline"))
      fold.ranInline(
        fold.context.calls
          .filter(({ form, status }: Call) => form === "inline" && status === "committed")
          .map(({ callId }) => ({
            callId,
            origin: "sync",
            content: [{ type: "text", text: "ran" }],
          })),
      );
    else return fold;
  }
  return fold;
};

const partName = (part: TurnPart): string => {
  if (part.type === "call") return `call ${part.name}`;
  return "text" in part ? part.text : part.type;
};

const inShort = (entry: Entry): string => {
  if (entry.kind === "user") return `user${entry.interrupt ? "!" : ""}:${entry.text}`;
  if (entry.kind === "turn") return `turn:${entry.parts.map(partName).join("+")}`;
  if (entry.kind === "seed") return "seed";
  return entry.kind === "result" ? `result ${entry.name}:${entry.origin}` : `event ${entry.source.name}:${entry.text}`;
};

/** The stored history in short form, e.g. `user:hello`, `turn:ok+call a`, `result a:tool`. */
export const told = ({ stored }: Fold): string[] => stored.history.map(({ entry }) => inShort(entry));

/** The entries a round is asked with that are not committed yet, in the same form. */
export const asked = ({ context }: Fold): string[] => context.slice.entries.map(({ entry }) => inShort(entry));
