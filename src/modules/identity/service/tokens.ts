import { hash, randomBytes } from "node:crypto";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import type { CreateToken, NewToken, Token } from "../schema.ts";
import * as store from "../store.ts";
import { registerAgent } from "./agents.ts";
import { ensurePrincipal } from "./names.ts";
import { defaultSpace, isExpired } from "./spaces.ts";

/** Roles whose holder is an agent, with an inbox. */
const AGENT_ROLES = ["agent", "orchestrator", "worker"];
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Runs in a transaction of the token's space. */
export function createToken(ctx: Ctx, input: CreateToken): Promise<NewToken> {
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    const space = await store.findSpace(ctx.tx, space_id);
    if (space && isExpired(space, ctx.now()))
      throw new ParleyError("SESSION_EXPIRED", `The space ${space_id} has expired.`);
    const principal = await ensurePrincipal(ctx, input);
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
    if (AGENT_ROLES.includes(input.role)) await registerAgent(ctx, { principal, type: "local" });
    const { id, token } = await mint(ctx, { principal_id: principal.id });
    return { token, id, principal: principal.name, space: space_id };
  });
}

/** A new secret for the same subscriber: its read marks stay, the old secret stops at once. */
export function rotateToken(ctx: Ctx, { id }: { id: string }): Promise<NewToken> {
  return transact(ctx, async (ctx) => {
    const old = await revoke(ctx, id);
    const { name, ...owner } = old;
    const minted = await mint(ctx, owner);
    const { principal_id } = owner;
    const grants = await store.listGrants(ctx.tx, principal_id);
    return {
      ...minted,
      principal: name,
      space: defaultSpace(grants, ctx.now()) ?? grants[0]?.space_id ?? ctx.actor.space_id,
    };
  });
}

export function revokeToken(ctx: Ctx, { id }: { id: string }): Promise<{ id: string; revoked_at: string }> {
  return transact(ctx, async (ctx) => ({ id, revoked_at: (await revoke(ctx, id)).revoked_at }));
}

export async function listTokens(ctx: Ctx): Promise<{ tokens: Token[] }> {
  const grants = new Map<string, Token["grants"]>();
  for (const { principal_id, space_id, role } of await store.listAllGrants(ctx.db))
    grants.set(principal_id, [...(grants.get(principal_id) ?? []), { space: space_id, role }]);
  const rows = await store.listTokens(ctx.db);
  return {
    tokens: rows.map(({ id, name, kind, created_at, revoked_at, principal_id, subscriber_id, label, expires_at }) => ({
      id,
      principal: name,
      subscriber: subscriber_id,
      kind,
      grants: grants.get(principal_id) ?? [],
      created_at,
      revoked_at,
      label,
      expires_at,
      current: id === ctx.actor.token_id,
    })),
  };
}

/** Refuses a subscriber that no token is of: its mark would be nobody's. */
export async function checkSubscriber(ctx: Ctx, subscriber_id: string): Promise<void> {
  if (!(await store.isSubscriber(ctx.db, subscriber_id)))
    throw new ParleyError("NOT_FOUND", `There is no subscriber ${subscriber_id}. token_list shows which there are.`);
}

export const hashOf = (token: string): string => hash("sha256", token, "hex");

/** In a transaction of the hub's own space. */
export async function revoke(ctx: TxCtx, id: string) {
  const token = await store.findToken(ctx.tx, id);
  if (!token) throw new ParleyError("NOT_FOUND", `There is no token ${id}. token_list shows which there are.`);
  const revoked_at = new Date(ctx.now()).toISOString();
  if (!(await store.revokeToken(ctx.tx, { id, revoked_at })))
    throw new ParleyError("CONFLICT", `Token ${id} was revoked at ${token.revoked_at}.`);
  // Every node listens to this: it closes the streams that were opened with the token.
  await append(ctx, { type: "token.revoked", topic: "identity", stream: id, data: { token_id: id } });
  return { ...token, revoked_at };
}

interface Minting {
  principal_id: string;
  /** A new one if left out. */
  subscriber_id?: string;
  label?: string | null;
  expires_at?: string | null;
}

export async function mint(
  ctx: TxCtx,
  { principal_id, subscriber_id, label = null, expires_at = null }: Minting,
): Promise<{ id: string; token: string }> {
  const token = newSecret();
  const id = `t_${randomBytes(8).toString("hex")}`;
  await store.insertToken(ctx.tx, {
    principal_id,
    subscriber_id: subscriber_id ?? `s_${randomBytes(10).toString("hex")}`,
    id,
    hash: hashOf(token),
    created_by: ctx.actor.principal_id,
    created_at: new Date(ctx.now()).toISOString(),
    label,
    expires_at,
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
