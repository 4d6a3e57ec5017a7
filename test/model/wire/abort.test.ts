import { describe, expect, it } from "vitest";
import type { Answer } from "../../support/wire/script.ts";
import { find } from "../../support/wire/tools.ts";
import { formats, historyOf, until, type Wired, wired } from "../../support/wire/wired.ts";

const long: Answer = { said: [{ text: "word ".repeat(20) }, { call: "find", args: '{"q":"a"}' }] };

/** Asks, and waits until a part of the answer is shown, or only for the request when there will be none. */
const opened = async ({ thread, server }: Wired, isShown: boolean): Promise<void> => {
  let shown = false;
  thread.updates$.subscribe(({ type }) => {
    shown ||= type === "text.delta";
  });
  await thread.send("go");
  await until(() => (isShown ? shown : server.requests.length === 1), "the answer");
};

const isClosed = ({ server }: Wired) => until(() => server.requests[0]?.closedEarly === true, "the end of the request");

describe.each(formats)("a request to $name that is open", (format) => {
  describe.each([
    ["while the answer comes", true],
    ["before the answer has begun", false],
  ] as const)("%s", (_, isShown) => {
    const bench = async () => {
      const made = await wired(format, { tools: [find] });
      made.server.reply(isShown ? made.replies.begins(long, 6) : { silent: true });
      await opened(made, isShown);
      return made;
    };

    it("is closed by what the user writes, which is answered next", async () => {
      const made = await bench();
      made.server.reply(made.replies.says("yes?"));
      expect(await made.thread.ask("wait")).toBe("yes?");
      await isClosed(made);
      const history = (await historyOf(made.thread)).map(({ entry }) => entry);
      expect(history.map(({ kind }) => kind)).toEqual(
        isShown ? ["user", "turn", "user", "turn"] : ["user", "user", "turn"],
      );
    });

    it("is closed by an interrupt, and nothing is asked any more", async () => {
      const made = await bench();
      await made.thread.interrupt();
      await isClosed(made);
      expect(await made.thread.atRest()).toBe("idle");
      expect(made.server.requests).toHaveLength(1);
      expect(made.clock.due.filter((at) => at < made.clock.now() + 50_000)).toEqual([]);
    });

    it("is closed when the system stops", async () => {
      const made = await bench();
      await made.system.stop();
      await isClosed(made);
    });
  });

  it("report 002: drops a call whose arguments were still coming when the user wrote, and keeps those that were whole", async () => {
    const made = await wired(format, { tools: [find] });
    const said = [
      { text: "I look" },
      { call: "find", args: '{"q":"a whole one"}' },
      { call: "find", args: '{"q":"par' },
    ];
    made.server.reply(made.replies.begins({ said }, 3), made.replies.says("yes?"));
    await opened(made, true);
    expect(await made.thread.ask("wait")).toBe("yes?");
    const sent = JSON.stringify(made.server.last.body);
    expect(sent).toContain("I look");
    expect(sent).not.toContain("par\\");
    const calls = (await historyOf(made.thread)).flatMap(({ entry }) =>
      entry.kind === "turn" ? entry.parts.filter(({ type }) => type === "call") : [],
    );
    expect(calls.length).toBeLessThan(2);
  });

  it("is closed once, and leaves no connection to the server behind that works on", async () => {
    const made = await wired(format, { tools: [find] });
    made.server.reply(made.replies.begins(long, 6), made.replies.begins(long, 6), made.replies.says("done"));
    await opened(made, true);
    await made.thread.send("again");
    await until(() => made.server.requests.length === 2, "the second request");
    expect(await made.thread.ask("and again")).toBe("done");
    await until(() => made.server.requests.every(({ closedEarly }, n) => closedEarly === n < 2), "the ends");
  });
});
