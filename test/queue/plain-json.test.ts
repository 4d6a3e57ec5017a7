import { describe, expect, it } from "vitest";
import { plainJson } from "../../src/queue/plain-json.ts";

describe("a copy as plain JSON", () => {
  it("has no prototype from its data, and takes objects that have none", () => {
    const { value } = plainJson(JSON.parse('{"__proto__":{"admin":true},"a":{"__proto__":[]}}'), "it", 100);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.keys((value as { a: object }).a)).toEqual([]);
    expect(plainJson(Object.assign(Object.create(null), { a: 1 }), "it", 100).value).toEqual({ a: 1 });
  });

  it("counts about the bytes of the JSON text", () => {
    for (const value of [null, true, 1.5, "é", { a: "b", c: [1, 2, { d: null }] }, ["x".repeat(500)]]) {
      const { bytes } = plainJson(value, "it", 10_000);
      const exact = Buffer.byteLength(JSON.stringify(value));
      expect(Math.abs(bytes - exact)).toBeLessThanOrEqual(5);
    }
  });

  it("stops at the first byte beyond the limit", () => {
    expect(() => plainJson(["x".repeat(98)], "it", 100)).toThrow("it has more than 100 bytes");
    expect(plainJson("x".repeat(98), "it", 100).bytes).toBe(100);
  });
});
