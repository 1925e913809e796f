import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { DueHandler } from "../../../module.ts";
import type { CreateLogin, LoginCode } from "../schema.ts";
import * as store from "../store.ts";
import { boundCodes } from "./bounds.ts";
import { isOver } from "./credentials.ts";
import { planForgetting } from "./forgetting.ts";
import { ensurePrincipal } from "./names.ts";
import { makerOf, revoke } from "./revoking.ts";
import { hashOf, mint, newSecret } from "./tokens.ts";

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
    const made_by = await makerOf(ctx);
    await boundCodes(ctx);
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
      made_by,
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
 * came of this very code nothing happens: the link was opened twice. Any other session of that browser ends, but who is
 * signed in becomes nobody else without having said so (`replace`): anybody can put a link of their own into a page.
 */
export async function signIn(
  ctx: Ctx,
  { code: secret, held, replace }: { code: string; held: string | undefined; replace?: boolean | undefined },
): Promise<BrowserSession> {
  const now = ctx.now();
  const hash = hashOf(secret);
  // Found out by reading: whoever guesses keeps no writer waiting.
  await goodCode(ctx, hash);
  return transact(ctx, async (ctx) => {
    // Once more: what made it may have been revoked.
    const code = await goodCode(ctx, hash);
    const session = held === undefined ? undefined : await sessionOf(ctx, held);
    if (held !== undefined && session?.expires_at && session.id === code.token_id)
      return { token: held, principal: code.name, expires_at: session.expires_at };
    if (session && session.principal_id !== code.principal_id && code.token_id === null && !replace)
      throw otherPerson(code.name);
    const expires_at = new Date(now + SESSION_MS).toISOString();
    const { principal_id, made_by } = code;
    // One for all browsers of a person, also for those to come: what was read in one was read.
    const subscriber_id = `s_${principal_id}`;
    const { id, token } = await mint(ctx, { principal_id, made_by, subscriber_id, label: BROWSER, expires_at });
    if (!(await store.updateLoginCode(ctx.tx, { hash, token_id: id })))
      throw notGood("This link was used already, by another browser.");
    // It was not revoked, only left: what was made there goes on.
    if (session) await revoke(ctx, session.id, { made: false });
    await planForgetting(ctx);
    return { token, principal: code.name, expires_at };
  });
}

async function goodCode(ctx: Ctx, hash: string) {
  const code = await store.findLoginCode(ctx.db, hash);
  if (code && !isOver(code, ctx.now())) return code;
  throw notGood("This link is not good, or no longer.");
}

/** Ends the session of a browser. One that has ended is as good. */
export function signOut(ctx: Ctx, { held }: { held: string }): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    const session = await sessionOf(ctx, held);
    if (session) await revoke(ctx, session.id, { made: false });
    return session !== undefined;
  });
}

/** The session that still works, and only one of a browser: a token that somebody keeps elsewhere is none. */
async function sessionOf(ctx: TxCtx, held: string) {
  const token = await store.findTokenByHash(ctx.tx, hashOf(held));
  return token?.label === BROWSER && token.revoked_at === null && !isOver(token, ctx.now()) ? token : undefined;
}

const notGood = (why: string): ParleyError => new ParleyError("UNAUTHENTICATED", `${why} Ask for a new one.`);

/** Whoever holds the code could sign in and see for whom it is. */
const otherPerson = (principal: string): ParleyError =>
  new ParleyError("SIGNED_IN_AS_OTHER", `This link signs in ${principal}, and somebody else is signed in here.`, {
    details: { principal },
  });

/** Codes are forgotten when their time is over, used or not. */
export const loginDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx) => {
    await store.deleteExpiredLoginCodes(ctx.tx, new Date(ctx.now()).toISOString());
    const next = await store.findNextLoginCode(ctx.tx);
    if (next) await plan(ctx, { kind: PURGE, ref: 0, at: Date.parse(next) });
  },
};
