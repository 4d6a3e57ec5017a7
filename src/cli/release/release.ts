import type { Clock } from "../../clock.ts";
import { StoreCorruptError } from "../../errors.ts";
import { createSender } from "../../queue/sender.ts";
import type { LoadedThread, SharedStore } from "../../store/store.ts";
import { noThread, threadIdOf } from "../close-ids.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Io, notice } from "../io.ts";
import { jsonText, outputOf } from "../output.ts";
import { runnerName, runnerOf } from "../runner.ts";

export interface ReleaseOptions {
  readonly db: string;
  readonly thread: string;
  readonly json: boolean;
}

/**
 * Lets a thread go on that was set aside, and says so once that is durable. Resolves to the exit code: 1 when there is
 * nothing to release. One whose record cannot be read is tried again by whoever runs it. Throws ThreadIdError.
 */
export const releaseThread = async (
  store: SharedStore,
  { db, thread, json }: ReleaseOptions,
  io: Io,
  clock: Clock,
): Promise<number> => {
  const threadId = threadIdOf(thread);
  const found = await recordOf(store, threadId);
  if (!found) {
    notice(io, await noThread(store, threadId, db));
    return exitCodes.failed;
  }
  if (found !== "unreadable" && !found.record.quarantined) {
    notice(io, `thread ${threadId} is not set aside. wakeful show ${threadId} --db ${db} says what it waits for.`);
    return exitCodes.failed;
  }
  const sender = createSender(store, { clock });
  try {
    await sender.send({
      threadId,
      dedupId: crypto.randomUUID(),
      input: { kind: "release", sender: "wakeful release" },
    });
  } finally {
    await sender.stop();
  }
  const runner = await runnerOf(store, clock.now());
  const output = outputOf(io);
  const who = runner ? `${runnerName(runner)} runs this database` : "nobody runs this database now, it waits";
  await output.write(json ? `${jsonText({ threadId, released: true, runner })}\n` : `released; ${who}\n`);
  return output.code(exitCodes.done);
};

const recordOf = async (
  store: SharedStore,
  threadId: LoadedThread["threadId"],
): Promise<LoadedThread | "unreadable" | undefined> => {
  try {
    return await store.load(threadId);
  } catch (error) {
    if (error instanceof StoreCorruptError) return "unreadable";
    throw error;
  }
};
