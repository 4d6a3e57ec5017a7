import { onPoint } from "../../../../src/crash-points.ts";
import { sqliteStore } from "../../../../src/store/sqlite/sqlite-store.ts";
import { alpha, callOf, commitOf, deliver, roomy, spec, turn, user } from "../../../../src/testing/store/material.ts";

/** Does one of everything on the file named first, and dies at the crash point named second. */
const [file = "", where] = process.argv.slice(2);
onPoint((name) => {
  if (name === where) process.kill(process.pid, "SIGKILL");
});
const store = sqliteStore(file);
const call = callOf(alpha, 1);
await store.create(alpha, spec, 1);
await store.accept([deliver(alpha, "a"), deliver(alpha, "b")], roomy);
await store.commit(
  commitOf(alpha, 0, {
    entries: [user(0), turn(1, [call.callId])],
    consumed: [1],
    calls: { made: [call], settled: [] },
    timers: [{ callId: call.callId, purpose: "wake", due: 50 }],
    facts: [{ type: "entry.added", position: 0, entry: user(0).entry }],
  }),
  2,
);
await store.mark(alpha, [call.callId], "acknowledged");
