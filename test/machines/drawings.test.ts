import { describe, expect, it } from "vitest";
import { createMachine, setup } from "xstate";
import { roundMachine } from "../../machines/round/machine.ts";
import { systemMachine } from "../../machines/system/machine.ts";
import { threadMachine } from "../../machines/thread/machine.ts";
import { drawMermaid } from "../../src/inspect/mermaid.ts";

describe("the drawing of", () => {
  it("the thread is in docs", () =>
    expect(drawMermaid(threadMachine)).toMatchFileSnapshot("../../docs/machines/thread.mmd"));

  it("the round is in docs", () =>
    expect(drawMermaid(roundMachine)).toMatchFileSnapshot("../../docs/machines/round.mmd"));

  it("the system is in docs", () =>
    expect(drawMermaid(systemMachine)).toMatchFileSnapshot("../../docs/machines/system.mmd"));

  it("a transition between two boxes stands between the boxes and names the inner states", () => {
    const machine = createMachine({
      id: "two",
      initial: "left",
      states: {
        left: { initial: "a", states: { a: { on: { go: "#two.right.b" } } } },
        right: { initial: "b", states: { b: {} } },
      },
    });
    expect(drawMermaid(machine)).toContain("two__left --> two__right : (a) go → b\n");
  });

  it("a transition from a box into itself, or out to the box, is told inside the box", () => {
    const machine = createMachine({
      id: "box",
      initial: "inner",
      on: { again: ".inner" },
      states: { inner: { on: { out: "#box" } } },
    });
    const drawing = drawMermaid(machine);
    expect(drawing).not.toMatch(/--> box |^ *box -->/m);
    expect(drawing).toContain("box__about : again → inner\n");
    expect(drawing).toContain("box__about : out → box\n");
  });

  it("choices numbers them as they are looked at, delays and ends of actors included", () => {
    const machine = setup({
      guards: { first: () => true },
      actions: { act: () => {} },
      delays: { soon: 1 },
    }).createMachine({
      id: "choices",
      initial: "a",
      states: {
        a: { always: [{ guard: "first", target: "b", actions: "act" }, { target: "c" }] },
        b: { after: { soon: "c" }, entry: "act", exit: "act" },
        c: { type: "final" },
      },
    });
    const drawing = drawMermaid(machine);
    expect(drawing).toContain("choices__a --> choices__b : always 1 [first] / act\n");
    expect(drawing).toContain("choices__a --> choices__c : always 2\n");
    expect(drawing).toContain("choices__b --> choices__c : after soon\n");
    expect(drawing.match(/(?<=^ *)choices__b : .*/gm)).toEqual(["choices__b : entry / act", "choices__b : exit / act"]);
    expect(drawing).toContain("choices__c --> [*]\n");
  });

  it("parallel regions separates them", () => {
    const machine = createMachine({ id: "both", type: "parallel", states: { a: {}, b: {} } });
    expect(drawMermaid(machine).match(/^ *--$/gm)).toHaveLength(1);
    expect(drawMermaid(machine)).not.toContain("[*] -->");
  });

  it("text keeps what Mermaid would take for its own", () => {
    const machine = createMachine({ id: "text", description: 'ends: here; #1 "now"' });
    expect(drawMermaid(machine)).toContain("text : ends#colon; here#semi; #num;1 #quot;now#quot;\n");
  });
});
