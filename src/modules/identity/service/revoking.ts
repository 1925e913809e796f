import type { TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import * as store from "../store.ts";
import { tellRevoked } from "./events.ts";

/** What ended with a token. */
interface Fallen {
  also_revoked: number;
  codes_ended: number;
}

/**
 * Ends a token, and of what it made all or nothing. In a transaction of the hub's own space, as every word of it to the
 * nodes. One that had ended already can still be told to take along what it made.
 */
export async function revoke(ctx: TxCtx, id: string, { made }: { made: boolean }) {
  const token = await store.findToken(ctx.tx, id);
  if (!token) throw new ParleyError("NOT_FOUND", `There is no token ${id}. token_list shows which there are.`);
  const revoked_at = token.revoked_at ?? new Date(ctx.now()).toISOString();
  const ended = await end(ctx, id);
  const fallen = made ? await revokeMade(ctx, id) : { also_revoked: 0, codes_ended: 0 };
  if (!ended && fallen.also_revoked + fallen.codes_ended === 0)
    throw new ParleyError("CONFLICT", `Token ${id} was revoked at ${token.revoked_at}.`);
  return { ...token, revoked_at, ...fallen };
}

/**
 * Each is ended before it is asked what it made: whoever makes something holds its token until that is committed
 * (`claimToken`), so nothing is missed.
 */
async function revokeMade(ctx: TxCtx, id: string): Promise<Fallen> {
  const fallen = { also_revoked: 0, codes_ended: await store.deleteMadeLoginCodes(ctx.tx, id) };
  for (const made of await store.listMadeTokens(ctx.tx, id)) {
    if (await end(ctx, made.id)) fallen.also_revoked += 1;
    const further = await revokeMade(ctx, made.id);
    fallen.also_revoked += further.also_revoked;
    fallen.codes_ended += further.codes_ended;
  }
  return fallen;
}

/** False when it had ended before. */
async function end(ctx: TxCtx, id: string): Promise<boolean> {
  const revoked_at = new Date(ctx.now()).toISOString();
  if (!(await store.revokeToken(ctx.tx, { id, revoked_at }))) return false;
  await tellRevoked(ctx, id);
  return true;
}

/** By which token the actor makes something. It may have been revoked since the call began. */
export async function makerOf(ctx: TxCtx): Promise<string | null> {
  const { token_id } = ctx.actor;
  if (token_id === "") return null;
  if (await store.claimToken(ctx.tx, token_id)) return token_id;
  throw new ParleyError("UNAUTHENTICATED", "This token was revoked meanwhile.");
}
