import { anthropic } from "@ai-sdk/anthropic";
import { createSystem, type System } from "wakeful";

export const claudeThatThinks = (): Promise<System> =>
  createSystem({
    model: anthropic("claude-sonnet-4-5"),
    modelOptions: {
      settings: {
        maxOutputTokens: 16_000,
        providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 8_000 } } },
      },
    },
  });
