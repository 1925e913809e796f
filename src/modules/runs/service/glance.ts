import type { Ctx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { defineGlance } from "../../../module.ts";
import type { Kind } from "../schema.ts";
import * as store from "../store.ts";
import { OF_STREAKS, TOPIC } from "./events.ts";
import { startable } from "./nodes.ts";

/** So many are counted, and no more. */
const MOST_COUNTED = 100;

/** Something whose last run failed. */
interface Failing {
  kind: Kind;
  name: string;
  /** How often in a row. */
  failures: number;
  /** The last run of it; null where that is forgotten. */
  run_id: string | null;
}

/** Of how much the last run failed, until one goes well; which, for the page that is about it. */
export const runsGlance = defineGlance({
  part: "runs",
  read: async (ctx, full): Promise<{ failing: number; streaks: Failing[] | null }> => {
    const streaks = await listFailing(ctx);
    return { failing: streaks.length, streaks: full ? streaks : null };
  },
  watch: async () => ({ places: [{ topic: TOPIC, types: OF_STREAKS }] }),
});

async function listFailing(ctx: Ctx): Promise<Failing[]> {
  const rows = await store.listStreaks(ctx.db, { space_id: ctx.actor.space_id, limit: MOST_COUNTED });
  if (rows.length === 0) return [];
  // What has no program any more will never go well, and need not.
  const has_program = await startable(ctx);
  return rows
    .filter(has_program)
    .map(({ run_id, ...streak }) => ({ ...streak, run_id: run_id === null ? null : formatId(run_id) }));
}
