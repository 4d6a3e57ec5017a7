import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createSystem, type System } from "wakeful";

/** Ollama listens here; vLLM at http://localhost:8000/v1, llama.cpp at http://localhost:8080/v1. */
const ollama = "http://localhost:11434/v1";

export const localModel = (baseURL = ollama): Promise<System> => {
  // Without `includeUsage` a server of this kind counts no tokens.
  const local = createOpenAICompatible({ name: "ollama", baseURL, includeUsage: true });
  return createSystem({ model: local("qwen3:8b"), limits: { silence: 300_000 } });
};
