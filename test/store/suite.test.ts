import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { MakeStore } from "../../src/testing/store/requirement.ts";
import { storeSuite } from "../../src/testing/store/suite.ts";
import { wrongStores } from "./wrong-stores.ts";

/** What a store does wrong, in the words of the requirements. */
const faultsOf = async (makeStore: MakeStore): Promise<{ name: string; error: Error }[]> => {
  const faults: { name: string; error: Error }[] = [];
  for (const { name, check } of storeSuite(makeStore))
    await check().catch((error: Error) => faults.push({ name, error }));
  return faults;
};

describe("the store suite", () => {
  it("has nothing to say against a right store", async () => expect(await faultsOf(memoryStore)).toEqual([]));

  for (const { fault, make, noticedBy } of wrongStores)
    it(`names a store at fault that ${fault}`, async () => {
      const faults = await faultsOf(make);
      expect(faults.map(({ name }) => name)).toContainEqual(expect.stringContaining(noticedBy));
    });

  it("says what was seen instead of what was expected", async () => {
    const [fault] = await faultsOf(() => ({ ...memoryStore(), create: async () => false }));
    expect(fault?.error.name).toBe("AssertionError");
    expect(fault?.error.message).toMatch(/unknown-thread[\s\S]*accepted/);
  });

  it("covers S1 to S15, each requirement under a name of its own", () => {
    const suite = storeSuite(memoryStore);
    const rules = new Set(suite.map(({ rule }) => rule));
    for (let number = 1; number <= 15; number++) expect(rules).toContain(`S${number}`);
    expect(new Set(suite.map(({ name }) => name)).size).toBe(suite.length);
  });

  it("closes every store it made, also those of a requirement that fails", async () => {
    let open = 0;
    await faultsOf(() => {
      const store = memoryStore();
      open++;
      let closed = false;
      const close = async () => {
        if (!closed) open--;
        closed = true;
        await store.close();
      };
      return { ...store, create: async () => false, close };
    });
    expect(open).toBe(0);
  });
});
