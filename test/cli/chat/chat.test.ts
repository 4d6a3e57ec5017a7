import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { chat } from "../../../src/cli/chat/chat.ts";
import { realParts } from "../../../src/cli/run/parts.ts";
import type { SessionOptions } from "../../../src/cli/run/session.ts";
import { InputRefusedError } from "../../../src/errors.ts";
import { type Script, scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { SharedStore } from "../../../src/store/store.ts";
import type { System } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import { defineTool, type Tool } from "../../../src/tool/define.ts";
import { settle, virtualClock } from "../../support/virtual-clock.ts";
import { fakeIo } from "../fake-io.ts";
import { fakeScreen } from "./fake-screen.ts";

const forever = ["test/cli/fixtures/forever.ts"];

interface Around {
  readonly script?: Script;
  readonly columns?: number;
  readonly env?: Record<string, string>;
  /** What `--db` opens, whatever its name. */
  readonly store?: SharedStore;
  readonly objects?: readonly Tool[];
  /** Why a text is not accepted. */
  readonly refuse?: (threadId: string) => Error | undefined;
}

/** The system, whose threads refuse what they are told to. */
const refusing = (system: System, refuse: (threadId: string) => Error | undefined): System => ({
  ...system,
  async launch(options) {
    const thread = await system.launch(options);
    const { send } = thread;
    return Object.assign(thread, {
      send: async (text: string) => {
        const error = refuse(thread.id);
        if (error) throw error;
        return send(text);
      },
    });
  },
});

/** A chat at a terminal, on time that the test turns. `head`: the rows before the first prompt. */
const chatting = async (
  options: Partial<SessionOptions> = {},
  { script = [], columns = 80, env = {}, store, objects = [], refuse = () => undefined }: Around = {},
) => {
  const world = fakeScreen({ columns, env: { NO_COLOR: "1", ...env } });
  const clock = virtualClock(1_000);
  const model = scriptedModel(script);
  const code = chat({ tools: [], json: false, ...options }, world.io, {
    ...realParts,
    clock,
    createSystem: async (given) =>
      refusing(await createSystem({ ...given, tools: [...(given.tools ?? []), ...objects], clock }), refuse),
    chooseModel: async () => ({ model, isDemo: false }),
    openStore: () => store as SharedStore,
  });
  code.catch(() => {});
  // Tools are loaded from files, in the time that this takes.
  while (!world.screen.text.endsWith(">")) await settle();
  const head = world.screen.text.length - 1;
  return {
    screen: world.screen,
    left: world.left,
    signal: world.signal,
    get raw() {
      return world.raw;
    },
    clock,
    model,
    code,
    /** The rows since the first prompt. */
    get shown() {
      return world.screen.text.slice(head);
    },
    async type(keys: string) {
      world.stdin.write(keys);
      await settle(40);
    },
  };
};

/** A store that several chats open one after the other. */
const sharedStore = (): SharedStore => {
  const store = memoryStore();
  return { ...store, close: async () => {} } as unknown as SharedStore;
};

describe("a chat", () => {
  it("says how it is left, and waits for a line", async () => {
    const chat = await chatting();
    expect(chat.screen.text).toBe("Ctrl-C interrupts, twice leaves; Ctrl-D leaves.\n>");
    expect(chat.screen.cursor).toEqual([1, 2]);
  });

  it("shows what is said, calls by their display, results and failures, and no states", async () => {
    const chat = await chatting(
      {},
      {
        script: [
          { chunks: [{ text: "Let me see." }, { tool_call: { name: "sleep", args: { seconds: 1 } } }] },
          "Good morning.",
          { error: "fatal", message: "no such model" },
        ],
      },
    );
    await chat.type("hello\r");
    await chat.clock.advance(1_000);
    await chat.type("again\r");
    expect(chat.screen.text.split("\n").slice(1)).toEqual([
      "> hello",
      "Let me see.",
      "· Sleep for 1 second",
      "  ⇒ The time is over.",
      "Good morning.",
      "> again",
      "! The request to the model failed (HTTP 400): no such model. (MODEL_FAILED)",
      ">",
    ]);
  });

  it("wraps what is said by words, also at 20 columns", async () => {
    const chat = await chatting({}, { columns: 20, script: ["The quick brown fox jumps over 漢字漢字漢字."] });
    await chat.type("tell me something\r");
    expect(chat.shown).toBe("> tell me something\nThe quick brown fox\njumps over 漢字漢字\n漢字.\n>");
  });

  it("shows what the agent thinks dim, and apart from what it says", async () => {
    const chat = await chatting(
      {},
      { env: { NO_COLOR: "" }, script: [{ chunks: [{ reasoning: "Hm, a greeting." }, { text: "Hello." }] }] },
    );
    await chat.type("hi\r");
    expect(chat.shown).toBe("> hi\nHm, a greeting.\nHello.\n>");
    expect(chat.raw).toContain("\u001b[2m greeting.\n\u001b[22m");
  });

  it("says in how many seconds a request is made again", async () => {
    const chat = await chatting(
      {},
      { script: [{ error: "transient", message: "overloaded", retryAfter: 7 }, "Here I am."] },
    );
    await chat.type("hi\r");
    expect(chat.shown).toContain("! Asked again in 7 s: The request to the model failed (HTTP 503): overloaded.");
    await chat.clock.advance(7_000);
    expect(chat.shown).toMatch(/\nHere I am\.\n>$/);
  });

  it("turns a spinner in place of the prompt's sign while the agent works", async () => {
    const chat = await chatting({}, { script: [{ chunks: [{ text: "Hello" }], end: "open" }] });
    await chat.type("hi\r");
    expect(chat.screen.text).toMatch(/\n⠋$/);
    await chat.clock.advance(120);
    expect(chat.screen.text).toMatch(/\n⠙$/);
    await chat.type("\u0003");
    expect(chat.shown).toBe("> hi\nHello\n  (interrupted)\n>");
  });

  it("R6: hears at once what is typed while the agent works", async () => {
    const chat = await chatting(
      { tools: forever },
      { script: [{ chunks: [{ tool_call: { name: "forever" } }] }, "Fine."] },
    );
    await chat.type("work\r");
    expect(chat.screen.text).toMatch(/· forever\(\)\n⠋$/);
    await chat.type("stop that\r");
    expect(chat.shown).toBe("> work\n· forever()\n> stop that\n  (interrupted)\nFine.\n>");
  });

  it("shows the last word that had come above the text that interrupts it", async () => {
    const chat = await chatting({}, { script: [{ chunks: [{ text: "One two" }], end: "open" }, "Fine."] });
    await chat.type("hi\r");
    await chat.type("stop\r");
    expect(chat.shown).toBe("> hi\nOne two\n> stop\n  (interrupted)\nFine.\n>");
  });

  it("keeps what is being typed below what comes meanwhile, row by row", async () => {
    const script: Script = [{ chunks: [{ text: "One two three" }], end: "open" }];
    const chat = await chatting({}, { columns: 20, script });
    await chat.type("hi\r");
    await chat.type("a text that is longer than one row");
    expect(chat.shown).toMatch(/^> hi\nOne two\n. a text that is lon\nger than one row$/);
    await chat.type("\u001b[A\u001b[B!");
    await chat.clock.advance(360);
    await chat.type("\u0003");
    expect(chat.shown).toBe("> hi\nOne two three\n  (interrupted)\n> a text that is lon\nger than one row!");
  });

  it("goes on with an open line where it stood", async () => {
    const chat = await chatting(
      {},
      { script: [{ chunks: [{ text: "One two" }, { text: " three" }, { text: " four " }, { text: "five" }] }] },
    );
    await chat.type("count\r");
    expect(chat.shown).toBe("> count\nOne two three four five\n>");
  });

  it("takes lines that are pasted together as one text", async () => {
    const chat = await chatting({}, { script: ["I see."] });
    await chat.type("Error: x\r  at a\r  at b\r");
    expect(JSON.stringify(chat.model.requests)).toContain("Error: x\\\\n  at a\\\\n  at b".replaceAll("\\\\", "\\"));
    expect(chat.model.requests).toHaveLength(1);
  });

  it("sends no blank line", async () => {
    const chat = await chatting();
    await chat.type("  \r");
    expect(chat.model.requests).toEqual([]);
  });

  it("says why a text was not sent, and goes on", async () => {
    let isFull = true;
    const chat = await chatting(
      {},
      {
        script: ["Hello."],
        refuse: (threadId) => (isFull ? new InputRefusedError(threadId, "its inbox is full") : undefined),
      },
    );
    await chat.type("hi\r");
    expect(chat.shown).toBe("> hi\nnot sent: its inbox is full\n>");
    isFull = false;
    await chat.type("hi\r");
    expect(chat.shown).toMatch(/> hi\nHello\.\n>$/);
  });
});

describe("Ctrl-C in a chat", () => {
  it("says that a second one leaves when there is nothing to interrupt, and the second leaves", async () => {
    const chat = await chatting();
    await chat.type("\u0003");
    expect(chat.shown).toBe("Nothing to interrupt. Ctrl-C once more leaves.\n>");
    await chat.type("\u0003");
    expect(await chat.code).toBe(0);
    expect(chat.left).toEqual([]);
  });

  it("is the first one again once something was typed", async () => {
    const chat = await chatting();
    await chat.type("\u0003a\u0003");
    expect(chat.shown).toMatch(/(Nothing to interrupt.*\n){2}> a$/);
  });

  it("is the first one again once the agent began something new", async () => {
    const chat = await chatting(
      {},
      {
        script: [
          { chunks: [{ tool_call: { name: "sleep", args: { seconds: 60 } } }] },
          { chunks: [{ text: "Awake." }], end: "open" },
        ],
      },
    );
    await chat.type("sleep\r");
    await chat.type("\u0003");
    await chat.clock.advance(60_000);
    await chat.type("\u0003");
    expect(chat.shown).toMatch(/Awake\.\n {2}\(interrupted\)\n>$/);
    await chat.type("\u0003");
    expect(await chat.code).toBe(0);
  });

  it("interrupts what an event began after it interrupted something else", async () => {
    const events = new Subject<{ text: string; associative: true }>();
    const watch = defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: z.object({}),
      subscribe: () => ({ started: "Watching.", events }),
    });
    const script: Script = [
      { chunks: [{ tool_call: { name: "watch" } }] },
      "I watch.",
      { chunks: [{ text: "It moved." }], end: "open" },
      { chunks: [{ text: "And again." }], end: "open" },
    ];
    const chat = await chatting({}, { script, objects: [watch] });
    await chat.type("watch\r");
    for (const text of ["one", "two"]) {
      events.next({ text, associative: true });
      await settle(40);
      await chat.type("\u0003");
    }
    expect(chat.shown).toMatch(/~ watch: two\nAnd again\.\n {2}\(interrupted\)\n>$/);
  });

  it("interrupts, and twice in a row leaves", async () => {
    const chat = await chatting({ tools: forever }, { script: [{ chunks: [{ tool_call: { name: "forever" } }] }] });
    await chat.type("work\r");
    await chat.type("\u0003\u0003");
    expect(await chat.code).toBe(0);
    expect(chat.shown).toBe("> work\n· forever()\n  (interrupted)");
  });
});

describe("leaving a chat", () => {
  it("with Ctrl-D takes the prompt away", async () => {
    const chat = await chatting();
    await chat.type("\u0004");
    expect(await chat.code).toBe(0);
    expect(chat.screen.text).toBe("Ctrl-C interrupts, twice leaves; Ctrl-D leaves.");
    expect(chat.screen.cursor).toEqual([1, 0]);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("by %s is graceful, with %d", async (signal, expected) => {
    const chat = await chatting({}, { script: [{ chunks: [{ text: "Hello" }], end: "open" }] });
    await chat.type("hi\r");
    chat.signal(signal);
    expect(await chat.code).toBe(expected);
    expect(chat.left).toEqual([]);
  });

  it("happens by itself when the time is over, with 0", async () => {
    const chat = await chatting({ for: 60 });
    await chat.clock.advance(60_000);
    expect(await chat.code).toBe(0);
    expect(chat.screen.text).toContain("stopping, for the time is over (--for 60).");
  });

  it("says how to go on with a thread that is kept, and shows then what was said last", async () => {
    const store = sharedStore();
    const first = await chatting({ db: "my agents.db" }, { store, script: ["Hello."], columns: 200 });
    await first.type("hi\r");
    await first.type("\u0004");
    expect(await first.code).toBe(0);
    const [, thread] =
      /to go on with this thread: wakeful chat --db 'my agents\.db' --thread (thread-\w{8})$/.exec(first.screen.text) ??
      [];
    const second = await chatting({ db: "my agents.db", thread: thread ?? "" }, { store, script: ["I said hello."] });
    expect(second.screen.text).toMatch(/\nWhat was said:\n> hi\nHello\.\n>$/);
    await second.type("what?\r");
    expect(second.screen.text).toMatch(/\n> what\?\nI said hello\.\n>$/);
    expect(JSON.stringify(second.model.requests)).toContain("Hello.");
  });
});

describe("a chat in a pipe", () => {
  it("is plain text, a line after the other, with notices on stderr", async () => {
    const { io, stdin, written } = fakeIo();
    stdin.end("sleep 1 then say hi\nsay bye\n");
    const clock = virtualClock(1_000);
    const code = chat({ tools: [], json: false }, io, {
      ...realParts,
      createSystem: (given) => createSystem({ ...given, clock }),
    });
    await settle(30);
    await clock.advance(1_000);
    expect(await code).toBe(0);
    expect(written.out).toBe(
      "> sleep 1 then say hi\n· Sleep for 1 second\n  ⇒ The time is over.\nhi\n> say bye\nbye\n",
    );
    expect(written.err).toBe(
      "wakeful: no --model and no key, so this is the demo model: a few rules, offline, no LLM.\n",
    );
  });

  it("can be left to somebody at a terminal whose conversation goes elsewhere", async () => {
    const { io, stdin, stdout, written } = fakeIo({ isTTY: true });
    const code = chat(
      { tools: [], json: false },
      { ...io, stdout: Object.assign(stdout, { isTTY: false }) },
      realParts,
    );
    await settle(30);
    stdin.write("say hi\r");
    await settle(60);
    stdin.write("\u0004");
    expect(await code).toBe(0);
    expect(written.out).toBe("hi\n");
  });

  it("prints updates as JSON lines and nothing else where that is asked for", async () => {
    const { io, stdin, written } = fakeIo();
    stdin.end("say hi\n");
    expect(await chat({ tools: [], json: true }, io, realParts)).toBe(0);
    const types = written.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types).toContain("text.delta");
  });
});
