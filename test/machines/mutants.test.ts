import { describe, expect, it } from "vitest";
import { mutants } from "../mutants/mutants.ts";
import { reasons } from "../mutants/reasons.ts";

describe("the mutants of the charts", () => {
  const ids = mutants.map(({ id }) => id);

  it("break every guard both ways and every action once", () => {
    expect(ids).toContain("thread:guard:stopWaits:true");
    expect(ids).toContain("thread:guard:stopWaits:false");
    expect(ids).toContain("thread:action:record:nothing");
    expect(ids).toContain("round:action:announceRetry:nothing");
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("that may survive exist, and say why", () => {
    for (const [id, reason] of Object.entries(reasons)) {
      expect(ids).toContain(id);
      expect(reason.split(" ").length).toBeGreaterThan(5);
    }
  });
});
