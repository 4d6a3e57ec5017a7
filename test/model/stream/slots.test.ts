import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requestSlots } from "../../../src/model/stream/slots.ts";
import { settle } from "../../support/virtual-clock.ts";

const never = new AbortController().signal;

describe("the slots for open requests", () => {
  it("are given first come, first served", async () => {
    const slots = requestSlots(1);
    const order: string[] = [];
    const take = async (name: string) => {
      const release = await slots.take(never);
      order.push(name);
      return release;
    };
    const a = await take("a");
    const [b, c] = [take("b"), take("c")];
    await settle();
    expect(order).toEqual(["a"]);
    a();
    (await b)();
    (await c)();
    expect(order).toEqual(["a", "b", "c"]);
  });

  it("are not waited for any longer by who was told to stop", async () => {
    const slots = requestSlots(1);
    const release = await slots.take(never);
    const controller = new AbortController();
    const given = slots.take(controller.signal);
    const next = slots.take(never);
    controller.abort(new Error("told to stop"));
    await expect(given).rejects.toThrow("told to stop");
    await expect(slots.take(controller.signal)).rejects.toThrow("told to stop");
    release();
    (await next)();
  });

  it("are not taken from those who wait by who has one and is told to stop", async () => {
    const slots = requestSlots(1);
    const first = await slots.take(never);
    const controller = new AbortController();
    const second = slots.take(controller.signal);
    const third = slots.take(never);
    first();
    const release = await second;
    controller.abort();
    release();
    (await third)();
  });

  it("are given back once, however often that is said", async () => {
    const slots = requestSlots(1);
    const release = await slots.take(never);
    release();
    const held = await slots.take(never);
    release();
    let free = false;
    const waiting = slots.take(never).then((done) => {
      free = true;
      return done;
    });
    await settle();
    expect(free).toBe(false);
    held();
    (await waiting)();
  });

  it("never are more than the limit, and all come back, whoever leaves when", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ leaves: fc.boolean(), holds: fc.nat(3) }), { maxLength: 15 }),
        async (limit, users) => {
          const slots = requestSlots(limit);
          let open = 0;
          let most = 0;
          const use = async ({ leaves, holds }: { leaves: boolean; holds: number }) => {
            const controller = new AbortController();
            const given = slots.take(controller.signal);
            if (leaves) controller.abort();
            const release = await given.catch(() => undefined);
            if (!release) return;
            most = Math.max(most, ++open);
            for (let n = 0; n < holds; n++) await Promise.resolve();
            open -= 1;
            release();
          };
          await Promise.all(users.map(use));
          expect(most).toBeLessThanOrEqual(limit);
          for (let n = 0; n < limit; n++) await slots.take(never);
        },
      ),
    ));
});
