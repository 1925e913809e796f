import { Buckets } from "../../../buckets.ts";
import { type Ctx, has, type TxCtx } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { ParleyError } from "../../../errors.ts";
import * as store from "../store/counts.ts";

const DAY_MS = 24 * 3600_000;

/** As many as an orchestrator makes: many more than work needs, and few enough that the hub does not notice. */
export const MOST_SPACES = 100;
const MOST_AGENTS_A_DAY = 500;
const MOST_SESSION_TOKENS_A_DAY = 1000;
/** An administrator makes what people and their programs need, day after day. */
const FOR_ADMIN = 20;
export const MOST_TOKENS_OF_ONE = 100;
export const MOST_CODES = 20;

/** Names and ids that were refused because they are somebody's: so many at once, and one more every three minutes. */
export const MOST_REFUSALS = 20;
const REFUSALS = { rate: 1 / 180, burst: MOST_REFUSALS };

/** Refused with one word for all of them. It is counted for whoever holds the token, not for whom it says to act. */
const reached = (sentence: string, limit: number): ParleyError =>
  new ParleyError("LIMIT_REACHED", sentence, { details: { limit } });

const allowed = (ctx: Ctx, most: number): number => (has(ctx.actor, "admin") ? most * FOR_ADMIN : most);

/** The hub itself is not counted. */
const maker = ({ actor }: Ctx): string | undefined => (actor.token_id === "" ? undefined : actor.principal_id);

const dayAgo = (ctx: Ctx): string => new Date(ctx.now() - DAY_MS).toISOString();

export async function boundSpaces(ctx: TxCtx): Promise<void> {
  const created_by = maker(ctx);
  if (created_by === undefined) return;
  const most = allowed(ctx, MOST_SPACES);
  const now = new Date(ctx.now()).toISOString();
  if ((await store.countOpenSpaces(ctx.tx, { created_by, now, most })) >= most)
    throw reached(`You have ${most} open spaces already. End one with space_delete.`, most);
  // Each is known of for a month after its end, so to make and end them without end is no better.
  if ((await store.countSpacesSince(ctx.tx, { created_by, since: dayAgo(ctx), most })) >= most)
    throw reached(`You have made ${most} spaces within a day already. Use one of them, or wait.`, most);
}

/** Names are given for ever: deleting an agent does not make room for another. */
export async function boundAgents(ctx: TxCtx): Promise<void> {
  const created_by = maker(ctx);
  if (created_by === undefined) return;
  const most = allowed(ctx, MOST_AGENTS_A_DAY);
  if ((await store.countAgentsSince(ctx.tx, { created_by, since: dayAgo(ctx), most })) >= most)
    throw reached(`You have registered ${most} agents within a day already. Use one of them, or wait.`, most);
}

export async function boundTokens(ctx: TxCtx, principal_id: string): Promise<void> {
  const now = new Date(ctx.now()).toISOString();
  const held = await store.countWorkingTokens(ctx.tx, { principal_id, now, most: MOST_TOKENS_OF_ONE });
  if (held >= MOST_TOKENS_OF_ONE)
    throw reached(`There are ${held} tokens of this name that work. Revoke one with token_revoke.`, MOST_TOKENS_OF_ONE);
  const created_by = maker(ctx);
  if (created_by === undefined) return;
  const most = allowed(ctx, MOST_SESSION_TOKENS_A_DAY);
  if ((await store.countTokensSince(ctx.tx, { created_by, since: dayAgo(ctx), most })) >= most)
    throw reached(`You have made ${most} tokens within a day already. Use one of them, or wait.`, most);
}

export async function boundCodes(ctx: TxCtx): Promise<void> {
  const created_by = maker(ctx);
  if (created_by === undefined) return;
  const now = new Date(ctx.now()).toISOString();
  if ((await store.countOpenCodes(ctx.tx, { created_by, now })) >= MOST_CODES)
    throw reached(`${MOST_CODES} of your links to sign in are good already. Use one of them, or wait.`, MOST_CODES);
}

const refusals = new WeakMap<Database, Buckets>();

/**
 * That a name or an id is refused tells that somebody has it, who may be of another team. So whoever is refused again and
 * again is not told any more: from then on nothing is looked at.
 */
export async function rationRefusals<T>(
  ctx: TxCtx,
  code: "NAME_TAKEN" | "CONFLICT",
  work: () => Promise<T>,
): Promise<T> {
  if (has(ctx.actor, "admin")) return work();
  const buckets = refusals.get(ctx.database) ?? new Buckets(REFUSALS);
  refusals.set(ctx.database, buckets);
  const retry_after = buckets.wait(ctx.actor.principal_id);
  if (retry_after > 0)
    throw new ParleyError("RATE_LIMITED", `Too many names were refused. Try again in ${retry_after} s.`, {
      details: { retry_after },
    });
  try {
    return await work();
  } catch (error) {
    if (error instanceof ParleyError && error.code === code && !ctx.tx.prefetching)
      buckets.take(ctx.actor.principal_id);
    throw error;
  }
}
