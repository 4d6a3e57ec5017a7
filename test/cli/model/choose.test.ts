import { describe, expect, it } from "vitest";
import { chooseModel } from "../../../src/cli/model/choose.ts";
import { loaded } from "../../../src/cli/model/loaded.ts";
import { OptionError } from "../../../src/errors.ts";

const anthropic = { ANTHROPIC_API_KEY: "key-of-anthropic" };
const openai = { OPENAI_API_KEY: "key-of-openai" };
const local = { OPENAI_BASE_URL: "http://localhost:11434/v1" };

const chosen = async (name: string, env: Record<string, string>): Promise<string> => {
  const { model } = await chooseModel(name, env);
  return `${model.provider} ${model.modelId}`;
};

describe("the model of a name", () => {
  it.each([
    ["anthropic/claude-x", { ...anthropic, ...local }, "anthropic.messages claude-x"],
    ["openai/gpt-x", { ...openai, ...anthropic }, "openai.responses gpt-x"],
    ["openai-compatible/openai/gpt-oss", local, "openai-compatible.chat openai/gpt-oss"],
    ["claude-x", { ...anthropic, ...openai, ...local }, "anthropic.messages claude-x"],
    ["llama3.2", { ...anthropic, ...openai, ...local }, "openai-compatible.chat llama3.2"],
    ["meta-llama/Llama-3", local, "openai-compatible.chat meta-llama/Llama-3"],
    ["gpt-x", { ...anthropic, ...openai }, "openai.responses gpt-x"],
    ["opus", anthropic, "anthropic.messages opus"],
    ["gpt-x", { ...openai, OPENAI_BASE_URL: " " }, "openai.responses gpt-x"],
    ["constructor/x", local, "openai-compatible.chat constructor/x"],
    ["demo", {}, "wakeful demo"],
  ])("%s with %j is %s", async (name, env, expected) => expect(await chosen(name, env)).toBe(expected));

  it.each([
    ["gpt-x", {}, 'nothing says where "gpt-x" is. Set ANTHROPIC_API_KEY, OPENAI_API_KEY, or OPENAI_BASE_URL'],
    ["claude-x", openai, '"claude-x" needs ANTHROPIC_API_KEY to be set.'],
    ["claude-x", local, "say --model openai-compatible/claude-x."],
    ["openai/gpt-x", anthropic, '"gpt-x" needs OPENAI_API_KEY to be set.'],
    ["openai-compatible/x", openai, '"x" needs OPENAI_BASE_URL to be set.'],
    [" ", openai, "is blank; name a model."],
    ["x", { OPENAI_BASE_URL: "localhost:11434/v1" }, "OPENAI_BASE_URL: is no address."],
    ["x", { OPENAI_BASE_URL: "file:///etc" }, "OPENAI_BASE_URL: is no address."],
    ["x", { OPENAI_BASE_URL: "http://me:secret@host/v1" }, "OPENAI_BASE_URL: has a user or a password in it"],
  ])("refuses %s with %j", async (name, env: Record<string, string>, said) => {
    const error = await chooseModel(name, env).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(OptionError);
    expect((error as Error).message).toContain(said);
    expect((error as Error).message).not.toContain("secret");
  });

  it.each([
    [{}, "no --model and no key, so this is the demo model: a few rules, offline, no LLM."],
    [openai, "OPENAI_API_KEY is set and --model is not, so this is the demo model: a few rules, offline, no LLM."],
  ])("is the demo model where none is named, which says so: %j", async (env: Record<string, string>, notice) =>
    expect(await chooseModel(undefined, env)).toMatchObject({ notice, isDemo: true }),
  );

  it("names the package that is to be installed", async () => {
    const missing = Object.assign(new Error("Cannot find package '@ai-sdk/openai' imported from x.js"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    await expect(loaded("@ai-sdk/openai", () => Promise.reject(missing))).rejects.toThrow(
      "Option --model: this one is reached through @ai-sdk/openai, which is not installed: npm install @ai-sdk/openai@4",
    );
  });

  it("does not take a fault inside a package for its absence", async () => {
    const broken = Object.assign(new Error("Cannot find package 'zod' imported from x.js"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    await expect(loaded("@ai-sdk/openai", () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
