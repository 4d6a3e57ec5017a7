import { Subject } from "rxjs";
import { z } from "zod";
import { ToolError } from "../../errors.ts";
import type { ToolCall } from "../../tool/call.ts";
import { defineTool, type ProducerEvent, type Tool } from "../../tool/define.ts";
import type { Question, QuestionAnswer } from "../../tool/question.ts";
import type { How } from "./step.ts";

const inputSchema = z.object({ how: z.enum(["well", "throws", "nothing", "odd", "never"]) });

/** What a world wants to know of its tools, and when it lets them end. */
export interface ToolWatch {
  readonly began: (name: string, call: ToolCall) => void;
  /** Resolves when the work may end. */
  readonly turn: () => Promise<void>;
  readonly opened: (events: Subject<ProducerEvent>) => void;
  /** A tool asks a person, and is answered, or told that it never will be. */
  readonly asks: (call: ToolCall, question: Question) => Promise<QuestionAnswer>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Tools whose calls wait for a person's word. */
export const guarded: ReadonlySet<string> = new Set(["pay", "wipe"]);

/** Tools whose calls may begin once more in another process. */
export const repeatable: ReadonlySet<string> = new Set(["timed", "look", "follow", "wipe", "query"]);

const circular = (): unknown => {
  const round: { self?: unknown } = {};
  round.self = round;
  return round;
};

/** A tool of every behaviour; `how` says what the call comes to. Results name their call, so that each can be told apart. */
export const simulatedTools = ({ began, turn, opened, asks, now }: ToolWatch): readonly Tool[] => {
  const works = async (name: string, how: How, call: ToolCall): Promise<unknown> => {
    began(name, call);
    if (how === "never") return new Promise(() => {});
    await turn();
    if (how === "throws") throw new ToolError(`${name} of ${call.id} went wrong`);
    if (how === "nothing") return undefined;
    return how === "odd" ? circular() : `${name} of ${call.id} is done`;
  };
  const starts = (name: string, how: How, call: ToolCall): void => {
    began(name, call);
    if (how === "throws") throw new Error(`secret of ${name}`);
  };
  /** Throws: two questions at once, of which one never runs out. Nothing: one that does soon. Odd: one that cannot be asked. */
  const inquires = async (name: string, how: How, call: ToolCall): Promise<unknown> => {
    began(name, call);
    await turn();
    const ask = (key: string, more: Partial<Question> = {}) =>
      asks(call, { key, prompt: `${call.id} asks ${key}`, choices: ["yes", "no", "perhaps"], default: "no", ...more });
    if (how === "odd") return ask("none", { choices: [] });
    if (how === "never") return new Promise(() => {});
    const keys = how === "throws" ? ["one", "two"] : ["one"];
    const until = now() + (how === "nothing" ? 2_000 : 60_000);
    const answers = await Promise.all(keys.map((key) => ask(key, key === "one" ? { expiresAt: until } : {})));
    await turn();
    return `${name} of ${call.id} heard ${answers.map(({ choice }) => choice).join(", ")}`;
  };
  const parts = (name: string) => ({ name, description: `Does ${name}.`, inputSchema });
  const producer = (): Subject<ProducerEvent> => {
    const events = new Subject<ProducerEvent>();
    opened(events);
    return events;
  };
  const subscribes = (name: string) => async (args: { how: How }, call: ToolCall) => {
    const started = await works(name, args.how, call);
    return { started, events: producer() };
  };
  const annotations = { idempotent: true };
  return [
    defineTool({ ...parts("work"), run: ({ how }, call) => works("work", how, call) }),
    defineTool({ ...parts("doze"), passive: true, run: ({ how }, call) => works("doze", how, call) }),
    defineTool({ ...parts("hand"), dispatch: ({ how }, call) => starts("hand", how, call) }),
    defineTool({ ...parts("nap"), passive: true, dispatch: ({ how }, call) => starts("nap", how, call) }),
    defineTool({
      ...parts("timed"),
      deadline: 1_000,
      annotations,
      dispatch: ({ how }, call) => starts("timed", how, call),
    }),
    defineTool({ ...parts("add"), inline: ({ how }, call) => works("add", how, call) }),
    defineTool({ ...parts("look"), annotations, inline: ({ how }, call) => works("look", how, call) }),
    defineTool({ ...parts("pay"), needsApproval: true, run: ({ how }, call) => works("pay", how, call) }),
    defineTool({
      ...parts("wipe"),
      deadline: 3_000,
      annotations: { idempotent: true, destructive: true },
      dispatch: ({ how }, call) => starts("wipe", how, call),
    }),
    defineTool({ ...parts("query"), annotations, run: ({ how }, call) => inquires("query", how, call) }),
    defineTool({ ...parts("inquire"), run: ({ how }, call) => inquires("inquire", how, call) }),
    defineTool({ ...parts("watch"), subscribe: subscribes("watch") }),
    defineTool({
      ...parts("follow"),
      annotations,
      subscribe: subscribes("follow"),
      resume: async ({ how }) => {
        await turn();
        if (how === "odd") throw new Error("secret of a source");
        return { started: "again", events: producer() };
      },
    }),
  ];
};
