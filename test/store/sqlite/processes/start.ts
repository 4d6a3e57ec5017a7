import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts a script of this folder in a process of its own. */
export const inProcess = (script: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
