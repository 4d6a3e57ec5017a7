import { describe, expect, it } from "vitest";
import { createGetBuildStatus } from "../../../docs/examples/get-build-status.ts";
import { ToolError } from "../../../src/errors.ts";
import { callWith } from "./call.ts";

const status = (build_id: string, { latency = 0, signal = undefined as AbortSignal | undefined } = {}) => {
  const tool = createGetBuildStatus({ latency });
  if (tool.form !== "run") expect.unreachable();
  return Promise.resolve(tool.run({ build_id }, callWith(signal)));
};

describe("the build server", () => {
  it.each([
    ["42", "Build 42 is green: 318 tests passed."],
    ["43", "Build 43 is running: 7 of 12 steps done."],
    ["44", "Build 44 is red: 2 of 318 tests failed."],
  ])("knows build %s", async (id, report) => expect(await status(id)).toBe(report));

  it("tells the model of a build that is none", () =>
    expect(status("latest")).rejects.toEqual(new ToolError('There is no build "latest". Builds have numbers.')));

  it("stops asking when the call is aborted", async () => {
    const stopping = new AbortController();
    const asked = status("42", { latency: 3_600_000, signal: stopping.signal });
    stopping.abort();
    await expect(asked).rejects.toThrow("aborted");
  });
});
