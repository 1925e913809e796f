/** Runs that have been over for long are forgotten, with their attempts and what they printed. */
import { retention } from "../../../retention.ts";
import * as store from "../store.ts";

/** As long as what a trigger did is kept. */
export const KEPT_DAYS = 90;

export const runRetention = retention({
  kind: "run.purge",
  days: () => KEPT_DAYS,
  oldest: async ({ tx }) => (await store.findOldest(tx)) ?? null,
  remove: async ({ tx }, { before_id, limit }) => {
    const old = await store.listOver(tx, before_id, limit);
    await store.deleteRuns(tx, old);
    // The oldest may be one that goes on.
    return old.length < limit;
  },
});
