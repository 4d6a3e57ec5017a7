import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { SimulationReport } from "../../src/testing/simulation/simulate.ts";
import type { Fault } from "./faults.ts";
import { root } from "./plant.ts";

/** Simulates with the fault planted, until it is found or `seeds` are used up. Rejects when nothing could be simulated. */
export const hunt = async ({ name, flags }: Fault, seeds: string): Promise<SimulationReport> => {
  const hook = pathToFileURL(`${root}test/planted/hook.ts`).href;
  const program = ["src/cli/bin.ts", "simulate", "--seeds", seeds, "--json", ...flags];
  const child = spawn(process.execPath, ["--conditions=wakeful-source", "--import", hook, ...program], {
    cwd: root,
    env: { ...process.env, WAKEFUL_PLANTED: name },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(said) as SimulationReport;
  } catch {
    throw new Error(`With ${name}, nothing was simulated.\n${complained.slice(-4_000)}`);
  }
};
