import { afterEach } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, type System, silentLogger } from "../../../src/index.ts";
import type { SystemOptions } from "../../../src/system/api.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

export const systemWith = async (options: Partial<SystemOptions> & Pick<SystemOptions, "model">): Promise<System> => {
  const system = await createSystem({ logger: silentLogger, ...options });
  systems.push(system);
  return system;
};

export const look = defineTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.object({ at: z.string() }),
  run: ({ at }) => `saw ${at}`,
});
export const calls = (name: string, args = {}) => ({ calls: [{ id: "c1", name, args }] });

/** By hand: keeps the address it was called with. */
export const byHand = () => {
  const addresses: string[] = [];
  const tool = defineTool({
    name: "build",
    description: "Builds.",
    inputSchema: z.object({}),
    dispatch: (_, call) => void addresses.push(call.address),
  });
  return { tool, addresses };
};
