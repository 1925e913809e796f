import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx, TxCtx } from "./context.ts";
import { statement } from "./db/statement.ts";
import { plan } from "./due/index.ts";
import { ParleyError } from "./errors.ts";
import type { DueHandler } from "./module.ts";
import { purgeAt, retention } from "./retention.ts";

export const IdempotencyKey = z.string().min(1).max(200);
const KEPT_DAYS = 8;
const PURGE = "idempotency.purge";

const find = statement<
  { space_id: string; principal_id: string; tool: string; key: string },
  { digest: string; result: string }
>(
  `select digest, result from idempotency
   where space_id = :space_id and principal_id = :principal_id and tool = :tool and key = :key`,
);

const insert = statement<{
  space_id: string;
  principal_id: string;
  tool: string;
  key: string;
  digest: string;
  result: string;
  created_at: string;
}>(
  `insert into idempotency (space_id, principal_id, tool, key, digest, result, created_at)
   values (:space_id, :principal_id, :tool, :key, :digest, :result, :created_at)`,
);

/**
 * The first result of this key, or the result of `work`, kept with the key in the same
 * transaction. The space's counter is locked, so nobody else can hold the same key meanwhile.
 */
export async function once(
  ctx: TxCtx,
  call: { tool: string; key: string; args: unknown },
  work: () => Promise<object>,
): Promise<object> {
  const where = {
    space_id: ctx.tx.space_id,
    principal_id: ctx.actor.principal_id,
    tool: call.tool,
    key: call.key,
  };
  const digest = hash("sha256", JSON.stringify(call.args), "base64");
  const known = await ctx.tx.get(find, where);
  if (known && known.digest !== digest)
    throw new ParleyError("IDEMPOTENCY_CONFLICT", "This idempotency key was used for a call with other arguments.");
  // Stored below, from an object.
  if (known) return JSON.parse(known.result) as object;
  const result = await work();
  // Before it is stored: what it leads to may still refuse it.
  await ctx.reactions?.run(ctx);
  const created_at = new Date(ctx.now()).toISOString();
  await ctx.tx.run(insert, { ...where, digest, result: JSON.stringify(result), created_at });
  await plan(ctx, { kind: PURGE, ref: 0, at: purgeAt(ctx, { oldest_id: null, days: KEPT_DAYS }) });
  return result;
}

/** Whether a call with this key was made already: then its result is given again, and nothing is done. */
export const isMade = async (ctx: Ctx, { tool, key }: { tool: string; key: string }): Promise<boolean> => {
  const { space_id, principal_id } = ctx.actor;
  return (await ctx.db.get(find, { space_id, principal_id, tool, key })) !== undefined;
};

const purge = statement<{ space_id: string; up_to: string }>(
  "delete from idempotency where space_id = :space_id and created_at <= :up_to",
);

const lastOfOldest = statement<{ space_id: string; before: string; limit: number }, { created_at: string | null }>(
  `select max(created_at) as created_at from (select created_at from idempotency
   where space_id = :space_id and created_at <= :before order by created_at limit :limit) as slice`,
);

const oldest = statement<{ space_id: string }, { created_at: string }>(
  "select created_at from idempotency where space_id = :space_id order by created_at limit 1",
);

export const idempotencyDue: Record<string, DueHandler> = retention({
  kind: PURGE,
  days: () => KEPT_DAYS,
  oldest: async ({ tx }) => {
    const left = await tx.get(oldest, { space_id: tx.space_id });
    return left ? Date.parse(left.created_at) * 1000 : null;
  },
  remove: async ({ tx: { space_id }, tx }, { before_id, limit }) => {
    const before = new Date(before_id / 1000).toISOString();
    const slice = await tx.get(lastOfOldest, { space_id, before, limit });
    if (slice?.created_at) await tx.run(purge, { space_id, up_to: slice.created_at });
    return false;
  },
  planned_by_rows: true,
}).due;
