import { describe, expect, it } from "vitest";
import { ScenarioFileError } from "../../../src/errors.ts";
import { readScenarios } from "../../../src/testing/scenarios/read.ts";

const file = (...scenarios: object[]) => JSON.stringify({ version: 1, scenarios });
const withStep = (step: object) => file({ id: "V1", title: "one", steps: [{ op: "restart" }, step] });

const complaint = (text: string): string => {
  try {
    readScenarios(text, "some.json");
  } catch (error) {
    if (error instanceof ScenarioFileError) return error.message;
    throw error;
  }
  return "none";
};

describe("a scenario file", () => {
  it("fills in what the format leaves out", () => {
    const [scenario] = readScenarios(
      file({ id: "V1", title: "one", tools: [{ name: "a", kind: "dispatched" }], steps: [{ op: "restart" }] }),
      "some.json",
    );
    expect(scenario).toMatchObject({
      mode: "resident",
      main_thread: "t1",
      builtins: true,
      model: { context_window: 0, supports_images: false },
      tools: [{ dispatch: "ok" }],
      steps: [{ mode: "crash" }],
      expect: {},
    });
  });

  it.each([
    ["{", /^some\.json: it is no JSON: .* A scenario file is \{ "version": 1/],
    ["[]", /^some\.json: expected object, not \[\]$/],
    [JSON.stringify({ version: 2, scenarios: [] }), /^some\.json, version: expected 1, not 2$/],
    [file({ title: "one", steps: [] }), /^some\.json, scenarios\[0\]\.id: is missing$/],
    [file({ id: "V1", title: "one" }), /^some\.json, scenario V1, steps: is missing$/],
    [file({ id: "V1", title: "one", steps: [], note: 1 }), /^some\.json, scenario V1: unknown field "note"$/],
    [
      withStep({ op: "modle_text" }),
      /scenario V1, steps\[1\]\.op: unknown op "modle_text"; known are user, .*model_text/,
    ],
    [withStep({}), /scenario V1, steps\[1\]\.op: is missing$/],
    [withStep({ op: "user", thread: "t1" }), /scenario V1, steps\[1\]\.text: is missing$/],
    [withStep({ op: "user", thread: "t1", text: "a", whom: 1 }), /scenario V1, steps\[1\]: unknown field "whom"$/],
    [withStep({ op: "batch", inputs: [{ op: "model_text" }] }), /steps\[1\]\.inputs\[0\]\.op: unknown op "model_text"/],
    [
      withStep({ op: "model_stream", thread: "t1", chunks: [{ txt: "a" }], end: "open" }),
      /steps\[1\]\.chunks\[0\]: \{"txt":"a"\} is none of the forms it can have$/,
    ],
    [
      withStep({ op: "model_stream", thread: "t1", chunks: [{ tool_call: { id: "c" } }], end: "open" }),
      /steps\[1\]\.chunks\[0\]\.tool_call\.name: is missing$/,
    ],
    [
      withStep({ op: "model_stream", thread: "t1", chunks: [], end: "shut" }),
      /steps\[1\]\.end: expected one of "final".*, not "shut"$/,
    ],
    [withStep({ op: "checkpoint", expect: { final_stat: "idle" } }), /steps\[1\]\.expect: unknown field "final_stat"$/],
    [
      file({ id: "V1", title: "one", steps: [], expect: { stored: { t1: [{ rol: "user" }] } } }),
      /expect\.stored\.t1\[0\]: unknown field "rol"$/,
    ],
    [
      file({ id: "V1", title: "a", steps: [] }, { id: "V1", title: "b", steps: [] }),
      /scenario V1, id: another scenario/,
    ],
  ])("is refused with the place and the problem: %s", (text, message) => expect(complaint(text)).toMatch(message));
});
