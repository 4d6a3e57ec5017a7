import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { Subject } from "rxjs";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chooseModel } from "../../src/cli/model/choose.ts";
import { realParts } from "../../src/cli/run/parts.ts";
import { type RunOptions, run } from "../../src/cli/run/run.ts";
import { InputRefusedError, LeaseHeldError, StoreFileError, ThreadIdError, ToolFileError } from "../../src/errors.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { createSystem } from "../../src/system/create.ts";
import { defineTool } from "../../src/tool/define.ts";
import { settle, virtualClock } from "../support/virtual-clock.ts";
import { fakeIo, lastLineOf } from "./fake-io.ts";

/** A run of the program in this process, on time that the test turns. */
const running = (
  { words = [], lines, ...more }: Partial<RunOptions> & { readonly lines?: readonly string[] },
  { script, world = fakeIo() }: { readonly script?: Script; readonly world?: ReturnType<typeof fakeIo> } = {},
) => {
  const clock = virtualClock(1_000);
  const model = script && scriptedModel(script);
  const code = run({ tools: [], json: false, words, ...more }, world.io, {
    ...realParts,
    clock,
    createSystem: (options) => createSystem({ ...options, clock }),
    chooseModel: async (...asked) => (model ? { model, isDemo: false } : chooseModel(...asked)),
  });
  code.catch(() => {});
  if (lines) world.stdin.end(lines.map((line) => `${line}\n`).join(""));
  return { ...world, world, clock, model, code };
};

describe("a run", () => {
  it("sends the words of the command line as one text, and ends when the thread is idle", async () => {
    const { code, written } = running({ words: ["say", "hello"] });
    expect(await code).toBe(0);
    expect(written.out).toBe("> say hello\n[running]\nhello\n[idle]\n");
  });

  it("sends the lines of stdin where there are no words", async () => {
    const { code, written } = running({ lines: ["say one", "", "say two"] });
    expect(await code).toBe(0);
    expect(written.out).toBe("> say one\n[running]\none\n[idle]\n> say two\n[running]\ntwo\n[idle]\n");
  });

  it("sleeps before the next line", async () => {
    const { code, clock, written } = running({ lines: ["sleep 60 then say hi", "say bye"] });
    await settle(30);
    expect(written.out).toBe("> sleep 60 then say hi\n[running]\n· Sleep for 60 seconds\n[idlePassive]\n");
    await clock.advance(60_000);
    expect(await code).toBe(0);
    expect(written.out).toMatch(/ {2}⇒ The time is over\.\n\[running\]\nhi\n\[idle\]\n> say bye\n/);
  });

  it("says on stderr that its model is no LLM, and nothing else", async () => {
    const { code, written } = running({ words: ["say hello"] });
    await code;
    expect(written.err).toBe(
      "wakeful: no --model and no key, so this is the demo model: a few rules, offline, no LLM.\n",
    );
  });

  it("prints updates as JSON lines and nothing else where that is asked for", async () => {
    const { code, written } = running({ words: ["say hello"], json: true });
    expect(await code).toBe(0);
    const types = written.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types).toContain("text.delta");
    expect(types).toContain("round.ended");
    expect(types[0]).toBe("input.accepted");
  });

  it("gives the agent its instructions, and the thread its name", async () => {
    const { code, model, written } = running(
      { words: ["hello"], instructions: "You are terse.", thread: "acme/1", json: true },
      { script: ["Yes."] },
    );
    expect(await code).toBe(0);
    const [request] = model?.requests ?? [];
    expect(JSON.stringify(request?.options.prompt[0])).toContain("You are terse.");
    expect(request?.options.prompt[0]?.content).toContain("Your thread id is acme/1. You are a root thread");
    expect(JSON.parse(written.out.split("\n")[0] ?? "").threadId).toBe("acme/1");
  });

  it("ends with 0 when there is nothing to send", async () => {
    const { code, written } = running({ lines: [] });
    expect(await code).toBe(0);
    expect(written.out).toBe("");
  });

  it("ends with 1 when the work on a line fails, and goes on with the next", async () => {
    const { code, written } = running(
      { lines: ["hello", "again"] },
      { script: [{ error: "fatal", message: "no such model" }, "Here I am."] },
    );
    expect(await code).toBe(1);
    expect(written.out).toMatch(
      /^> hello\n\[running\]\n! .*\(MODEL_FAILED\)\n\[idle\]\n> again\n\[running\]\nHere I am\.\n/,
    );
  });

  it("ends with 1 when a line is refused, names it, and goes on with the next", async () => {
    const { code, written } = running({ lines: ["x".repeat(2_000_000), "say hello"] });
    expect(await code).toBe(1);
    expect(written.err).toContain("wakeful: line 1 was not sent: it is 2.0 MB long");
    expect(written.out).toBe("> say hello\n[running]\nhello\n[idle]\n");
  });

  it("ends with 3 when only another line could end what the thread waits for", async () => {
    const { code, written } = running({ lines: ["wait for something"] });
    expect(await code).toBe(3);
    expect(written.err).toContain("waits for something that only another input could bring");
  });

  it.each([
    ["blank words", { words: ["", " "] }, "TEXT"],
    ["a tools file that is not there", { words: ["hi"], tools: ["nowhere.ts"] }, ToolFileError],
    ["a tool with the name of a built-in", { words: ["hi"], tools: ["test/cli/fixtures/named-sleep.ts"] }, '"sleep"'],
    ["an id that is none", { words: ["hi"], thread: "a b" }, ThreadIdError],
  ])("refuses %s before anything is sent", async (_, options, error) => {
    const { code, written, world } = running(options);
    await expect(code).rejects.toThrow(error as string);
    expect(written).toEqual({ out: "", err: "" });
    expect(world.listening).toBe(0);
  });

  it("lets no refusal of the door end it", async () => {
    const world = fakeIo();
    const code = run({ tools: [], json: false, words: ["hi"] }, world.io, {
      ...realParts,
      async createSystem(options) {
        const system = await createSystem(options);
        const refusing = async () => {
          throw new InputRefusedError("t", "the inbox\nis full");
        };
        return { ...system, launch: async () => Object.assign(await system.launch(), { send: refusing }) };
      },
    });
    expect(await code).toBe(1);
    expect(world.written.err).toContain("wakeful: line 1 was not sent: the inbox is full\n");
  });
});

describe("a run whose thread has children", () => {
  it("waits for the work of all of them before the next line, and at the end", async () => {
    const { code, clock, written } = running({ lines: ["split: sleep 60 | split: sleep 90", "say bye"] });
    await settle(60);
    expect(written.out).toContain("    child 2.1 │ · Sleep for 90 seconds\n");
    await clock.advance(60_000);
    await settle(30);
    expect(written.out).toContain("~ child 1 has closed and reports: I am awake again.\n");
    expect(written.out).not.toContain("say bye");
    await clock.advance(30_000);
    expect(await code).toBe(0);
    expect(written.out).toMatch(/All 2 parts are done\.\n\[idle\]\n> say bye\n\[running\]\nbye\n\[idle\]\n$/);
  });

  it("gives their updates as JSON lines too, each under its thread", async () => {
    const { code, written } = running({ words: ["split: say one | say two"], json: true, thread: "root" });
    expect(await code).toBe(0);
    const updates = written.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const children = updates.filter(({ type }) => type === "child.opened").map(({ childId }) => childId);
    expect(children).toHaveLength(2);
    for (const child of children) {
      const own = updates.filter(({ threadId }) => threadId === child).map(({ type, state }) => state ?? type);
      expect(own).toContain("text.delta");
      expect(own.at(-1)).toBe("closed");
    }
    expect(updates.at(-1)).toMatchObject({ threadId: "root", type: "state.changed", state: "idle" });
  });

  it("ends with 1 when the work of one of them failed", async () => {
    const script: Script = ({ prompt }) => {
      const text = JSON.stringify(prompt);
      if (text.includes("You are a child")) return { error: "fatal", message: "no such model" };
      return text.includes("Spawned")
        ? "Begun."
        : { calls: [{ name: "spawn_thread", args: { instructions: "sing", child_of: ["root"] } }] };
    };
    const { code, written } = running({ words: ["go"], thread: "root" }, { script });
    expect(await code).toBe(1);
    expect(written.out).toMatch(/^ {2}child 1 │ ! .*\(MODEL_FAILED\)$/m);
  });
});

describe("a run with a database", () => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-run-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const freshFile = () => join(folder, `${++files}.db`);

  it("says under which id its thread is kept, and the next run goes on with it", async () => {
    const db = freshFile();
    const first = running({ words: ["hi"], db }, { script: ["Hello."] });
    expect(await first.code).toBe(0);
    expect(existsSync(`${db}-wal`)).toBe(false);
    const [, thread = ""] =
      /^wakeful: to go on with this thread: wakeful run --db \S+ --thread (thread-\w{8})\n$/.exec(first.written.err) ??
      [];
    const second = running({ words: ["what?"], db, thread }, { script: ["I said hello."] });
    expect(await second.code).toBe(0);
    expect(JSON.stringify(second.model?.requests)).toContain("Hello.");
    expect(second.written.err).toBe("");
  });

  it("goes on with what was under way when the time is over, in the next", async () => {
    const db = freshFile();
    const first = running({ words: ["sleep 60 then say hi"], db, thread: "t", for: 10 });
    await settle(30);
    await first.clock.advance(10_000);
    expect(await first.code).toBe(0);
    expect(first.written.err).toContain("wakeful: stopping, for the time is over (--for 10).");
    const second = running({ lines: [], db, thread: "t" });
    await settle(30);
    await second.clock.advance(60_000);
    expect(await second.code).toBe(0);
    expect(second.written.out).toMatch(/ {2}⇒ The time is over\.\n\[running\]\nhi\n\[idle\]\n$/);
  });

  it("R8: is refused while another program runs its threads, and left alone", async () => {
    const db = freshFile();
    const first = running({ words: ["sleep 60"], db });
    await settle(30);
    const second = running({ words: ["hi"], db });
    await expect(second.code).rejects.toThrow(LeaseHeldError);
    expect(second.written).toEqual({ out: "", err: "" });
    first.signal("SIGTERM");
    expect(await first.code).toBe(143);
    expect(await running({ words: ["say hi"], db }).code).toBe(0);
  });

  it.each([
    ["a file of another program", "PNG\r\n", StoreFileError],
    ["a folder", undefined, StoreFileError],
  ])("refuses %s", async (_, content, error) => {
    const db = content === undefined ? folder : freshFile();
    if (content !== undefined) writeFileSync(db, content);
    await expect(running({ words: ["hi"], db }).code).rejects.toThrow(error);
  });

  it("refuses a name that is blank", async () =>
    expect(running({ words: ["hi"], db: " " }).code).rejects.toThrow("--db: is blank"));
});

describe("a run that is bounded", () => {
  it("stops an endless subscription with 0", async () => {
    const run = running({ words: ["count to 1000"], tools: ["docs/examples/index.ts"], for: 5 });
    while (!run.written.out.includes("[subscribed]")) await settle();
    await run.clock.advance(5_000);
    expect(await run.code).toBe(0);
    expect(run.world.listening).toBe(0);
  });

  it("does not wait for its time when it is done before", async () => {
    const run = running({ words: ["say hi"], for: 5 });
    expect(await run.code).toBe(0);
    expect(run.clock.due).toEqual([]);
  });
});

describe("a run that is stopped", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("by %s stops its system and ends with %d", async (signal, expected) => {
    const run = running({ lines: ["sleep 60", "say never"] });
    await settle(30);
    run.signal(signal);
    expect(await run.code).toBe(expected);
    expect(run.written.err).toContain("wakeful: stopping; once more leaves at once.");
    expect(run.written.out).not.toContain("never");
    expect(run.left).toEqual([]);
    expect(run.world.listening).toBe(0);
  });

  it("by Ctrl-C while it waits for a line ends as well", async () => {
    const run = running({});
    await settle(30);
    run.signal("SIGINT");
    expect(await run.code).toBe(130);
  });

  it("twice leaves at once", async () => {
    const run = running({ words: ["sleep 60"] });
    await settle(30);
    run.signal("SIGINT");
    run.signal("SIGINT");
    expect(run.left).toEqual([130]);
    await run.code;
  });

  it("by a reader that goes away ends quietly", async () => {
    const run = running({ lines: ["sleep 60"] });
    await settle(30);
    run.stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    expect(await run.code).toBe(0);
    expect(run.written.err.split("\n")).toHaveLength(2);
  });

  it("by a full disk says so", async () => {
    const run = running({ lines: ["sleep 60"] });
    await settle(30);
    run.stdout.emit("error", Object.assign(new Error("no space left"), { code: "ENOSPC" }));
    expect(await run.code).toBe(2);
    expect(run.written.err).toContain("wakeful: the output cannot be written: no space left");
  });

  it("by an error that comes after the last write is heard", async () => {
    const world = fakeIo();
    const full = new Writable({
      write: (_chunk, _encoding, done) => void setImmediate(done, Object.assign(new Error("full"), { code: "ENOSPC" })),
    });
    const code = run({ tools: [], json: false, words: ["say", "hello"] }, { ...world.io, stdout: full }, realParts);
    expect(await code).toBe(2);
  });

  it("by the same fault again and again says so once", async () => {
    const run = running({ lines: ["sleep 60"] });
    await settle(30);
    for (let time = 0; time < 3; time++) run.stdout.emit("error", new Error("no space left"));
    await run.code;
    expect(run.written.err.match(/cannot be written/g)).toHaveLength(1);
  });
});

describe("a run on a terminal", () => {
  it("says three things to try, reads lines, and does not repeat them", async () => {
    const run = running({}, { world: fakeIo({ isTTY: true, env: { NO_COLOR: "1" } }) });
    await settle(30);
    const tries = run.written.err.split("\n").filter((line) => line.startsWith("  "));
    expect(tries).toHaveLength(3);
    expect(run.written.err).toContain("> ");
    run.stdin.write("say hello\r");
    await settle(30);
    run.stdin.end();
    expect(await run.code).toBe(0);
    expect(run.written.out).toBe("[running]\nhello\n[idle]\n");
  });

  it("shows the prompt again after what an event brought", async () => {
    const world = fakeIo({ isTTY: true });
    const events = new Subject<{ text: string; associative: true }>();
    const watch = defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: z.object({}),
      subscribe: () => ({ started: "Watching.", events }),
    });
    const code = run({ tools: [], json: false, words: [] }, world.io, {
      ...realParts,
      createSystem: (options) => createSystem({ ...options, tools: [watch] }),
    });
    world.stdin.write("call watch {}\r");
    await settle(60);
    expect(lastLineOf(world.written.err)).toBe("> ");
    const told = world.written.err.length;
    events.next({ text: "it moved", associative: true });
    await settle(60);
    expect(stripVTControlCharacters(world.written.out)).toMatch(
      /~ watch: it moved\n\[running\]\n.*\n\[subscribed\]\n$/,
    );
    expect(world.written.err.length).toBeGreaterThan(told);
    expect(lastLineOf(world.written.err)).toBe("> ");
    world.signal("SIGINT");
    expect(await code).toBe(130);
  });

  it("stops at Ctrl-C, which arrives as a key", async () => {
    const run = running({}, { world: fakeIo({ isTTY: true }) });
    await settle(30);
    run.stdin.write("\u0003");
    expect(await run.code).toBe(130);
  });

  it("sends words without asking for lines", async () => {
    const run = running({ words: ["say hello"] }, { world: fakeIo({ isTTY: true, env: { NO_COLOR: "1" } }) });
    expect(await run.code).toBe(0);
    expect(run.written.out).toBe("> say hello\n[running]\nhello\n[idle]\n");
    expect(run.written.err).not.toContain("try");
  });
});
