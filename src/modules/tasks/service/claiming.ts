import type { Ctx } from "../../../context.ts";
import { hit } from "../../../failpoints.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import type { Given, NextTask } from "../schema.ts";
import * as store from "../store.ts";
import { READY, TOPIC } from "./events.ts";
import { give } from "./giving.ts";
import { renew } from "./leases.ts";
import { noteOffers } from "./needs.ts";
import { QueuedWorker } from "./wait-queue.ts";
import { wire } from "./wire.ts";

const WARNING =
  "You already have an active task. Complete it with task_complete, or give it back with task_fail, before you take the next.";
const NOTHING = "No pending tasks. Ask again later, or wait with wait_seconds.";

/** The next task for the actor, who has it from then on; the one it has already; or none. */
export async function next(ctx: Ctx, { offers, wait_seconds }: NextTask): Promise<Given> {
  const deadline = performance.now() + wait_seconds * 1000;
  await noteOffers(ctx, offers);
  using place = new QueuedWorker(ctx, offers);
  const wakes = (event: FeedEvent): boolean => place.isFor(event);
  using waiter = wait_seconds > 0 ? await ctx.wait?.({ topic: TOPIC, stream: READY, wakes }) : undefined;
  for (;;) {
    const given = await place.look(() => claimNext(ctx, offers));
    if (given) return given;
    const left = deadline - performance.now();
    if (!waiter || left <= 0 || (await place.wait(waiter, left)) !== "event")
      return { next_task: null, message: NOTHING };
  }
}

/** Whether any task waits for a worker. */
export const hasWork = async (ctx: Ctx): Promise<boolean> => store.hasReady(ctx.db, ctx.actor.space_id);

async function claimNext(ctx: Ctx, offers: readonly string[]): Promise<Given | undefined> {
  const given = await give(ctx, offers);
  // Nothing was given: nothing is there, or the actor has one already.
  if (!given) return activeOf(ctx);
  const pause = hit("claim.before_reply");
  if (pause) await pause;
  return { next_task: wire(given), ...leaseOf(ctx) };
}

async function activeOf(ctx: Ctx): Promise<Given | undefined> {
  const { space_id, principal_id } = ctx.actor;
  const active = await store.findActive(ctx.db, { space_id, worker_id: principal_id });
  if (!active) return undefined;
  // Whoever asks is there.
  const lease_until = await renew(ctx, active);
  return { warning: WARNING, active_task: wire({ ...active, lease_until }), next_task: null, ...leaseOf(ctx) };
}

const leaseOf = ({ config }: Ctx) => ({ lease_seconds: config.task_lease_seconds });
