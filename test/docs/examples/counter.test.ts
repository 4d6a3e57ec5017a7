import { type Observable, Subject, takeUntil, VirtualTimeScheduler } from "rxjs";
import { describe, expect, it } from "vitest";
import { createCounter } from "../../../docs/examples/counter.ts";
import type { Producer, ProducerEvent } from "../../../src/tool/define.ts";
import { callWith } from "./call.ts";

const counted = (to: number) => {
  const scheduler = new VirtualTimeScheduler();
  const counter = createCounter({ every: 150, scheduler });
  if (counter.form !== "subscribe") expect.unreachable();
  const { started, events } = counter.subscribe({ to }, callWith()) as Producer;
  return { scheduler, started, events: events as Observable<ProducerEvent> };
};

describe("the counter", () => {
  it("counts to its end, an event each 150 ms, and calls the last one final", () => {
    const { scheduler, started, events } = counted(3);
    const seen: [number, ProducerEvent][] = [];
    events.subscribe((event) => seen.push([scheduler.now(), event]));
    scheduler.flush();
    expect(started).toBe("Counting to 3.");
    expect(seen).toEqual([
      [150, { text: "1", associative: true, final: false }],
      [300, { text: "2", associative: true, final: false }],
      [450, { text: "3", associative: true, final: true }],
    ]);
  });

  it("stops when nobody listens any more", () => {
    const { scheduler, events } = counted(3);
    const stop = new Subject<void>();
    const seen: string[] = [];
    events.pipe(takeUntil(stop)).subscribe(({ text }) => {
      seen.push(text);
      stop.next();
    });
    scheduler.flush();
    expect(seen).toEqual(["1"]);
    expect(scheduler.now()).toBe(150);
  });

  it.each([0, 1.5, -1, 1_001, "3"])("counts to no %j", (to) => expect(createCounter().parse({ to }).ok).toBe(false));
});
