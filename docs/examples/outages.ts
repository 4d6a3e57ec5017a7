import { createSystem, type Store, type SystemOptions } from "wakeful";

type Model = SystemOptions["model"];

/** Asks again in a minute, ten minutes, an hour and six hours; then it rests. */
export const outlastsAnEvening = (model: Model, store: Store) =>
  createSystem({
    model,
    store,
    onModelFailure: { retryAfter: [60_000, 600_000, 3_600_000, 6 * 3_600_000] },
  });

/** Asks for as long as the provider is away, at least every hour; a wrong key is for people to mend. */
export const outlastsEverything = (model: Model, store: Store) =>
  createSystem({
    model,
    store,
    onModelFailure: {
      retryAfter: ({ code, times }) => (code === "MODEL_FAILED" ? null : Math.min(times, 6) * 600_000),
    },
  });
