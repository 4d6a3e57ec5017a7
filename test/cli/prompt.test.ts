import { describe, expect, it } from "vitest";
import type { Line } from "../../src/cli/run/lines.ts";
import { type PromptOptions, promptOn } from "../../src/cli/run/prompt.ts";
import { settle } from "../support/virtual-clock.ts";
import { fakeIo, lastLineOf } from "./fake-io.ts";

/** A prompt at a terminal. `screen`: the last line. */
const prompting = (options: Partial<PromptOptions> = {}) => {
  const world = fakeIo({ isTTY: true });
  const prompt = promptOn(world.io, { onInterrupt: () => {}, ...options });
  const lines: Line[] = [];
  return {
    ...prompt,
    lines,
    async read() {
      for await (const line of prompt.lines) lines.push(line);
    },
    async type(keys: string) {
      world.stdin.write(keys);
      await settle();
    },
    end: () => world.stdin.end(),
    get screen() {
      return lastLineOf(world.written.err);
    },
    get written() {
      return world.written.err;
    },
  };
};

describe("the prompt", () => {
  it("is not there while no line is wanted", () => {
    const prompt = prompting();
    prompt.show();
    expect(prompt.screen).toBe("");
  });

  it("is there when a line is wanted", async () => {
    const prompt = prompting();
    void prompt.read();
    await settle();
    expect(prompt.screen).toBe("> ");
  });

  it("makes way, and comes back with what was typed so far", async () => {
    const prompt = prompting();
    void prompt.read();
    await prompt.type("add 2 ");
    prompt.hide();
    expect(prompt.screen).toBe("");
    prompt.show();
    await settle();
    expect(prompt.screen).toBe("> add 2 ");
    await prompt.type("and 3\r");
    expect(prompt.lines).toEqual([{ number: 1, text: "add 2 and 3" }]);
  });

  it("keeps lines that were typed ahead, in their order", async () => {
    const prompt = prompting();
    await prompt.type("one\rtwo\r");
    prompt.end();
    await prompt.read();
    expect(prompt.lines.map((line) => "text" in line && line.text)).toEqual(["one", "two"]);
  });

  it("takes lines that wait together as one text where that is asked for", async () => {
    const prompt = prompting({ joins: true });
    const read = prompt.read();
    await prompt.type("one\rtwo\r");
    prompt.end();
    await read;
    expect(prompt.lines).toEqual([{ number: 1, text: "one\ntwo" }]);
  });

  it("has another sign while it is told so, and the usual one before a line that was entered", async () => {
    const prompt = prompting();
    void prompt.read();
    await prompt.type("hi");
    prompt.sign("* ");
    expect(prompt.screen).toBe("* hi");
    await prompt.type("\r");
    expect(prompt.written).toMatch(/> hi\S*\r\n/);
  });

  it("tells of each key before it does what it does, but not of Ctrl-C", async () => {
    const told: string[] = [];
    const prompt = prompting({
      onKey: () => void told.push("key"),
      onEnter: () => void told.push("enter"),
      onLine: () => void told.push("line"),
      onInterrupt: () => void told.push("interrupt"),
    });
    void prompt.read();
    await prompt.type("a\u0003\r");
    expect(told).toEqual(["key", "interrupt", "key", "enter", "line"]);
  });

  it("ends the lines at Ctrl-D", async () => {
    const prompt = prompting();
    const read = prompt.read();
    await prompt.type("\u0004");
    await read;
    expect(prompt.lines).toEqual([]);
  });
});
