import type { Bench, Draft, MakeStore, StoreRequirement } from "./requirement.ts";
import { accepting } from "./requirements/accepting.ts";
import { asking } from "./requirements/asking.ts";
import { committing } from "./requirements/committing.ts";
import { families } from "./requirements/families.ts";
import { feeding } from "./requirements/feeding.ts";
import { listing } from "./requirements/listing.ts";
import { opening } from "./requirements/opening.ts";
import { remembering } from "./requirements/remembering.ts";
import { sending } from "./requirements/sending.ts";
import { timing } from "./requirements/timing.ts";
import { using } from "./requirements/using.ts";
import { whatever } from "./requirements/whatever.ts";

/**
 * The contract of `Store`, as requirements to run one by one under any test runner:
 *
 *     for (const { rule, name, check } of storeSuite(() => myStore())) test(`${rule}: ${name}`, check);
 *
 * Each check makes a store of its own and closes it. A store that keeps data over a restart of the process gives
 * `reopen` beside it, and is then held to finding everything again. Some of the checks need the package fast-check.
 */
export const storeSuite = (makeStore: MakeStore): readonly StoreRequirement[] =>
  [accepting, committing, sending, opening, remembering, feeding, timing, listing, whatever, families, asking, using]
    .flat()
    .map((draft) => bind(draft, makeStore));

const bind = ({ rule, name, check }: Draft, makeStore: MakeStore): StoreRequirement => ({
  rule,
  name,
  async check() {
    const opened: Bench["store"][] = [];
    const fresh = async (): Promise<Bench> => {
      const made = await makeStore();
      const { store, reopen } = "store" in made ? made : { store: made, reopen: undefined };
      opened.push(store);
      return {
        store,
        async reopen() {
          if (!reopen) return store;
          const again = await reopen();
          opened.push(again);
          return again;
        },
      };
    };
    try {
      await check(await fresh(), fresh);
    } finally {
      for (const store of opened) await store.close();
    }
  },
});
