import { randomBytes } from "node:crypto";
import { has, type PrincipalKind, type Role, type TxCtx } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { ParleyError } from "../../../errors.ts";
import * as sessions from "../store/sessions.ts";
import * as store from "../store.ts";
import type { PrincipalRow } from "../tables.ts";
import { isReserved, skeletonOf } from "./look-alikes.ts";

const KIND_OF: Record<Role, PrincipalKind> = {
  admin: "human",
  human: "human",
  observer: "human",
  agent: "agent",
  orchestrator: "agent",
  worker: "agent",
  trigger: "service",
};

/**
 * The principal of that name, made if it is new. A name that looks like one already given is
 * refused: a reader could not tell the two apart. Names are never given again.
 */
export async function ensurePrincipal(ctx: TxCtx, { name, role }: { name: string; role: Role }): Promise<PrincipalRow> {
  const kind = KIND_OF[role];
  const known = await store.findPrincipal(ctx.tx, name);
  if (known && known.kind !== kind)
    throw taken(ctx, name, `${name} is ${known.kind === "human" ? "a person" : `an ${known.kind}`} already.`);
  if (known) return known;
  const skeleton = skeletonOf(name);
  // The hub itself calls the owner of its folder admin.
  if (isReserved(name) && ctx.actor.token_id !== "")
    throw taken(ctx, name, `${name} would speak for somebody else, so nobody can be called that.`);
  const alike = await store.findLookAlike(ctx.tx, skeleton);
  if (alike) throw taken(ctx, name, `${name} looks too much like ${alike.name}.`);
  const made = await newPrincipal(ctx, { name, kind });
  if (!made) throw taken(ctx, name, `${name} was taken just now.`);
  return made;
}

/**
 * The principal that a trigger of the transaction's space is, made if it is new. No name of a person or an agent has a
 * colon, and which triggers there are is no business of this: one may be deleted, and made again.
 */
export async function ensureTrigger(ctx: TxCtx, trigger: string): Promise<PrincipalRow> {
  const { space_id } = ctx.tx;
  const name = `trigger:${trigger}${space_id === MAIN_SPACE ? "" : `@${space_id}`}`;
  const known = await store.findPrincipal(ctx.tx, name);
  if (known) return known;
  const id = `p_${randomBytes(9).toString("base64url")}`;
  const row = { id, name, skeleton: name, kind: "service", created_at: new Date(ctx.now()).toISOString() } as const;
  if (await store.insertPrincipal(ctx.tx, row)) return row;
  throw taken(ctx, name, `${name} was taken just now.`);
}

/** The trigger that a principal of that name is, if it is one. */
export const triggerNamed = (name: string): string | undefined => /^trigger:([^@]+)/.exec(name)?.[1];

/** Undefined when the name, or one that looks like it, is somebody's. */
export async function newPrincipal(
  ctx: TxCtx,
  { name, kind }: { name: string; kind: PrincipalKind },
): Promise<PrincipalRow | undefined> {
  const skeleton = skeletonOf(name);
  const row = {
    // Short: it stands in every row and index of what somebody sends and gets.
    id: `p_${randomBytes(9).toString("base64url")}`,
    name,
    skeleton,
    kind,
    created_at: new Date(ctx.now()).toISOString(),
  };
  return (await store.insertPrincipal(ctx.tx, row)) ? row : undefined;
}

/** An agent that was deleted from the space does not come back, under whatever pretext: its name is not given again. */
export async function refuseDeleted(ctx: TxCtx, { id, name }: Pick<PrincipalRow, "id" | "name">): Promise<void> {
  const { space_id } = ctx.tx;
  const known = await sessions.findPresence(ctx.tx, { space_id, principal_id: id });
  if (known?.deleted_at) throw taken(ctx, name, `${name} was deleted here at ${known.deleted_at}.`);
}

/**
 * Names are the whole hub's. Only an administrator is told whose it is, or that it is reserved: it may be another team's, and
 * everybody else is told the same of all of them.
 */
export const taken = (ctx: TxCtx, name: string, why: string): ParleyError =>
  new ParleyError("NAME_TAKEN", `${has(ctx.actor, "admin") ? why : `${name} cannot be used.`} Choose another name.`);
