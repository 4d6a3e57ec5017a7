import { describe, expect, it } from "vitest";
import type { TreeUse } from "../../machines/thread/budget.ts";
import { calls, callsInline, says, settle, spawns, told, turn } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const used = (tokens: number, budget: TreeUse["budget"] = { tokens: 100 }, cost = 0): TreeUse => ({
  budget,
  tokens,
  cost,
});

/** A thread that wants to begin a slice with these inputs, when its tree has used so much. */
const begins = (tree: TreeUse, ...inputs: GivenInput[]): Fold => settle(new Fold().accept(...inputs).prepared(tree));

/** A thread whose turn of these blocks was committed, and left the tree with so much used. */
const afterTurn = (tree: TreeUse, ...blocks: Parameters<typeof turn>[1][]): Fold => {
  const fold = begins(used(0), text("go")).answered({ blocks });
  return settle(fold.committed(tree));
};

const childOf = (given: Fold): Fold => {
  const opening = given.commits.flatMap(({ children }) => children.opened)[0]?.opening;
  if (!opening) throw new Error("no child was opened");
  const child = new Fold({}, undefined, [], [], opening, {
    threadId: "t1/child" as never,
    freshId: "grandchild",
    committed: () => {},
  });
  return child.accept({ kind: "message", parent: "t1", text: "look" });
};
const family = () => turn(turn(settle(new Fold().accept(text("go"))), spawns()), says("it looks"));
const sent = ({ commits }: Fold) => commits.flatMap((commit) => commit.sent);

describe("a thread whose tree has a budget", () => {
  it("goes on as ever below it", () => {
    const fold = turn(begins(used(99), text("go")), says("there"));
    expect(told(fold)).toEqual(["user:go", "turn:there"]);
    expect(fold.stored.record).toMatchObject({ halted: false, lastFailure: null });
  });

  it.each([
    ["of tokens", used(0, { tokens: 0 }), /have used 0 tokens, and their budget is 0/],
    ["of cost", used(5, { cost: 0 }), /have used a cost of 0, and their budget is 0/],
    ["that is used up", used(1_234, { tokens: 1_000, cost: 9 }), /used 1,234 tokens, and their budget is 1,000/],
    ["that is used up in cost", used(9, { tokens: 10, cost: 0.5 }, 0.75), /a cost of 0.75, and their budget is 0.5/],
  ])(
    "makes no round with one %s: the text is in the history, and the thread halted with a reason (R1)",
    (_, tree, said) => {
      const fold = begins(tree, text("go"));
      expect(fold.state).toBe("idle");
      expect(told(fold)).toEqual(["user:go"]);
      expect(fold.stored).toMatchObject({
        inbox: [],
        record: { halted: true, lastFailure: { code: "BUDGET_REACHED", message: expect.stringMatching(said) } },
      });
      expect(fold.commits.at(-1)?.facts).toMatchObject([
        { type: "entry.added" },
        { type: "thread.halted", reason: "budget" },
        { type: "failure", code: "BUDGET_REACHED", message: expect.stringContaining("Raise the budget, then write") },
        { type: "slice.ended" },
        { type: "state.changed" },
      ]);
    },
  );

  it("keeps the turn that reached it, and settles its calls as a halt does: none is handed over (R5, R7)", () => {
    const fold = afterTurn(used(100), says("looking"), calls("look"), callsInline("count"));
    expect(fold.state).toBe("idle");
    expect(told(fold)).toEqual([
      "user:go",
      "turn:looking+call look+call count",
      "result look:interrupted",
      "result count:interrupted",
    ]);
    expect(fold.stored).toMatchObject({ calls: [], record: { halted: true, roundDue: false } });
  });

  it("keeps an answer that reached it, and is halted behind it", () => {
    const fold = afterTurn(used(100), says("done"));
    expect(told(fold)).toEqual(["user:go", "turn:done"]);
    expect(fold.commits.map(({ facts }) => facts.filter(({ type }) => type === "slice.ended").length)).toEqual([1, 1]);
    expect(fold.stored.record).toMatchObject({ halted: true, lastFailure: { code: "BUDGET_REACHED" } });
  });

  it("begins no further round of a slice once another thread has reached it", () => {
    const fold = begins(used(0), text("go")).answered({ blocks: [callsInline("count")] });
    fold.committed(used(50));
    expect(fold.state).toBe("running.callingInline.open");
    const callId = fold.call("count");
    fold.ranInline([{ callId, origin: "sync", content: [{ type: "text", text: "3" }] }]).committed(used(120));
    settle(fold);
    expect(fold.state).toBe("idle");
    expect(told(fold)).toEqual(["user:go", "turn:call count", "result count:sync"]);
  });

  it("is halted again by a text while the budget stands, and goes on with everything once it was raised (R6)", () => {
    const fold = begins(used(100), text("go"));
    fold.accept(text("please")).prepared(used(100));
    expect(settle(fold).state).toBe("idle");
    expect(fold.stored.record).toMatchObject({ halted: true, lastFailure: { code: "BUDGET_REACHED" } });
    fold.accept(text("now")).prepared(used(100, { tokens: 1_000 }));
    turn(fold, says("here"));
    expect(told(fold)).toEqual(["user:go", "user:please", "user:now", "turn:here"]);
    expect(fold.stored.record).toMatchObject({ halted: false, lastFailure: null });
  });

  it("is halted the same after a restart", () => {
    const fold = begins(used(100), text("go")).restarted();
    expect(fold.stored.record.halted).toBe(true);
    settle(fold.accept(text("still?")).prepared(used(100)));
    expect(told(fold)).toEqual(["user:go", "user:still?"]);
  });

  it("closes all the same", () => {
    const fold = settle(begins(used(100), text("go")).accept({ kind: "close" }));
    expect(fold.stored.record.state).toBe("closed");
  });
});

describe("a budget that is reached in a child", () => {
  it("halts the child, and is told to the root, with the reason", () => {
    const child = settle(childOf(family()).prepared(used(100)));
    expect(child.stored.record).toMatchObject({ halted: true, lastFailure: { code: "BUDGET_REACHED" } });
    expect(sent(child)).toMatchObject([
      {
        threadId: "t1",
        input: { kind: "halt", sender: "t1/child", budget: expect.stringContaining("Raise the budget") },
      },
    ]);
  });

  it("halts the root for that reason, and from there all others", () => {
    const root = family();
    settle(root.accept({ kind: "halt", sender: "t1/child", budget: "It is used up." }));
    expect(root.stored.record).toMatchObject({
      halted: true,
      lastFailure: { code: "BUDGET_REACHED", message: "It is used up." },
    });
    expect(root.commits.at(-1)?.facts).toContainEqual({ type: "thread.halted", reason: "budget" });
    expect(sent(root).at(-1)).toMatchObject({ input: { kind: "halt", sender: "t1", budget: "It is used up." } });
  });

  it("is said once of each thread, however often it is told", () => {
    const child = settle(childOf(family()).prepared(used(100)));
    settle(child.accept({ kind: "halt", sender: "t1", budget: "It is used up." }));
    const failures = child.commits.flatMap(({ facts }) => facts.filter(({ type }) => type === "failure"));
    expect(failures).toHaveLength(1);
  });
});
