import { describe, expect, it } from "vitest";
import { eventsAsFor, rememberEventsAsText } from "../../src/model/events-as.ts";
import { resolveSettings } from "../../src/model/settings.ts";

describe("what was found out of a model", () => {
  it("holds for the model of that provider and id, before what its owner says, and for no other", () => {
    const found = { provider: "p", modelId: "found" };
    expect(eventsAsFor(found, "call")).toBe("call");
    rememberEventsAsText(found);
    expect(eventsAsFor({ ...found }, "call")).toBe("text");
    expect(eventsAsFor({ provider: "p", modelId: "other" }, "call")).toBe("call");
    expect(eventsAsFor({ provider: "p/found", modelId: "" }, undefined)).toBe("call");
  });
});

describe("the settings of a model", () => {
  it.each(["openai.responses", "azure.responses", "azure-openai.responses"])(
    "ask %s to keep nothing, unless they say so themselves",
    (provider) => {
      expect(resolveSettings({ provider })).toEqual({ providerOptions: { openai: { store: false } } });
      const providerOptions = { openai: { reasoningEffort: "low" }, other: { a: 1 } };
      expect(resolveSettings({ provider }, { seed: 1, providerOptions })).toEqual({
        seed: 1,
        providerOptions: { openai: { store: false, reasoningEffort: "low" }, other: { a: 1 } },
      });
      const kept = { providerOptions: { openai: { store: true } } };
      expect(resolveSettings({ provider }, kept)).toEqual(kept);
    },
  );

  it.each(["openai.chat", "anthropic.messages", "my.responses"])("are what they are for %s", (provider) => {
    const settings = { temperature: 0 };
    expect(resolveSettings({ provider }, settings)).toBe(settings);
  });
});
