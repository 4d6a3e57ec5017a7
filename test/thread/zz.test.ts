import { expect, it } from "vitest";
import { asked, calls, callsInline, says, settle, told, turn, waits } from "../support/thread/blocks.ts";
import { Fold } from "../support/thread/fold.ts";
it("leak", () => {
  const fold = turn(settle(new Fold().accept({ kind: "text", text: "go" })), calls("watch"));
  settle(fold.accept({ kind: "result", callId: fold.call("watch"), content: [{ type: "text", text: "w" }], subscription: true }));
  const watch = fold.context.subscriptions[0]!.callId;
  fold.answered({ blocks: [callsInline("add"), waits("nap")] }).committed();
  console.log(fold.state);
  fold.accept({ kind: "interrupt" });
  const add = fold.call("add");
  settle(fold.ranInline([{ callId: add, origin: "interrupted", content: [{ type: "text", text: "x" }] }]));
  console.log(fold.state, fold.context.slice.interruption);
  settle(fold.accept({ kind: "event", callId: watch, text: "tick", associative: true }, { kind: "text", text: "hello" }));
  console.log(asked(fold), JSON.stringify(fold.context.slice.entries.map(e => e.entry)));
});
