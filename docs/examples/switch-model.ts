import { anthropic } from "@ai-sdk/anthropic";
import { openai } from "@ai-sdk/openai";
import { createSystem } from "wakeful";

/** Asks one model, then goes on with another. */
export const switchModel = async (): Promise<readonly string[]> => {
  const system = await createSystem({ model: openai("gpt-5-mini") });
  const thread = await system.open("acme/report");
  const draft = await thread.ask("Draft the report.");

  system.useModel(anthropic("claude-sonnet-4-5"), { settings: { maxOutputTokens: 4_000 } });
  const final = await thread.ask("Make it shorter.");

  await system.stop();
  return [draft, final];
};
