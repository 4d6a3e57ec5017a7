import type { LanguageModelV4 } from "@ai-sdk/provider";
import { OptionError } from "../../errors.ts";
import { demoModel } from "../../model/demo/demo-model.ts";
import { type Env, given } from "./env.ts";
import { type ProviderName, providers } from "./providers.ts";

export interface ChosenModel {
  readonly model: LanguageModelV4;
  /** To be said once: why it is this model, when nobody asked for it. */
  readonly notice?: string;
  /** It can be told what to try. */
  readonly isDemo: boolean;
}

interface Choice {
  readonly provider: ProviderName;
  /** The provider's own name of the model. */
  readonly id: string;
}

const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"] as const;

/** The provider that a name begins with, as in `anthropic/claude-…`. Other names may have slashes of their own. */
const explicit = (name: string): Choice | undefined => {
  const at = name.indexOf("/");
  const [provider, id] = [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
  return Object.hasOwn(providers, provider) && id !== "" ? { provider: provider as ProviderName, id } : undefined;
};

/** For a name that says no provider: by its beginning, else by what is set. OPENAI_BASE_URL wins over a key alone. */
const implied = (name: string, env: Env): Choice => {
  if (name.startsWith("claude")) return { provider: "anthropic", id: name };
  if (given(env, "OPENAI_BASE_URL")) return { provider: "openai-compatible", id: name };
  if (given(env, "OPENAI_API_KEY")) return { provider: "openai", id: name };
  if (given(env, "ANTHROPIC_API_KEY")) return { provider: "anthropic", id: name };
  throw new OptionError(
    "--model",
    `nothing says where ${JSON.stringify(name)} is. Set ANTHROPIC_API_KEY, OPENAI_API_KEY, or OPENAI_BASE_URL (e.g. http://localhost:11434/v1 for Ollama); without --model the demo model answers.`,
  );
};

const demoNotice = (env: Env): string => {
  const set = keys.find((key) => given(env, key));
  const why = set ? `${set} is set and --model is not` : "no --model and no key";
  return `${why}, so this is the demo model: a few rules, offline, no LLM.`;
};

/**
 * The model of that name, made with the keys and addresses in `env`; without a name, and for `demo`, the demo model. Asks
 * nobody: whether the key is right and the model exists shows with the first request. Rejects with OptionError: when
 * nothing says where the model is, a key is missing, an address is none, or the provider's package is not installed.
 */
export const chooseModel = async (name: string | undefined, env: Env): Promise<ChosenModel> => {
  if (name === undefined) return { model: demoModel(), notice: demoNotice(env), isDemo: true };
  if (name === "demo") return { model: demoModel(), isDemo: true };
  if (name.trim() === "") throw new OptionError("--model", "is blank; name a model.");
  const { provider, id } = explicit(name) ?? implied(name, env);
  return { model: await providers[provider](id, env), isDemo: false };
};
