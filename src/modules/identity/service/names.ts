import { randomBytes } from "node:crypto";
import { has, type PrincipalKind, type Role, type TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import * as sessions from "../store/sessions.ts";
import * as store from "../store.ts";
import type { PrincipalRow } from "../tables.ts";

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
  if (RESERVED.has(skeleton)) throw taken(ctx, name, `${name} means nobody in particular, so nobody can be called so.`);
  const alike = await store.findLookAlike(ctx.tx, skeleton);
  if (alike) throw taken(ctx, name, `${name} looks too much like ${alike.name}.`);
  const made = await newPrincipal(ctx, { name, kind });
  if (!made) throw new ParleyError("NAME_TAKEN", `${name} was taken just now. Try again.`);
  return made;
}

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

/** Names are the whole hub's. Only an administrator is told whose it is: it may be another team's. */
export const taken = (ctx: TxCtx, name: string, why: string): ParleyError =>
  new ParleyError("NAME_TAKEN", `${has(ctx.actor, "admin") ? why : `${name} is taken.`} Choose another name.`);

/** Equal for names that are hard to tell apart, and for those that differ in case or in dots and dashes only. */
export const skeletonOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[._-]/g, "")
    .replace(/[i1]/g, "l")
    .replace(/0/g, "o")
    .replace(/5/g, "s")
    .replace(/rn/g, "m")
    .replace(/vv/g, "w");

/** Words by which everybody, or the hub, is meant: as a name one of them would speak for all. */
const RESERVED: ReadonlySet<string> = new Set(
  ["User", "people", "everyone", "hub", "parley", "system"].map((name) => skeletonOf(name)),
);
