import { hash, randomBytes } from "node:crypto";
import { AGENTS, type Ctx, type Role, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { CreateToken, NewToken, RevokedToken, RotatedToken, RotateToken, Token, TokenList } from "../schema.ts";
import * as store from "../store.ts";
import type { PrincipalRow } from "../tables.ts";
import { registerAgent } from "./agents.ts";
import { boundTokens } from "./bounds.ts";
import { ensurePrincipal, ensureTrigger, taken } from "./names.ts";
import { makerOf, revoke } from "./revoking.ts";
import { defaultSpace, isExpired } from "./spaces.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Runs in a transaction of the token's space. */
export function createToken(ctx: Ctx, input: CreateToken): Promise<NewToken> {
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    const space = await store.findSpace(ctx.tx, space_id);
    if (space && isExpired(space, ctx.now()))
      throw new ParleyError("SESSION_EXPIRED", `The space ${space_id} has expired.`);
    const made_by = await makerOf(ctx);
    const principal =
      input.role === "trigger" ? await ensureTrigger(ctx, input.name) : await ensurePrincipal(ctx, input);
    if (input.exact) await refuseOtherRole(ctx, principal, input.role);
    await boundTokens(ctx, principal.id);
    const created_at = new Date(ctx.now()).toISOString();
    // An administrator looks after every space, and may speak to agents as the person he is.
    const grants =
      input.role === "admin"
        ? ([
            { space_id: "*", role: "admin" },
            { space_id: "*", role: "human" },
          ] as const)
        : [{ space_id, role: input.role }];
    for (const grant of grants) await store.insertGrant(ctx.tx, { ...grant, principal_id: principal.id, created_at });
    if (AGENTS.some((role) => role === input.role)) await registerAgent(ctx, { principal, type: "local" });
    const only = input.exact ? { space_id, role: input.role } : {};
    const { id, token } = await mint(ctx, { principal_id: principal.id, made_by, label: input.label ?? null, ...only });
    return { token, id, principal: principal.name, space: space_id };
  });
}

/** An agent of this space that nobody was before, with a token for here alone. */
export async function newAgent(ctx: TxCtx, name: string): Promise<NewToken> {
  if (await store.findPrincipal(ctx.tx, name)) throw taken(ctx, name, `There is somebody called ${name} already.`);
  return createToken(ctx, { name, role: "agent", exact: true });
}

/** Whoever asks for one role alone is about to be somebody new, or that already: never one who is here as something else. */
async function refuseOtherRole(ctx: TxCtx, { id, name }: PrincipalRow, role: Role): Promise<void> {
  const held = (await store.listGrants(ctx.tx, id)).filter(({ space_id }) => space_id === ctx.tx.space_id);
  if (held.length > 0 && !held.some((grant) => grant.role === role))
    throw taken(ctx, name, `${name} is ${held.map((grant) => grant.role).join(" and ")} here, and no ${role}.`);
}

/**
 * A new secret for the same subscriber: its read marks stay, the old secret stops at once. What the old one made is the
 * new one's, which is made by whoever asks for it: its secret is in their hands.
 */
export function rotateToken(ctx: Ctx, { id, revoke_made }: RotateToken): Promise<RotatedToken> {
  return transact(ctx, async (ctx) => {
    const maker = await makerOf(ctx);
    const known = await store.findToken(ctx.tx, id);
    if (known?.revoked_at) throw new ParleyError("CONFLICT", `Token ${id} was revoked at ${known.revoked_at}.`);
    const { name, principal_id, ...old } = await revoke(ctx, id, { made: revoke_made });
    const minted = await mint(ctx, { ...old, principal_id, made_by: maker === id ? old.made_by : maker });
    await store.updateMaker(ctx.tx, { from: id, to: minted.id });
    const grants = await store.listGrants(ctx.tx, principal_id);
    return {
      ...minted,
      principal: name,
      space: defaultSpace(grants, ctx.now()) ?? grants[0]?.space_id ?? ctx.actor.space_id,
      also_revoked: old.also_revoked,
      codes_ended: old.codes_ended,
    };
  });
}

/** With everything it made, and what that made. */
export function revokeToken(ctx: Ctx, { id }: { id: string }): Promise<RevokedToken> {
  return transact(ctx, async (ctx) => {
    const { revoked_at, also_revoked, codes_ended } = await revoke(ctx, id, { made: true });
    return { id, revoked_at, also_revoked, codes_ended };
  });
}

export async function listTokens(ctx: Ctx): Promise<TokenList> {
  const grants = new Map<string, Token["grants"]>();
  for (const { principal_id, space_id, role } of await store.listAllGrants(ctx.db))
    grants.set(principal_id, [...(grants.get(principal_id) ?? []), { space: space_id, role }]);
  const tokens = await store.listTokens(ctx.db);
  const codes = await store.listLoginCodes(ctx.db, new Date(ctx.now()).toISOString());
  return {
    tokens: tokens.map(({ id, name, principal_id, subscriber_id, created_by_name, ...row }) => ({
      id,
      principal: name,
      subscriber: subscriber_id,
      kind: row.kind,
      grants: grants.get(principal_id) ?? [],
      created_at: row.created_at,
      revoked_at: row.revoked_at,
      label: row.label,
      expires_at: row.expires_at,
      made_by: row.made_by,
      created_by: created_by_name,
      current: id === ctx.actor.token_id,
    })),
    codes: codes.map(({ hash, name, made_by, created_by_name, created_at, expires_at, token_id }) => ({
      // Enough to tell codes apart, and far too little to find one by.
      id: `c_${hash.slice(0, 16)}`,
      principal: name,
      made_by,
      created_by: created_by_name,
      created_at,
      expires_at,
      token: token_id,
    })),
  };
}

/** Refuses a subscriber that no token is of: its mark would be nobody's. */
export async function checkSubscriber(ctx: Ctx, subscriber_id: string): Promise<void> {
  if (!(await store.isSubscriber(ctx.db, subscriber_id)))
    throw new ParleyError("NOT_FOUND", `There is no subscriber ${subscriber_id}. token_list shows which there are.`);
}

export const hashOf = (token: string): string => hash("sha256", token, "hex");

interface Minting {
  principal_id: string;
  /** From `makerOf`. */
  made_by: string | null;
  /** A new one if left out. */
  subscriber_id?: string;
  label?: string | null;
  expires_at?: string | null;
  space_id?: string | null;
  role?: Role | null;
  cause?: number | null;
  governed_at?: string | null;
}

export async function mint(
  ctx: TxCtx,
  { principal_id, made_by, subscriber_id, label = null, expires_at = null, ...only }: Minting,
): Promise<{ id: string; token: string }> {
  const token = newSecret();
  const id = `t_${randomBytes(8).toString("hex")}`;
  await store.insertToken(ctx.tx, {
    principal_id,
    subscriber_id: subscriber_id ?? `s_${randomBytes(10).toString("hex")}`,
    id,
    hash: hashOf(token),
    created_by: ctx.actor.principal_id,
    made_by,
    created_at: new Date(ctx.now()).toISOString(),
    label,
    expires_at,
    space_id: only.space_id ?? null,
    role: only.role ?? null,
    cause: only.cause ?? null,
    governed_at: only.governed_at ?? null,
  });
  return { id, token };
}

/** Its beginning is how logs know what to leave out. */
export const newSecret = (): string => `parley_${secret()}`;

/** 43 characters of 62: more than 256 bits. */
function secret(): string {
  let text = "";
  while (text.length < 43)
    // The bytes above are dropped rather than folded, so that every character is equally likely.
    for (const byte of randomBytes(64)) if (byte < 248 && text.length < 43) text += ALPHABET[byte % 62];
  return text;
}
