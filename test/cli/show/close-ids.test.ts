import { describe, expect, it } from "vitest";
import { closeIds } from "../../../src/cli/close-ids.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { spec } from "../../../src/testing/store/material.ts";

const close = async (ids: readonly string[], wanted: string) => {
  const store = memoryStore();
  for (const id of ids) await store.create(id as never, spec, 1);
  return closeIds(store, wanted);
};

describe("ids that somebody may have meant", () => {
  it.each([
    ["acme/buidl-42", ["acme/build-42", "acme/build-43"]],
    ["ACME/build-42", ["acme/build-42", "acme/build-43"]],
    ["build-42", ["acme/build-42"]],
    ["acme/build-4", ["acme/build-42", "acme/build-43"]],
    ["something else", []],
    ["x", []],
  ])("for %j are %j", async (wanted, meant) =>
    expect(await close(["acme/build-42", "acme/build-43", "shop", "y/long-name"], wanted)).toEqual(meant),
  );

  it("are few, the likeliest first, however many threads there are", async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `build-${index}`);
    expect(await close(ids, "build-2499x")).toEqual(["build-2499", expect.any(String), expect.any(String)]);
  });
});
