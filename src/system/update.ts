export type { LiveUpdate, Update, UpdateType } from "../thread/update.ts";
