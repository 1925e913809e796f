import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { hit } from "../../../failpoints.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import type { Given, NextTask } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { planSweep } from "./admitting.ts";
import { charge, isExhausted } from "./budgeting.ts";
import { DEFAULT_LANE } from "./creating.ts";
import { accountHold, listBlocks } from "./holding.ts";
import { renew } from "./leases.ts";
import { endUnmet, noteOffers } from "./needs.ts";
import { accountOf, isoAt, needsOf, READY, TOPIC, tell, wire } from "./wire.ts";

const WARNING =
  "You already have an active task. Complete it with task_complete, or give it back with task_fail, before you take the next.";
const NOTHING = "No pending tasks. Ask again later, or wait with wait_seconds.";

/** The next task for the actor, who has it from then on; the one it has already; or none. */
export async function next(ctx: Ctx, { offers, wait_seconds }: NextTask): Promise<Given> {
  const deadline = performance.now() + wait_seconds * 1000;
  await noteOffers(ctx, offers);
  using waiter = wait_seconds > 0 ? await ctx.wait?.({ topic: TOPIC, stream: READY }) : undefined;
  for (;;) {
    const given = await claimNext(ctx, offers);
    if (given) return given;
    const left = deadline - performance.now();
    if (!waiter || left <= 0 || (await waiter.next(left)) !== "event") return { next_task: null, message: NOTHING };
  }
}

/** Whether an event may mean that there is something to claim. */
export const isWork = ({ topic, stream }: FeedEvent): boolean => topic === TOPIC && stream === READY;

/** Whether any task waits for a worker. */
export const hasWork = async (ctx: Ctx): Promise<boolean> => store.hasReady(ctx.db, ctx.actor.space_id);

/** Looks first: to find nothing costs nobody a turn at the space's counter. */
async function claimNext(ctx: Ctx, offers: readonly string[]): Promise<Given | undefined> {
  const active = await activeOf(ctx);
  if (active) return active;
  if ((await candidate(ctx, offers)) === undefined) return undefined;
  const given = await transact(ctx, (ctx) => claim(ctx, offers));
  const pause = hit("claim.before_reply");
  if (pause) await pause;
  return given;
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

/** Whether a worker that offers nothing in particular would be given one. */
export const hasReady = async (ctx: Ctx): Promise<boolean> => (await candidate(ctx, [])) !== undefined;

/** Which task would be given to whoever offers this. */
async function candidate(ctx: Ctx, offers: readonly string[]): Promise<number | undefined> {
  const { space_id, name } = ctx.actor;
  const [known, blocks] = await Promise.all([store.listLanes(ctx.db, space_id), listBlocks(ctx)]);
  if (blocks.budgets.some((one) => one.scope === "agent" && one.name === name && isExhausted(ctx, one)))
    return undefined;
  const lanes = [DEFAULT_LANE, ...known.filter((lane) => covers(offers, lane))].filter(
    (lane) => accountHold(ctx, blocks, accountOf(lane)) === null,
  );
  const found = await Promise.all(lanes.map((lane) => store.findNext(ctx.db, { space_id, lane })));
  const [first] = found.flatMap((row) => row ?? []).sort((a, b) => a.order_key - b.order_key || a.id - b.id);
  return first?.id;
}

const covers = (offers: readonly string[], lane: string): boolean =>
  needsOf(lane).every((need) => offers.includes(need));

async function claim(ctx: TxCtx, offers: readonly string[]): Promise<Given | undefined> {
  const { space_id, principal_id, name } = ctx.actor;
  // Another call of the same worker may have been first.
  const active = await store.findActive(ctx.tx, { space_id, worker_id: principal_id });
  if (active) return { warning: WARNING, active_task: wire(active), next_task: null, ...leaseOf(ctx) };
  const id = await candidate(ctx, offers);
  const row = id === undefined ? undefined : await store.findTask(ctx.tx, { space_id, id });
  if (!row) return undefined;
  const lease_until = isoAt(ctx.now() + ctx.config.task_lease_seconds * 1000);
  const held = { worker_id: principal_id, worker: name, claimed_at: isoAt(ctx.now()), lease_until };
  const claimed: TaskRow = { ...row, ...held, status: "processing", attempt: row.attempt + 1 };
  await store.claimTask(ctx.tx, { id: row.id, attempt: claimed.attempt, ...held });
  const pause = hit("claim.after_update");
  if (pause) await pause;
  await tell(ctx, claimed, "claimed", { worker: name, lease_expires_at: lease_until });
  await planSweep(ctx, lease_until);
  await charge(ctx, { account: row.account, agent: name, tasks: 1 });
  await endUnmet(ctx, row);
  return { next_task: wire(claimed), ...leaseOf(ctx) };
}
