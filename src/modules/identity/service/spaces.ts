import { randomUUID } from "node:crypto";
import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { DueHandler } from "../../../module.ts";
import type { CreateSpace, Space } from "../schema.ts";
import * as store from "../store.ts";
import type { GrantRow, SpaceRow } from "../tables.ts";

const EMPTY = "space.empty";

/** Runs in the hub's own space: nobody's feed tells of another team's space. */
export function createSpace(ctx: Ctx, input: CreateSpace): Promise<Space> {
  return transact(ctx, async (ctx) => {
    const id = input.id ?? input.session_id ?? randomUUID();
    const now = ctx.now();
    const created_at = new Date(now).toISOString();
    const expires_at = new Date(now + input.ttl_seconds * 1000).toISOString();
    const created_by = ctx.actor.principal_id;
    if (!(await store.insertSpace(ctx.tx, { id, first_id: ctx.tx.takeId(), created_by, created_at, expires_at })))
      throw new ParleyError("CONFLICT", `There is a space ${id} already, or there was one. Choose another id.`);
    if (has(ctx.actor, "orchestrator"))
      await store.insertGrant(ctx.tx, { principal_id: created_by, space_id: id, role: "orchestrator", created_at });
    await plan(ctx, { kind: EMPTY, ref: 0, at: now + input.ttl_seconds * 1000, space_id: id });
    return wire({ id, created_at, expires_at });
  });
}

/** What the actor may enter and what has not expired. */
export async function listSpaces(ctx: Ctx): Promise<{ spaces: Space[] }> {
  const grants = await store.listGrants(ctx.db, ctx.actor.principal_id);
  const mine = (id: string): boolean => grants.some(({ space_id }) => space_id === "*" || space_id === id);
  const spaces = await store.listSpaces(ctx.db, new Date(ctx.now()).toISOString());
  return { spaces: spaces.filter(({ id }) => mine(id)).map(wire) };
}

/**
 * Runs in a transaction of that space. From now on it answers as an expired one does; to delete it once more
 * changes nothing. An orchestrator may delete where it is one; of every other space it is told what an unknown one is.
 */
export function deleteSpace(ctx: Ctx, { id }: { id: string }): Promise<Space> {
  return transact(ctx, async (ctx) => {
    const space = (await mayDelete(ctx, id)) ? await store.findSpace(ctx.tx, id) : undefined;
    if (!space) throw noSuchSpace(id);
    if (id === MAIN_SPACE) throw new ParleyError("CONFLICT", "The space main is permanent.");
    if (isExpired(space, ctx.now())) return wire(space);
    const expires_at = new Date(ctx.now()).toISOString();
    await store.expireSpace(ctx.tx, { id, expires_at });
    await unplan(ctx, { kind: EMPTY, ref: 0 });
    await plan(ctx, { kind: EMPTY, ref: 0, at: ctx.now() });
    return wire({ ...space, expires_at });
  });
}

async function mayDelete(ctx: TxCtx, id: string): Promise<boolean> {
  if (has(ctx.actor, "admin")) return true;
  const grants = await store.listGrants(ctx.tx, ctx.actor.principal_id);
  return grants.some(({ space_id, role }) => space_id === id && role === "orchestrator");
}

export async function getSpace(ctx: Ctx, { id }: { id: string }): Promise<Space> {
  const space = await store.findSpace(ctx.db, id);
  if (!space) throw noSuchSpace(id);
  return wire(space);
}

/** Removes what an expired space held, from the tables of every module. Its row stays, to answer that it is gone. */
export const emptyExpired = (tables: readonly string[]): Record<string, DueHandler> => ({
  [EMPTY]: async (ctx) => {
    for (const table of tables) await store.deleteRows(ctx.tx, table);
    await store.emptySpace(ctx.tx, { id: ctx.tx.space_id, emptied_at: new Date(ctx.now()).toISOString() });
  },
});

/** Where a token is used that names no space. */
export function defaultSpace(grants: readonly GrantRow[]): string | undefined {
  const spaces = new Set(grants.map(({ space_id }) => (space_id === "*" ? MAIN_SPACE : space_id)));
  if (spaces.has(MAIN_SPACE)) return MAIN_SPACE;
  return spaces.size === 1 ? [...spaces][0] : undefined;
}

export const isExpired = ({ expires_at }: Pick<SpaceRow, "expires_at">, now: number): boolean =>
  expires_at !== null && expires_at <= new Date(now).toISOString();

const noSuchSpace = (id: string): ParleyError => new ParleyError("SESSION_NOT_FOUND", `There is no space ${id}.`);

const wire = ({ id, created_at, expires_at }: Pick<SpaceRow, "id" | "created_at" | "expires_at">): Space => ({
  space: id,
  session_id: id,
  created_at,
  expires_at,
});
