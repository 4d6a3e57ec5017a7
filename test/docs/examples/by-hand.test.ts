import { describe, expect, it } from "vitest";
import { fileOf, start } from "./process.ts";

/** Runs an example to its end. */
const ran = async (name: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const process = start(name, ...args);
  expect(await process.ended).toBe(0);
  return process.lines;
};

describe("an order desk and a warehouse, each a process", { timeout: 120_000 }, () => {
  it("hand over a result and the events of a subscription, each once, and what another process sends", async () => {
    const file = fileOf();
    const files = [file("shop.db"), file("orders.jsonl")];
    const desk = start("order-desk", ...files, 'call order_parts {"part":"bolts","count":20}');
    await desk.line(/awaitingActiveCall/);
    expect(await ran("warehouse", ...files)).toEqual(["bolts sent"]);
    expect(await desk.line(/bolts/)).toBe("says: order_parts says: 20 bolts are on their way.");
    await desk.line(/idle/);

    const [database = ""] = files;
    const text = 'call follow_parcel {"parcel":"P7"}';
    expect(await ran("send-text", database, "shop/orders", "note-1", text)).toEqual(["accepted"]);
    await expect
      .poll(() => desk.lines.filter((line) => /awaitingActiveCall/.test(line)).length, { timeout: 60_000 })
      .toBe(2);
    expect(await ran("warehouse", ...files)).toEqual(["bolts were sent before", "P7 delivered"]);
    await desk.line(/It left the depot/);
    await desk.line(/It was handed over/);
    await expect.poll(() => desk.lines.at(-1), { timeout: 60_000 }).toBe("state: idle");
    expect(await ran("send-text", database, "nowhere", "note-2", text)).toEqual([
      expect.stringMatching(/^refused: there is no such thread/),
    ]);

    desk.kill("SIGTERM");
    expect(await desk.ended).toBe(0);
    expect(desk.lines.filter((line) => /handed over/.test(line))).toHaveLength(1);
  });

  it("need not run at the same time", async () => {
    const file = fileOf();
    const files = [file("shop.db"), file("orders.jsonl")];
    const desk = start("order-desk", ...files, 'call order_parts {"part":"nuts","count":3}');
    await desk.line(/awaitingActiveCall/);
    desk.kill("SIGTERM");
    expect(await desk.ended).toBe(0);
    expect(await ran("warehouse", ...files)).toEqual(["nuts sent"]);
    const next = start("order-desk", ...files);
    expect(await next.line(/nuts/)).toBe("says: order_parts says: 3 nuts are on their way.");
    next.kill("SIGTERM");
    expect(await next.ended).toBe(0);
  });
});
