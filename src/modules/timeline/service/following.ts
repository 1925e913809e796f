/** What an agent follows beside its inbox: resources of the servers that its runtime has mounted. It stays over a restart. */
import type { Ctx, TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { AgentRow } from "../../identity/index.ts";
import { type Follow, MOST_FOLLOWED, type ReportRuntime, type RuntimeStarted } from "../schema.ts";
import * as store from "../store.ts";
import type { SubscriptionRow } from "../tables.ts";
import { tellChange } from "./events.ts";
import { asRuntime } from "./fencing.ts";
import type { Held } from "./turns.ts";
import { isoNow } from "./wire.ts";

/** Once more is no change. */
export const subscribe = (ctx: Ctx, { server, uri, ...whose }: Follow): Promise<{ ok: true }> =>
  asRuntime(ctx, whose, async (ctx, { agent, row }) => {
    const all = await store.listSubscriptionsOf(ctx.tx, agent.principal_id);
    const own = all.filter(({ is_pinned }) => is_pinned === 0);
    if (all.some((one) => isSame(one, { server, uri }))) return { ok: true };
    if (own.length >= MOST_FOLLOWED)
      throw new ParleyError("TOO_MANY_SUBSCRIPTIONS", `${agent.name} follows ${own.length} resources. End one first.`);
    await store.saveSubscription(ctx.tx, {
      ...{ principal_id: agent.principal_id, server, uri, is_pinned: 0, is_present: 1 },
      ...{ active_fence: row.fence, created_at: isoNow(ctx), last_error: null },
    });
    await tellChange(ctx, agent, "followed");
    return { ok: true };
  });

export const unsubscribe = (ctx: Ctx, { server, uri, ...whose }: Follow): Promise<{ ok: true }> =>
  asRuntime(ctx, whose, async (ctx, { agent }) => {
    const { principal_id } = agent;
    if ((await store.deleteSubscription(ctx.tx, { principal_id, server, uri })) === 0) {
      const all = await store.listSubscriptionsOf(ctx.tx, principal_id);
      const isPinned = all.some((one) => isSame(one, { server, uri }));
      if (isPinned) throw new ParleyError("FORBIDDEN", `${uri} is pinned: it is how people reach ${agent.name}.`);
      throw new ParleyError("NOT_FOUND", `${agent.name} does not follow ${uri} of ${server}.`);
    }
    await tellChange(ctx, agent, "followed");
    return { ok: true };
  });

export const followedBy = async (ctx: TxCtx, { principal_id }: AgentRow): Promise<RuntimeStarted["subscriptions"]> =>
  (await store.listSubscriptionsOf(ctx.tx, principal_id)).map(({ server, uri, is_pinned }) => ({
    ...{ server, uri, pinned: is_pinned === 1 },
  }));

type Reported = NonNullable<ReportRuntime["subscriptions"]>;

/** How it is, as the runtime sees it. What was ended meanwhile is not there again, and what is pinned is the hub's to judge. */
export async function noteFollowed(ctx: TxCtx, { agent, row }: Held, reported: Reported): Promise<void> {
  if (reported.length === 0) return;
  const known = await store.listSubscriptionsOf(ctx.tx, agent.principal_id);
  const changed = known.flatMap((before) => {
    const report = reported.find((one) => isSame(one, before));
    if (!report || before.is_pinned === 1) return [];
    const after: SubscriptionRow = {
      ...{ ...before, is_present: report.present ? 1 : 0, active_fence: report.active ? row.fence : null },
      last_error: report.last_error,
    };
    return isOther(before, after) ? [after] : [];
  });
  for (const one of changed) await store.saveSubscription(ctx.tx, one);
  if (changed.length > 0) await tellChange(ctx, agent, "followed");
}

type ResourceKey = Pick<SubscriptionRow, "server" | "uri">;

const isSame = (one: ResourceKey, { server, uri }: ResourceKey): boolean => one.server === server && one.uri === uri;

const isOther = (before: SubscriptionRow, after: SubscriptionRow): boolean =>
  (["is_present", "active_fence", "last_error"] as const).some((field) => before[field] !== after[field]);
