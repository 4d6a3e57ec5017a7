import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmdirSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Logger } from "../../src/logger.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { createSystem } from "../../src/system/create.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { freshFile, removeFiles } from "./files.ts";
import { findIn, textsIn } from "./found.ts";
import { faultsOfHistory, faultsOfInputs, faultsOfRest } from "./rules.ts";

const megabyte = 1_048_576;

/** A disk of two megabytes, where this user may mount one: undefined where not. */
const mountDisk = (): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${2 * megabyte}`, "tmpfs", folder]);
  if (status === 0) return folder;
  rmdirSync(folder);
  return undefined;
};

const disk = mountDisk();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  for (const name of disk === undefined ? [] : readdirSync(disk)) unlinkSync(join(disk ?? "", name));
});
afterAll(() => {
  removeFiles();
  if (disk === undefined) return;
  spawnSync("umount", [disk]);
  rmdirSync(disk);
});

const roomOn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** A system on that disk with one thread, whose model has as much to say as asked; and what it says in the log. */
const onDisk = async (folder: string, answer: string) => {
  const file = join(folder, "full.db");
  const said: string[] = [];
  const note = (fields: object, message: string) => void said.push(`${message}: ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const clock = virtualClock(1_000_000);
  const store = sqliteStore(file, { synchronous: "normal", logger });
  const model = scriptedModel(({ ordinal }) => (ordinal === 1 ? answer : "and again"), { strict: true });
  const system = await createSystem({ store, model, clock, logger });
  closing.push(
    () => store.close(),
    () => system.stop(),
  );
  const thread = await system.open("t");
  const fill = (left: number) => writeFileSync(join(folder, "filler"), Buffer.alloc(roomOn(folder) - left));
  return { file, said, clock, store, system, thread, fill, free: () => unlinkSync(join(folder, "filler")) };
};

/** A copy of what this process would leave if it ended now. */
const copyOf = (file: string): string => {
  const copy = freshFile("left.db");
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix);
  return copy;
};
const leftBy = (file: string) => findIn(copyOf(file), "t");

const isSound = (file: string): boolean => {
  const connection = new DatabaseSync(copyOf(file));
  const { integrity_check } = connection.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
  connection.close();
  return integrity_check === "ok";
};

// Where nothing can be mounted these are shown as skipped.
describe.skipIf(disk === undefined)("a disk that is full", () => {
  it("in the middle of a commit: the thread waits, says so, and goes on when there is room (R1, R7)", async () => {
    const answer = "x".repeat(megabyte / 2);
    const { file, said, clock, thread, fill, free } = await onDisk(disk ?? "", answer);
    fill(megabyte / 4);
    expect(await thread.send("go", { id: "go" })).toBe(true);
    await settle();
    await clock.advance(60_000);
    expect(thread.state).toBe("running");
    expect(said.filter((line) => /the thread waits and tries again.*no room left/.test(line)).length).toBeGreaterThan(
      5,
    );
    const left = await leftBy(file);
    expect(left.history, "nothing of the commit is there").toEqual([]);
    expect(left.thread).toMatchObject({ version: 0, inbox: [{ dedupId: "go" }] });
    free();
    await clock.advance(5_000);
    expect(await thread.atRest()).toBe("idle");
    const found = await leftBy(file);
    expect([...faultsOfHistory(found), ...faultsOfInputs(found), ...faultsOfRest(found)]).toEqual([]);
    expect(found.history.at(-1)?.entry).toMatchObject({ kind: "turn", parts: [{ text: answer }] });
  });

  it("while a text is sent: its sender is told, and sends it again when there is room (R1, R2)", async () => {
    const { file, thread, fill, free, clock } = await onDisk(disk ?? "", "short");
    const text = "y".repeat(megabyte / 2);
    fill(megabyte / 4);
    await expect(thread.send(text, { id: "long" })).rejects.toThrow(
      /no room left.*Sending again under the same ids is safe/,
    );
    expect((await leftBy(file)).feed).toEqual([]);
    free();
    expect(await thread.send(text, { id: "long" })).toBe(true);
    await clock.advance(5_000);
    expect(await thread.atRest()).toBe("idle");
    expect(textsIn(await leftBy(file))).toEqual([text]);
    expect(await thread.send(text, { id: "long" })).toBe(false);
  });

  it("for longer than a lease: the system keeps its threads, stops all the same, and the file is sound (R8)", async () => {
    const { file, said, clock, system, thread, fill, free } = await onDisk(disk ?? "", "short");
    fill(0);
    await clock.advance(60_000);
    expect(said.some((line) => /the lease could not be renewed.*no room left/.test(line))).toBe(true);
    free();
    await clock.advance(5_000);
    expect(await thread.ask("hello")).toBe("short");
    expect(isSound(file)).toBe(true);
    fill(0);
    await system.stop();
    expect(said.at(-1)).toMatch(/the lease could not be given back; it runs out by itself.*no room left/);
    expect(isSound(file)).toBe(true);
  });
});
