import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { DueHandler } from "../../../module.ts";
import type { CreateLogin, LoginCode } from "../schema.ts";
import * as store from "../store.ts";
import { isOver } from "./credentials.ts";
import { ensurePrincipal } from "./names.ts";
import { hashOf, mint, newSecret, revoke } from "./tokens.ts";

const PURGE = "login.purge";
const CODE_MS = 10 * 60_000;
const SESSION_MS = 30 * 24 * 3600_000;
const BROWSER = "browser";

/** What a browser gets for its code: a token like any other, that ends by itself. */
export interface BrowserSession {
  token: string;
  principal: string;
  expires_at: string;
}

/**
 * A code for oneself; an admin makes one for any person, who is let into the admin's space if new. Runs in the hub's own
 * space, as everything about codes: so the purge never misses one.
 */
export function createLogin(ctx: Ctx, { name }: CreateLogin): Promise<LoginCode> {
  return transact(ctx, async (ctx) => {
    const principal =
      name === undefined || name === ctx.actor.name
        ? { id: ctx.actor.principal_id, name: ctx.actor.name }
        : await personNamed(ctx, name);
    const code = newSecret();
    const now = ctx.now();
    const expires_at = new Date(now + CODE_MS).toISOString();
    await store.insertLoginCode(ctx.tx, {
      hash: hashOf(code),
      principal_id: principal.id,
      created_by: ctx.actor.principal_id,
      created_at: new Date(now).toISOString(),
      expires_at,
    });
    await plan(ctx, { kind: PURGE, ref: 0, at: now + CODE_MS });
    return { code, principal: principal.name, expires_at };
  });
}

async function personNamed(ctx: TxCtx, name: string): Promise<{ id: string; name: string }> {
  if (!has(ctx.actor, "admin")) throw new ParleyError("FORBIDDEN", "Only admin may let somebody else sign in.");
  const principal = await ensurePrincipal(ctx, { name, role: "human" });
  // Whoever may do something already may do no more than that.
  if ((await store.listGrants(ctx.tx, principal.id)).length === 0)
    await store.insertGrant(ctx.tx, {
      principal_id: principal.id,
      space_id: ctx.actor.space_id,
      role: "human",
      created_at: new Date(ctx.now()).toISOString(),
    });
  return principal;
}

/**
 * Exchanges a code, once, for a session; `held` is the token of the session that the browser has. With the session that
 * came of this very code nothing happens: the link was opened twice. Any other session of that browser ends.
 */
export async function signIn(
  ctx: Ctx,
  { code, held }: { code: string; held: string | undefined },
): Promise<BrowserSession> {
  const now = ctx.now();
  const known = await store.findLoginCode(ctx.db, hashOf(code));
  // Found out by reading: whoever guesses keeps no writer waiting.
  if (!known || isOver(known, now)) throw notGood("This link is not good, or no longer.");
  return transact(ctx, async (ctx) => {
    const session = held === undefined ? undefined : await sessionOf(ctx, held);
    if (held !== undefined && session?.expires_at && session.id === known.token_id)
      return { token: held, principal: known.name, expires_at: session.expires_at };
    const expires_at = new Date(now + SESSION_MS).toISOString();
    const { principal_id, name, hash } = known;
    const { id, token } = await mint(ctx, { principal_id, label: BROWSER, expires_at });
    if (!(await store.updateLoginCode(ctx.tx, { hash, token_id: id })))
      throw notGood("This link was used already, by another browser.");
    if (session) await revoke(ctx, session.id);
    return { token, principal: name, expires_at };
  });
}

/** Ends the session of a browser. One that has ended is as good. */
export async function signOut(ctx: Ctx, { held }: { held: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const session = await sessionOf(ctx, held);
    if (session) await revoke(ctx, session.id);
  });
}

/** The session that still works, and only one of a browser: a token that somebody keeps elsewhere is none. */
async function sessionOf(ctx: TxCtx, held: string) {
  const token = await store.findTokenByHash(ctx.tx, hashOf(held));
  return token?.label === BROWSER && token.revoked_at === null && !isOver(token, ctx.now()) ? token : undefined;
}

const notGood = (why: string): ParleyError => new ParleyError("UNAUTHENTICATED", `${why} Make a new one: parley login`);

/** Codes are forgotten when their time is over, used or not. */
export const loginDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx) => {
    await store.deleteExpiredLoginCodes(ctx.tx, new Date(ctx.now()).toISOString());
    const next = await store.findNextLoginCode(ctx.tx);
    if (next) await plan(ctx, { kind: PURGE, ref: 0, at: Date.parse(next) });
  },
};
