import { repeatable } from "../tools.ts";
import type { World } from "../world.ts";

/** R7: a tool is called for a call that is durable and marked, once; in another process only if it may be, and never after its result. */
export const faultsOfTools = ({ begun }: World): string[] => {
  const lives = new Map<string, number>();
  return begun.flatMap(({ name, callId, durable, proposed, started, answered, closed, life, unaware }) => {
    const faults: string[] = [];
    const before = lives.get(callId);
    if (before === life) faults.push(`R7: ${name} was called twice for ${callId}`);
    if (before !== undefined && !repeatable.has(name)) faults.push(`R7: ${name} began again for ${callId}`);
    lives.set(callId, life);
    // Handed over before the other took over, as far as anybody can tell.
    if (unaware) return faults;
    if (!durable) faults.push(`R7: ${name} was called for ${callId}, which is not durable`);
    if (proposed) faults.push(`R7: ${name} was called for ${callId}, which nobody approved`);
    if (durable && !started) faults.push(`R7: ${callId} was handed over and is not marked`);
    if (answered && before !== undefined) faults.push(`R7: ${name} began again for ${callId}, which has its result`);
    if (closed) faults.push(`R7: ${name} was called for a thread that has closed`);
    return faults;
  });
};
