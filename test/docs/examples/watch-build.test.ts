import { type Observable, VirtualTimeScheduler } from "rxjs";
import { describe, expect, it } from "vitest";
import { createWatchBuild } from "../../../docs/examples/watch-build.ts";
import type { Producer, ProducerEvent } from "../../../src/tool/define.ts";
import { callWith } from "./call.ts";

const watched = (build_id: string, updates: number): ProducerEvent[] => {
  const scheduler = new VirtualTimeScheduler();
  const tool = createWatchBuild({ every: 300, scheduler });
  if (tool.form !== "subscribe") expect.unreachable();
  const { events } = tool.subscribe({ build_id, updates }, callWith()) as Producer;
  const seen: ProducerEvent[] = [];
  (events as Observable<ProducerEvent>).subscribe((event) => seen.push(event));
  scheduler.flush();
  return seen;
};

describe("the watch of a build", () => {
  it("sends as many updates as are wanted, for children, and says how the build went in the last", () =>
    expect(watched("42", 2)).toEqual([
      { text: "update 1 of 2, build 42 is running: 1 of 2 steps done.", final: false },
      { text: "update 2 of 2, build 42 is green: 318 tests passed.", final: true },
    ]));

  it.each([{ build_id: "main" }, { build_id: "42", updates: 0 }])("refuses %j", (args) =>
    expect(createWatchBuild().parse(args).ok).toBe(false),
  );
});
