import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinTools } from "../../../src/tool/builtin/index.ts";
import { conversation, exampleTools, lines } from "./talk.ts";

const linesFor = async (words: string, tools = exampleTools) => lines(await conversation(tools).says(words));

describe("the demo model", () => {
  it("checks a build", async () =>
    expect(await linesFor("check build 42")).toEqual(['get_build_status {"build_id":"42"}', "Build 42 passed."]));

  it("adds", async () =>
    expect(await linesFor("add 2 and 3")).toEqual(['calculate {"expression":"2 + 3"}', "2 + 3 = 5."]));

  it("sleeps, then says what it was told to", async () =>
    expect(await linesFor("sleep 1 then say hi")).toEqual(['sleep {"seconds":1}', "hi"]));

  it("says that it is awake when nothing else is left to do", async () =>
    expect(await linesFor("sleep for 2 minutes")).toEqual(['sleep {"seconds":120}', "I am awake again."]));

  it.each([
    ["what is 2*(3+4)?", "calculate", { expression: "2*(3+4)" }],
    ["What's 7 plus 8?", "calculate", { expression: "7 + 8" }],
    ["please add 1, 2 and 3", "calculate", { expression: "1 + 2 + 3" }],
    ["subtract two from 5", "calculate", { expression: "5 - 2" }],
    ["divide 10 by 4.", "calculate", { expression: "10 / 4" }],
    ["multiply 3 by 4 please", "calculate", { expression: "3 * 4" }],
    ["is build 7 done?", "get_build_status", { build_id: "7" }],
    ["What is the status of build #a-1?", "get_build_status", { build_id: "a-1" }],
    ["could you please count up to three", "count_up", { to: 3 }],
    ["wait 0.5 seconds", "sleep", { seconds: 0.5 }],
    ["wait until something happens", "sleep_until_event_or_input", {}],
    ['call count_up {"to": 2}', "count_up", { to: 2 }],
  ])("reads %j as a call of %s", async (words, name, args) => {
    const [first] = await conversation().says(words);
    expect(first?.calls).toMatchObject([{ name, args }]);
  });

  it("does one thing after the other", async () =>
    expect(await linesFor("check build 42, then add 2 and 3. Then say bye and say so")).toEqual([
      'get_build_status {"build_id":"42"}',
      "Build 42 passed.",
      'calculate {"expression":"2 + 3"}',
      "2 + 3 = 5. bye so",
    ]));

  it("calls in one turn what belongs together, but never beside a wait", async () => {
    const turns = await conversation().says("check build 42 and add 2 and 3 and sleep 1 and check build 43");
    expect(turns.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
      ["get_build_status", "calculate"],
      ["sleep"],
      ["get_build_status"],
      [],
    ]);
  });

  it("ends what it is to say where the next request begins", async () =>
    expect(await linesFor("say salt and pepper and add 2 and 3")).toEqual([
      "salt and pepper",
      'calculate {"expression":"2 + 3"}',
      "2 + 3 = 5.",
    ]));

  it("says that it is no LLM, once, and names three things to try, when it does not understand", async () => {
    const talk = conversation();
    const [first] = lines(await talk.says("write me a poem"));
    expect(first).toMatch(/not an LLM.*"write me a poem".*"check build 42", "add 2 and 3" or "count to 3"/);
    const [second] = lines(await talk.says("a poem!"));
    expect(second).not.toContain("LLM");
    expect(second).toContain('"check build 42"');
  });

  it("says that it is no LLM in every help, and suggests what the offered tools can do", async () => {
    const [all] = await linesFor("help");
    for (const part of ["not an LLM", "check build 42", "count to 3", "sleep 1 then say hi"])
      expect(all).toContain(part);
    const [few] = await linesFor("help", { echo: () => "" });
    expect(few).toMatch(/not an LLM.*"call echo \{\}"/);
    expect(few).not.toContain("build");
  });

  it("suggests calls of built-in tools in words alone", async () => {
    const builtins = Object.fromEntries(builtinTools.map(({ name }) => [name, () => ""]));
    const [said] = await linesFor("help", { ...builtins, echo: () => "" });
    expect(said?.match(/"call [^"]*"/g)).toEqual(['"call echo {}"']);
    expect(said).toContain('"split: add 2 and 3 | check build 42"');
  });

  it("does what it understands of a text and names the rest", async () => {
    const said = await linesFor("add 2 and 3 then fly to the moon");
    expect(said[0]).toBe('calculate {"expression":"2 + 3"}');
    expect(said[1]).toMatch(/^2 \+ 3 = 5\. .*"fly to the moon"/);
  });

  it("calls no tool that is not offered, and goes on", async () =>
    expect(await linesFor("check build 42 then say hi", { calculate: () => "5" })).toEqual([
      expect.stringMatching(/^I have no tool get_build_status here\. Try .* hi$/),
    ]));

  it("says that a call went wrong", async () => {
    const broken = {
      ...exampleTools,
      get_build_status: () => ({ type: "error-text", value: "no such build" }) as const,
    };
    expect(await linesFor("check build 42 then add 2 and 3", broken)).toEqual([
      'get_build_status {"build_id":"42"}',
      "get_build_status did not work: no such build.",
      'calculate {"expression":"2 + 3"}',
      "2 + 3 = 5.",
    ]);
    const denied = { ...exampleTools, calculate: () => "Error: expression is missing" };
    expect(await linesFor("add 2 and 3", denied)).toContain("calculate did not work: expression is missing.");
  });

  it("answers any text, at once or after calls, and always ends", () => {
    const fragment = fc.oneof(
      fc.constantFrom("check build 42", "add 2 and 3", "count to 3", "sleep 1", "say hi", "help", "wait for news"),
      fc.string({ unit: "grapheme" }),
    );
    const sentence = fc
      .array(fc.tuple(fragment, fc.constantFrom(" and ", " then ", ", ", "\n", ". ")), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.flat().join("").replaceAll("\0", ""))
      .filter((words) => words.trim() !== "");
    return fc.assert(
      fc.asyncProperty(sentence, async (words) => {
        const turns = await conversation().says(words);
        expect(turns.every(({ text, calls }) => text.trim() !== "" || calls.length > 0)).toBe(true);
        expect(await conversation().says(words)).toEqual(turns);
      }),
    );
  });

  it("reads no text of a size that nobody types", async () => {
    const [answer] = await linesFor(`add ${"1 and ".repeat(2_000_000)}2`);
    expect(answer).toContain("I do not understand");
    expect(answer?.length).toBeLessThan(400);
  });
});
