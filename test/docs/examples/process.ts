import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach } from "vitest";
import { root } from "../pages.ts";

const running = new Set<ChildProcess>();
const folders: string[] = [];
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map((child) => once(child, "close")));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An example that runs in a process of its own; it is killed at the end of the test. */
export interface Running {
  /** Every line that it has printed. */
  readonly lines: readonly string[];
  /** Resolves with the first line that matches, printed already or to come; rejects when the process ends before. */
  line(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/** `docs/examples/<name>.ts`, run from the sources. */
export const start = (name: string, ...args: readonly string[]): Running => {
  const child = spawn(process.execPath, ["--conditions=wakeful-source", `docs/examples/${name}.ts`, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const look = () => {
    for (const each of [...waiting]) each();
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    look();
  });
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    isOver = true;
    look();
    return (code ?? signal) as number | string | null;
  });
  return {
    lines,
    ended,
    kill: (signal) => void child.kill(signal),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const search = () => {
          const found = lines.find((line) => pattern.test(line));
          if (found === undefined && !isOver) return;
          waiting.delete(search);
          if (found !== undefined) resolve(found);
          else reject(new Error(`${name} ended without a line like ${pattern}:\n${lines.join("\n")}`));
        };
        waiting.add(search);
        search();
      }),
  };
};

/** A path in a folder of its own, which is gone after the test. */
export const fileOf = (): ((name: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-example-"));
  folders.push(folder);
  return (name) => join(folder, name);
};
