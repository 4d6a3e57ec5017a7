import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { fakeIo } from "../fake-io.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "wakeful-inspecting-"));
const children: ChildProcess[] = [];
let files = 0;

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.stdin?.end();
    await once(child, "close");
  }
  rmSync(folder, { recursive: true });
});

/** A path where nothing is yet. */
export const freshFile = (): string => join(folder, `${++files}.db`);

const start = (script: string, args: readonly string[]) =>
  spawn(process.execPath, ["--conditions=wakeful-source", script, ...args], { cwd: root, stdio: "pipe" });

/** The program in a process of its own, from source. */
export const startWakeful = (...args: string[]) => start("src/cli/bin.ts", args);

/** The same until its end. */
export const wakeful = async (args: readonly string[], input = "") => {
  const child = startWakeful(...args);
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [[code], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
};

/** Runs a script from source, with what it prints left out, to its end. */
export const runScript = async (script: string, ...args: string[]): Promise<void> => {
  const child = start(script, args);
  child.stdout.resume();
  child.stdin.end();
  const [[code], err] = await Promise.all([once(child, "close"), text(child.stderr)]);
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${err}`);
};

/** A database that another process runs, until these tests are over. `stop` ends it before, as SIGTERM would not. */
export const atWork = async () => {
  const db = freshFile();
  const child = start("test/cli/show/at-work.ts", [db]);
  children.push(child);
  child.stderr.pipe(process.stderr);
  for await (const line of child.stdout.iterator({ destroyOnReturn: false }))
    if (String(line).includes("at work")) break;
  if (!existsSync(db)) throw new Error("the process that was to run threads did not begin");
  return {
    db,
    pid: child.pid,
    async stop() {
      child.stdin.end();
      await once(child, "close");
    },
  };
};

/** The program in this process; `columns`: on a terminal of that width. */
export const wakefulHere = async (
  args: readonly string[],
  { columns, input }: { columns?: number; input?: string } = {},
) => {
  const { io, stdin, written } = fakeIo({ isTTY: columns !== undefined });
  Object.assign(io.stdout, { columns });
  stdin.end(input ?? "");
  const code = await main(args, io);
  return { code, ...written };
};
