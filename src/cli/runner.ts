import { runnerLease } from "../store/lease-names.ts";
import type { LeaseHolder, SharedStore } from "../store/store.ts";
import { oneLine } from "./run/terminal-text.ts";

/** Who runs the threads of a store, as the lease has it: one that crashed is named until its lease runs out. Takes no lease. */
export const runnerOf = async (store: Pick<SharedStore, "holder">, now: number): Promise<LeaseHolder | null> =>
  (await store.holder(runnerLease, now)) ?? null;

/** The holder for people, without the id that tells two systems of one process apart. */
export const runnerName = ({ by }: LeaseHolder): string => oneLine(by.replace(/ \([0-9a-f-]{36}\)$/, ""));
