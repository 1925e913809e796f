import type { Ctx, TxCtx } from "../../../context.ts";
import { planBy } from "../../../due/index.ts";
import { close, raise } from "../../notices/index.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { UNMET } from "./due-kinds.ts";
import { TOPIC } from "./events.ts";
import { laneHolds, SEEN_MS } from "./holding.ts";
import { checkNeeds } from "./planning.ts";
import { isoAt, isoNow, needsOf } from "./wire.ts";

const KIND = "task.needs";
/** What a worker offers is written down anew so often, unless it changes. */
const FRESH_MS = 60_000;

/**
 * People are told once of each set of needs that tasks wait with and nobody offers. Whoever offers it now may go away, so
 * it is looked at again for as long as there is such a task.
 */
export async function raiseUnmet(ctx: TxCtx): Promise<void> {
  const { space_id } = ctx.tx;
  const holdOf = await laneHolds(ctx);
  let waits = false;
  for (const lane of await store.listLanes(ctx.tx, space_id)) {
    if (needsOf(lane).length === 0) continue;
    waits = true;
    if (holdOf(lane) !== "needs") continue;
    const [first] = await store.listNext(ctx.tx, { space_id, lane, limit: 1 });
    if (!first) continue;
    const needs = needsOf(lane).join(", ");
    const title = `No worker offers ${needs}`;
    await raise(ctx, {
      key: `${KIND} ${first.id}`,
      // Another may be before it since people were told, such as one with a higher priority.
      gather: { name: `${KIND} ${lane}`, title },
      kind: KIND,
      topic: TOPIC,
      ref: first.id,
      title,
      text: `Task ${first.id} and those behind it wait for a worker that offers ${needs}.`,
    });
  }
  if (waits) await planBy(ctx, { kind: UNMET, ref: 0, at: ctx.now() + SEEN_MS });
}

/** Somebody has it, or nobody needs to any more. Where nobody had it, those behind it still wait. */
export async function endUnmet(ctx: TxCtx, row: TaskRow): Promise<void> {
  const { id: ref, lane, status } = row;
  if (needsOf(lane).length === 0) return;
  await close(ctx, { kind: KIND, topic: TOPIC, ref });
  if (status === "pending") await checkNeeds(ctx, row);
}

/** Writes down what a worker offers, by itself: nobody is told. */
export async function noteOffers(ctx: Ctx, offers: readonly string[]): Promise<void> {
  if (offers.length === 0) return;
  const { space_id, principal_id } = ctx.actor;
  const text = [...offers].sort().join(" ");
  const known = await store.findWorker(ctx.db, { space_id, principal_id });
  if (known?.offers === text && known.seen_at > isoAt(ctx.now() - FRESH_MS)) return;
  await store.saveWorker(ctx.database, { space_id, principal_id, offers: text, seen_at: isoNow(ctx) });
}
