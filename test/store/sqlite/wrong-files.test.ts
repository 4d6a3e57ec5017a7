import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StoreCorruptError, StoreFileError, WakefulError } from "../../../src/errors.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import {
  alpha,
  callOf,
  commitOf,
  deliver,
  everythingOf,
  roomy,
  seqsOf,
  spec,
  statusesOf,
  turn,
  user,
} from "../../../src/testing/store/material.ts";
import { copyOf, emptyStore, freshFile, quick } from "./files.ts";

/** What opening the file throws, and that nothing was changed by trying. */
const refusalOf = (file: string): WakefulError & { file?: string } => {
  const bytes = () => ["", "-wal", "-journal"].map((suffix) => read(file + suffix));
  const before = bytes();
  try {
    sqliteStore(file, { ...quick, busyTimeout: 0 });
  } catch (error) {
    expect(bytes()).toEqual(before);
    return error as WakefulError;
  }
  throw new Error("it was opened");
};

const read = (file: string): string | undefined => {
  try {
    return statSync(file).isFile() ? readFileSync(file, "latin1") : undefined;
  } catch {
    return undefined;
  }
};

/** A store in which something of everything is stored; closed. */
const fullStore = async (): Promise<string> => {
  const file = await emptyStore();
  const store = sqliteStore(file, quick);
  await store.create(alpha, spec, 1);
  const [a = -1] = seqsOf(await store.accept([deliver(alpha, "a"), deliver(alpha, "b")], roomy));
  const call = callOf(alpha, 1);
  const entries = [user(0), turn(1, [call.callId])];
  await store.commit(
    commitOf(alpha, 0, {
      entries,
      consumed: [a],
      calls: { made: [call], settled: [] },
      timers: [{ callId: call.callId, purpose: "wake", due: 9 }],
      facts: entries.map(({ position, entry }) => ({ type: "entry.added", position, entry })),
    }),
    2,
  );
  await store.close();
  return file;
};

/** Root may do everything, so that it lays down its rights while `act` runs. */
const withoutRights = <T>(act: () => T): T => {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
};

describe("a file that is no store of ours is refused as it is:", () => {
  it("a folder, a device, a file in no folder, a file in a file", async () => {
    for (const path of [
      dirname(freshFile()),
      "/dev/null",
      join(freshFile(), "a.db"),
      join(await emptyStore(), "a.db"),
    ]) {
      const error = refusalOf(path);
      expect(error).toBeInstanceOf(StoreFileError);
      expect(error).toMatchObject({ code: "STORE_PATH", file: path });
      expect(error.message).toContain(path);
    }
  });

  it("a text", () => {
    const file = freshFile();
    writeFileSync(file, "Dear diary, ".repeat(1_000));
    expect(refusalOf(file)).toMatchObject({ code: "STORE_FOREIGN", file });
  });

  it("another program's database, with and without an id of its own", () => {
    for (const id of [0, 252_006_673]) {
      const file = freshFile();
      const other = new DatabaseSync(file);
      other.exec(`PRAGMA application_id = ${id}; CREATE TABLE thread (id INTEGER PRIMARY KEY, name TEXT)`);
      other.close();
      expect(refusalOf(file)).toMatchObject({
        code: "STORE_FOREIGN",
        message: expect.stringMatching(/another program/),
      });
    }
  });

  it("a store of a later version, also when only the -wal file says so", async () => {
    const file = await emptyStore();
    const later = new DatabaseSync(file);
    later.exec("PRAGMA user_version = 99");
    const unfinished = copyOf(file);
    later.close();
    for (const each of [file, unfinished])
      expect(refusalOf(each)).toMatchObject({
        code: "STORE_NEWER",
        message: expect.stringMatching(/99.*Update wakeful/),
      });
  });

  it("a -wal file whose database is gone or empty", async () => {
    for (const empty of [true, false]) {
      const file = freshFile();
      writeFileSync(`${file}-wal`, "what was committed last");
      if (empty) writeFileSync(file, "");
      expect(refusalOf(file)).toBeInstanceOf(StoreCorruptError);
    }
  });
});

describe("a damaged file", () => {
  it("is refused wherever it was cut off", async () => {
    const file = await fullStore();
    const { size } = statSync(file);
    const length = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: size - 1 }));
    fc.assert(
      fc.property(length, (length) => {
        const cut = copyOf(file);
        truncateSync(cut, length);
        const error = refusalOf(cut) as StoreFileError | StoreCorruptError;
        expect(error.code).toMatch(length < 100 ? /FOREIGN|CORRUPT/ : /CORRUPT/);
        expect(error.message).toContain(cut);
      }),
      { numRuns: 30 },
    );
  });

  it("answers or fails with an error of ours, whatever bit is flipped", async () => {
    const file = await fullStore();
    const { size } = statSync(file);
    const headers = fc
      .integer({ min: 0, max: size / 4_096 - 1 })
      .chain((page) => fc.integer({ min: 0, max: 120 }).map((offset) => page * 4_096 + offset));
    const fact = { type: "slice.ended", state: "idle" } as const;
    await fc.assert(
      fc.asyncProperty(fc.oneof(headers, fc.integer({ min: 0, max: size - 1 })), fc.nat(7), async (at, bit) => {
        const flipped = copyOf(file);
        const bytes = readFileSync(flipped);
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        writeFileSync(flipped, bytes);
        let store: ReturnType<typeof sqliteStore> | undefined;
        try {
          store = sqliteStore(flipped, quick);
          await everythingOf(store);
          await store.accept([deliver(alpha, "c")], roomy);
          await store.commit(commitOf(alpha, 1, { entries: [user(7)], consumed: [2], facts: [fact] }), 3);
        } catch (error) {
          expect(error).toBeInstanceOf(WakefulError);
        } finally {
          await store?.close();
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("a -wal file that was left over", () => {
  /** What a process leaves that dies after each of these commits, the last one first: each has one entry more. */
  const commits = 4;
  const leftOver = async (): Promise<string> => {
    const file = await emptyStore();
    const store = sqliteStore(file, quick);
    await store.create(alpha, spec, 1);
    for (let number = 0; number < commits; number++)
      await store.commit(commitOf(alpha, number, { entries: [user(number, "x".repeat(3_000))] }), 2);
    const copy = copyOf(file);
    await store.close();
    return copy;
  };

  it("holds what was committed last, and is read", async () => {
    const store = sqliteStore(await leftOver(), quick);
    expect(await store.history(alpha)).toHaveLength(commits);
    await store.close();
  });

  it("loses whole commits when it is cut off or damaged, from there on, and never a part of one", async () => {
    const file = await leftOver();
    const { size } = statSync(`${file}-wal`);
    const damage = fc.record({ at: fc.integer({ min: 32, max: size - 1 }), bit: fc.nat(7), cut: fc.boolean() });
    const kept = new Set<number>();
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, bit, cut }) => {
        const damaged = copyOf(file);
        const bytes = readFileSync(`${damaged}-wal`);
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        writeFileSync(`${damaged}-wal`, cut ? bytes.subarray(0, at) : bytes);
        const store = sqliteStore(damaged, quick);
        const thread = await store.load(alpha);
        const history = await store.history(alpha);
        expect(history).toHaveLength(thread?.version ?? 0);
        kept.add(history.length);
        expect(statusesOf(await store.accept([deliver(alpha, "a")], roomy))[0]).toBe(
          thread ? "accepted" : "unknown-thread",
        );
        await store.close();
      }),
      { numRuns: 60 },
    );
    expect(kept.size).toBeGreaterThan(2);
  });
});

describe("what a user may not do", () => {
  it("is told for a file that can only be read, or not even that", async () => {
    for (const [mode, code] of [
      [0o444, "STORE_READ_ONLY"],
      [0o000, "STORE_PERMISSION"],
    ] as const) {
      const folder = `${freshFile()}.d`;
      mkdirSync(folder);
      const file = join(folder, "a.db");
      writeFileSync(file, readFileSync(await emptyStore()));
      for (const parent of [dirname(folder), folder]) chmodSync(parent, 0o777);
      chmodSync(file, mode);
      withoutRights(() => expect(() => sqliteStore(file, quick)).toThrow(expect.objectContaining({ code, file })));
    }
  });

  it("is told for a folder that can only be read: -wal and -shm files would be beside the file", async () => {
    const folder = `${freshFile()}.d`;
    mkdirSync(folder);
    chmodSync(dirname(folder), 0o777);
    chmodSync(folder, 0o555);
    const error = expect.objectContaining({ code: "STORE_PERMISSION", message: expect.stringContaining("-wal") });
    withoutRights(() => expect(() => sqliteStore(join(folder, "a.db"), quick)).toThrow(error));
  });
});

describe("a file that is made", () => {
  it("can be read by its owner alone, with the files beside it", async () => {
    const file = freshFile();
    const store = sqliteStore(file, quick);
    await store.create(alpha, spec, 1);
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it("may be there already, when it is empty", async () => {
    const file = freshFile();
    writeFileSync(file, "");
    const store = sqliteStore(file, quick);
    expect(await store.create(alpha, spec, 1)).toBe(true);
    await store.close();
  });
});
