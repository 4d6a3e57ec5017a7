import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../files.ts";

/** ms after which a process is ended that should have ended by itself long ago. */
const limit = 120_000;

/**
 * Starts a script in a process of its own, which says nothing but what went wrong. What it compiled is kept for the next
 * one: starting is most of what such a process does.
 */
export const start = (script: string, ...args: string[]): ChildProcess => startWith([], script, ...args);

/** The same with flags of Node's, for a process that is expected to end badly: what it says of that is left out. */
export const startWith = (flags: readonly string[], script: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [...flags, script, ...args], {
    stdio: ["ignore", "ignore", flags.length > 0 ? "ignore" : "inherit"],
    timeout: limit,
    killSignal: "SIGKILL",
    env: { ...process.env, NODE_COMPILE_CACHE: cacheFolder() },
  });

/** The same with a script of this folder. */
export const inProcess = (script: string, ...args: string[]): ChildProcess =>
  start(fileURLToPath(new URL(script, import.meta.url)), ...args);

/** How a process ends, or ended: its exit code, or the signal that ended it. */
export const endOf = async (child: ChildProcess): Promise<number | string> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode ?? child.exitCode ?? "unknown";
};
