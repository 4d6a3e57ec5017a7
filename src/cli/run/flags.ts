import { type Command, InvalidArgumentError } from "commander";
import type { SessionOptions } from "./session.ts";

const collect = (file: string, files: readonly string[] = []): readonly string[] => [...files, file];

const seconds = (text: string): number => {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It takes a number of seconds above 0.");
  return value;
};

/** Flags as commander gives them. */
export type Flags = Partial<SessionOptions>;

/** Adds the flags that `run` and `chat` have in common. */
export const withSessionFlags = (command: Command): Command =>
  command
    .option("--db <FILE>", "keep threads in this SQLite file. Default: they end with the program")
    .option("--thread <ID>", "go on with this thread, or begin it. Default: a fresh one")
    .option("--model <NAME>", "the model, e.g. claude-sonnet-4-5 or openai/gpt-5. Default: the demo model")
    .option("--tools <FILE>", "a .ts or .js module that exports tools; may be given several times", collect)
    .option("--instructions <TEXT>", "what the agent is told to be; a thread that exists keeps its own")
    .option("--for <SECONDS>", "stop after this time, with exit code 0", seconds)
    .option("--yes", "approve every call that needs approval, where nobody can be asked; without it they are denied")
    .option("--json", "print one update per line as JSON, and nothing else");

export const sessionOf = ({ tools = [], json = false, yes = false, ...rest }: Flags): SessionOptions => ({
  tools,
  json,
  yes,
  ...rest,
});

export const modelsHelp = `Models: --model NAME, with one of these set:
  ANTHROPIC_API_KEY   Claude                  --model claude-sonnet-4-5
  OPENAI_API_KEY      OpenAI                  --model gpt-5
  OPENAI_BASE_URL     Ollama, vLLM, llama.cpp, and whatever else speaks as OpenAI does; OPENAI_API_KEY is sent to it
                      when it is set          --model llama3.2
A name that begins with anthropic/, openai/ or openai-compatible/ says which of these is meant. Each is reached through a
package that you install beside wakeful (@ai-sdk/anthropic, @ai-sdk/openai, @ai-sdk/openai-compatible).`;
