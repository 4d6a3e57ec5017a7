import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { atWork, wakeful, wakefulHere } from "./wakeful.ts";

let world: Awaited<ReturnType<typeof atWork>>;
beforeAll(async () => {
  world = await atWork();
}, 120_000);
afterAll(() => world.stop(), 120_000);

const longId = `acme/${"long-".repeat(38)}end`;
const here = (args: readonly string[], options = {}) => wakefulHere([...args, "--db", world.db], options);

describe("a database that another process runs", { timeout: 120_000 }, () => {
  it("is listed, in a pipe with whole ids", async () => {
    const { code, out, err } = await wakeful(["threads", "--db", world.db]);
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ +/));
    expect(rows).toEqual([
      ["THREAD", "STATE", "WAITING", "DUE"],
      ["acme/asleep", "idlePassive", "0", "-"],
      ["acme/build-42", "awaitingActiveCall", "2", "-"],
      ["acme/idle", "idle", "0", "-"],
      [longId, "idle", "0", "-"],
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("is listed as JSON lines, and by state", async () => {
    const { out } = await here(["threads", "--json", "--state", "awaitingActiveCall"]);
    expect(JSON.parse(out)).toEqual({
      threadId: "acme/build-42",
      parent: null,
      state: "awaitingActiveCall",
      waiting: 2,
      due: false,
    });
  });

  it.each([20, 47, 80, 300])("fits a terminal of %d columns", async (columns) => {
    for (const args of [["threads"], ["show", "acme/build-42"], ["show", "acme/asleep"]]) {
      const { out } = await here(args, { columns });
      expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect(out).toContain("acme/");
      expect(out).toMatch(/ ?awaitingActiveCall|idlePassive/);
    }
  });

  it("shows a thread: what it was launched with, what was said, what it waits for (R9)", async () => {
    const { code, out, err } = await wakeful(["show", "acme/build-42", "--db", world.db]);
    const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g;
    const told = out
      .replaceAll(instant, "T")
      .replaceAll(/\(.*(?:ago|now)\)/g, "(ago)")
      .replaceAll(/\(in (?:59|60) minutes\)/g, "(in 1 h)")
      .replaceAll(/, (?:\d+ seconds? ago|now)$/gm, ", ago")
      .replace(/^run by .*$/m, (line) => line.replace(/ on .*/, " on HOST").replace(String(world.pid), "PID"));
    expect(told).toBe(`acme/build-42
state         awaitingActiveCall
run by        process PID on HOST
instructions  Be brief.
tools         deploy
metadata      {"tenant":"acme"}
usage         22 tokens in, 9 out
last failure  none

History: 8 entries
[0] the user, T
  call watch_mailbox {"mailbox": "shop@example.com"}
[1] the agent, T
  calls watch_mailbox({"mailbox":"shop@example.com"}), acme/build-42#1.0
[2] result of watch_mailbox, acme/build-42#1.0 (tool), T
  Watching.
[3] the agent, T
  watch_mailbox says: Watching.
[4] event of watch_mailbox({"mailbox":"shop@example.com"}), acme/build-42#1.0, T
  Hello, shop.
[5] the agent, T
  watch_mailbox reports: Hello, shop.
[6] the user, T
  call deploy {"version": "v7"}
[7] the agent, T
  calls deploy({"version":"v7"}), acme/build-42#4.0

Outstanding calls
  deploy({"version":"v7"}), acme/build-42#4.0
    deploy of v7
    acknowledged: handed over, and taken on, since T (ago)
    ends with a result that somebody delivers; or its deadline, T (in 1 h); or text of the user or an interrupt

Inputs that wait
  event of acme/build-42#1.0, id mail-2, ago
    DEFERRED: an active call is outstanding, deploy
    Where is my order?
  text of user, which does not interrupt, id later, ago
    DEFERRED: an active call is outstanding, deploy
    when you have time, say hi

Subscriptions
  watch_mailbox({"mailbox":"shop@example.com"}), acme/build-42#1.0
    the last event it handled has the id mail-1

Timers
  deadline of acme/build-42#4.0: T (in 1 h)

Children: none
`);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("shows what ends a wait", async () => {
    const { out } = await here(["show", "acme/asleep"]);
    expect(out).toMatch(
      /a wait, since .*\n +ends with its time, .* \(in (59|60) minutes\); or any input that wakes the thread\n/,
    );
    expect(out).toMatch(/Timers\n {2}end of the time of acme\/asleep#1\.0: /);
    expect(out).toContain("Inputs that wait: none\n\nSubscriptions: none\n");
  });

  it("shows the last of a history, and how much there is", async () => {
    const { out } = await here(["show", "acme/build-42", "--last", "1"]);
    expect(out).toContain("History: the last 1 of 8 entries (--last 8 shows all)\n[7] the agent");
    expect(out).not.toContain("[6]");
    expect((await here(["show", "acme/build-42", "--last", "0"])).out).toMatch(/shows all\)\n\nOutstanding calls\n/);
  });

  it("gives everything as JSON, as the store has it, and nothing that a terminal obeys", async () => {
    const { out } = await here(["show", "acme/build-42", "--json"]);
    const shown = JSON.parse(out);
    const store = sqliteStore(world.db);
    const thread = await store.load("acme/build-42" as never);
    const history = await store.history("acme/build-42" as never);
    await store.close();
    expect(shown).toMatchObject({ ...thread?.spec, ...thread?.record, history });
    expect(shown.subscriptions).toEqual(thread?.subscriptions);
    expect(shown.waiting).toEqual(
      thread?.inbox.map((input) => ({ ...input, standing: "deferred", whileOutstanding: ["acme/build-42#4.0"] })),
    );
    expect(shown.calls).toEqual([
      {
        ...thread?.calls[0],
        since: history.at(-1)?.entry.at,
        isAnswered: false,
        isLost: false,
        endedBy: [
          { by: "result", from: "anybody" },
          { by: "deadline", due: expect.any(Number) },
          { by: "interruption" },
        ],
      },
    ]);
    expect(shown.timers).toEqual([
      { callId: "acme/build-42#4.0", purpose: "deadline", due: shown.calls[0].endedBy[1].due },
    ]);
    expect(shown.runner.by).toContain(`process ${world.pid} on `);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    const { out: short } = await here(["show", "acme/build-42", "--json", "--last", "2"]);
    expect(JSON.parse(short)).toEqual({ ...shown, history: history.slice(-2), runner: JSON.parse(short).runner });
  });

  it("names ids that are close to one that is not there, with 1", async () => {
    expect(await here(["show", "acme/buld-42"])).toEqual({
      code: 1,
      out: "",
      err: `wakeful: there is no thread acme/buld-42 in ${world.db}. Did you mean acme/build-42?\n`,
    });
    expect(await here(["show", "nobody"])).toEqual({
      code: 1,
      out: "",
      err: `wakeful: there is no thread nobody in ${world.db}. wakeful threads --db ${world.db} lists those there are.\n`,
    });
  });

  it("takes a text, which the process that runs it answers, and drops it when it comes again (R1, R2)", async () => {
    const args = ["send", "acme/idle", "say", "good", "morning", "--id", "m1"];
    const first = await wakeful([...args, "--db", world.db]);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(/^accepted as m1; process \d+ on \S+ runs this database\n$/);
    expect((await here(args)).out).toMatch(
      /^seen before as m1, nothing was added; process \d+ on \S+ runs this database\n$/,
    );
    await expect
      .poll(async () => (await here(["show", "acme/idle"])).out, { timeout: 60_000, interval: 100 })
      .toMatch(/say good morning\n\[\d+\] the agent, .*\n {2}good morning\n/);
  });

  it("takes a text that waits, which is deferred like the others (R4, R6)", async () => {
    const { out } = await here(["send", "acme/build-42", "and this", "--while-busy", "wait", "--id", "w1", "--json"]);
    expect(JSON.parse(out)).toEqual({
      threadId: "acme/build-42",
      id: "w1",
      isNew: true,
      runner: { by: expect.stringContaining(`process ${world.pid} on `), until: expect.any(Number) },
    });
    const { waiting } = JSON.parse((await here(["show", "acme/build-42", "--json"])).out);
    expect(waiting.at(-1)).toMatchObject({ dedupId: "w1", standing: "deferred" });
  });
});
