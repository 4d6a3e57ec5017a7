import { systemClock } from "../../clock.ts";
import { createSystem } from "../../system/create.ts";
import { chooseModel } from "../model/choose.ts";
import type { Parts } from "./session.ts";

/** What the program itself is made of. */
export const realParts: Parts = {
  createSystem,
  chooseModel,
  async openStore(file, logger) {
    // Node's SQLite is loaded when somebody wants it.
    const { sqliteStore } = await import("../../store/sqlite.ts");
    return sqliteStore(file, { logger });
  },
  clock: systemClock,
};
