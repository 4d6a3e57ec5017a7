import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import { Children } from "../../../src/testing/scenarios/children.ts";
import { opened } from "../../support/scenarios/opened.ts";

const childrenOf = (...ids: string[]): Children => {
  const children = new Children();
  for (const id of ids) children.add(opened(id));
  return children;
};

describe("the threads that a runtime creates", () => {
  it("are numbered in order of creation, and a thread that is told of twice counts once", () => {
    const children = childrenOf("a.1", "b.1");
    expect([children.add(opened("a.1")), children.add(opened("c.1"))]).toEqual([false, true]);
    expect(["$child1", "child2", "$child3"].map((name) => children.idOf(name))).toEqual(["a.1", "b.1", "c.1"]);
  });

  it("leave other names as they are, and those of threads that are still to come", () => {
    const names = ["t1", "$child2", "child2", "$child0", "child1x", "mychild1", ""];
    expect(names.map((name) => childrenOf("a.1").idOf(name))).toEqual(names);
    expect(["$child2", "child2", "t1", "my child1"].map((name) => childrenOf().isName(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("stand for their names in any string of a value, keys too", () =>
    expect(
      childrenOf("a.1").filled({
        $child1: ["t1", "$child1"],
        n: 1,
        deep: { text: "ask $child1, not $child2", no: null },
      }),
    ).toEqual({ "a.1": ["t1", "a.1"], n: 1, deep: { text: "ask a.1, not $child2", no: null } }));

  it("are not mixed up where a name begins like another", () => {
    const ids = Array.from({ length: 12 }, (_, index) => `x.${index + 1}`);
    expect(childrenOf(...ids).filled("$child1 $child12 $child10 $child")).toBe("x.1 x.12 x.10 $child");
    expect(childrenOf("x.1", "x.11", "x.111").named("x.11 x.111 x.1")).toBe("$child2 $child3 $child1");
  });

  it("can be told which names stand for nobody yet", () => {
    const step = { thread: "$child1", text: "$child3 and $child2 and $child3" };
    expect(childrenOf("a.1").unknownIn(step)).toEqual(["$child3", "$child2"]);
    expect(childrenOf("a.1", "b.1", "c.1").unknownIn(step)).toEqual([]);
  });

  it("are heard under a call of their parent", () => {
    const children = new Children();
    children.add(opened("a.1", { call: "t1#1.0" }));
    children.add(opened("b.1", { parent: "a.1", call: "a.1#1.0" }));
    children.add(opened("c.1", { call: "t1#1.0" }));
    expect(children.heardUnder("t1", "t1#1.0" as CallId)).toBe("a.1");
    expect(children.heardUnder("a.1", "t1#1.0" as CallId)).toBeUndefined();
    expect([children.sourceOf("b.1"), children.sourceOf("t1")]).toEqual(["a.1#1.0", undefined]);
    expect([children.openingOf("b.1")?.parent, children.openingOf("t1")]).toEqual(["a.1" as ThreadId, null]);
  });

  it("get their names back from whatever was filled with their ids", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("$child1", "$child2", "$child3", "$child11", "t1", " ", "done")),
        fc.integer({ min: 3, max: 14 }),
        (words, count) => {
          const children = childrenOf(...Array.from({ length: count }, (_, index) => `6f1d.${index + 1}`));
          const text = words.join("");
          expect(children.named(children.filled(text))).toBe(text);
        },
      ),
    ));
});
