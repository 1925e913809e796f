import { randomUUID } from "node:crypto";
import { type Ctx, has, transact } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { DueHandler } from "../../../module.ts";
import type { CreateSpace, Space } from "../schema.ts";
import * as store from "../store.ts";
import type { SpaceRow } from "../tables.ts";

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
  const now = new Date(ctx.now()).toISOString();
  const grants = await store.listGrants(ctx.db, ctx.actor.principal_id);
  const mine = (id: string): boolean => grants.some(({ space_id }) => space_id === "*" || space_id === id);
  const spaces = await store.listSpaces(ctx.db);
  return { spaces: spaces.filter(({ id, expires_at }) => mine(id) && !(expires_at && expires_at <= now)).map(wire) };
}

/** Runs in a transaction of that space. From now on it answers as an expired one does. */
export function deleteSpace(ctx: Ctx, { id }: { id: string }): Promise<Space> {
  return transact(ctx, async (ctx) => {
    if (id === MAIN_SPACE) throw new ParleyError("CONFLICT", "The space main is permanent.");
    const space = await store.findSpace(ctx.tx, id);
    if (!space) throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${id}.`);
    const expires_at = new Date(ctx.now()).toISOString();
    await store.expireSpace(ctx.tx, { id, expires_at });
    await unplan(ctx, { kind: EMPTY, ref: 0 });
    await plan(ctx, { kind: EMPTY, ref: 0, at: ctx.now() });
    return wire({ ...space, expires_at });
  });
}

export async function getSpace(ctx: Ctx, { id }: { id: string }): Promise<Space> {
  const space = await store.findSpace(ctx.db, id);
  if (!space) throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${id}.`);
  return wire(space);
}

/** Removes what an expired space held, from the tables of every module. Its row stays, to answer that it is gone. */
export const emptyExpired = (tables: readonly string[]): Record<string, DueHandler> => ({
  [EMPTY]: async (ctx) => {
    for (const table of tables) await store.deleteRows(ctx.tx, table);
    await store.emptySpace(ctx.tx, { id: ctx.tx.space_id, emptied_at: new Date(ctx.now()).toISOString() });
  },
});

const wire = ({ id, created_at, expires_at }: Pick<SpaceRow, "id" | "created_at" | "expires_at">): Space => ({
  space: id,
  session_id: id,
  created_at,
  expires_at,
});
