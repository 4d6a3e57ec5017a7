import fc from "fast-check";
import { it } from "vitest";
import { watch } from "../support/system/rules.ts";
import { story } from "../support/system/story.ts";
import { World } from "../support/system/world.ts";

it("stat", { timeout: 100000 }, async () => {
  const counts: Record<string, number> = {};
  const add = (k: string) => {
    counts[k] = (counts[k] ?? 0) + 1;
  };
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, fc.boolean(), async (s, steps, signs) => {
      const world = await World.begin(s, { signs });
      watch(world);
      await world.play(steps);
      await world.finish();
      const seen = new Set<string>();
      for (const page of world.journal.pages.values()) {
        for (const { entry } of page.history)
          seen.add(
            entry.kind === "result"
              ? `result ${entry.origin}${entry.error ? " error" : ""}`
              : entry.kind === "user" && entry.interrupt
                ? "user!"
                : entry.kind,
          );
        for (const f of page.commits.flatMap((c) => c.facts)) {
          if (f.type === "input.discarded") seen.add(`discard ${f.kind} ${f.reason}`);
          if (f.type === "failure") seen.add(`failure ${f.code}`);
          if (f.type === "round.ended") seen.add(`round ${f.outcome}`);
          if (f.type.startsWith("subs") || f.type.startsWith("call.prog")) seen.add(f.type);
          if (f.type === "call.settled" && f.content.some((c) => c.type === "text" && c.text.startsWith("Woken")))
            seen.add("woken early");
          if (
            f.type === "call.settled" &&
            f.content.some((c) => c.type === "text" && c.text.includes("subscriptions already"))
          )
            seen.add("too many subs");
        }
        if (page.commits.some((c) => c.interrupting.length)) seen.add("interrupting mark");
      }
      for (const u of world.updates) if (u.type === "input.deferred" || u.type === "round.retried") seen.add(u.type);
      for (const p of world.sent) seen.add(`answer ${p.answer}`);
      for (const k of seen) add(k);
      for (const b of world.begun) add(`tool ${b.name}`);
      await world.stop();
    }),
    { numRuns: 500 },
  );
  console.log(
    Object.entries(counts)
      .sort((a, b) => b[1] - a[1])
      .map(([k, v]) => `${v} ${k}`)
      .join("\n"),
  );
});
