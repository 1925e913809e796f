import { randomUUID } from "node:crypto";
import { type Actor, type Ctx, has, type Role, transact } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { move, openSpace, plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { CreateSpace, Space } from "../schema.ts";
import * as store from "../store.ts";
import type { HeldGrantRow, SpaceRow } from "../tables.ts";
import { boundSpaces, rationRefusals } from "./bounds.ts";
import { tellSpaceEnded } from "./events.ts";

/** What a space holds is removed, once it is kept elsewhere. */
export const EMPTY = "space.empty";

/** Runs in the hub's own space: nobody's feed tells of another team's space. */
export function createSpace(ctx: Ctx, input: CreateSpace): Promise<Space> {
  return transact(ctx, async (ctx) => {
    const { session_id = randomUUID(), id = session_id } = input;
    if (input.session_id !== undefined && id !== session_id)
      throw new ParleyError("INVALID_ARGUMENT", "id and session_id are the same thing, and these differ. Give one.");
    const now = ctx.now();
    const created_at = new Date(now).toISOString();
    const expires_at = new Date(now + input.ttl_seconds * 1000).toISOString();
    const created_by = ctx.actor.principal_id;
    await boundSpaces(ctx);
    const first_id = ctx.tx.takeId();
    const row = { id, last_id: first_id, default_inbox_id: first_id, created_by, created_at, expires_at };
    await rationRefusals(ctx, "CONFLICT", async () => {
      if (!(await store.insertSpace(ctx.tx, row)))
        throw new ParleyError("CONFLICT", `There is a space ${id} already, or there was one. Choose another id.`);
    });
    if (has(ctx.actor, "orchestrator"))
      await store.insertGrant(ctx.tx, { principal_id: created_by, space_id: id, role: "orchestrator", created_at });
    // In a transaction of that space: this one is the hub's.
    await openSpace(ctx, id);
    await plan(ctx, { kind: EMPTY, ref: 0, at: now + input.ttl_seconds * 1000, space_id: id });
    return wire({ id, created_at, expires_at });
  });
}

/** What the actor may enter and what has not expired. */
export async function listSpaces(ctx: Ctx): Promise<{ spaces: Space[] }> {
  const { principal_id } = ctx.actor;
  const now = new Date(ctx.now()).toISOString();
  const everywhere = await store.hasGrant(ctx.db, { principal_id, space_id: "*" });
  const spaces = await (everywhere ? store.listSpaces(ctx.db, now) : store.listSpacesOf(ctx.db, { principal_id, now }));
  return { spaces: spaces.map(wire) };
}

/** The actor in each open space that it may enter, with the roles that it has there. */
export async function actorsEverywhere(ctx: Ctx): Promise<Actor[]> {
  const { actor } = ctx;
  // The token of a run is good for its own space alone.
  if (actor.run_cause !== undefined) return [actor];
  const { spaces } = await listSpaces(ctx);
  const grants = await store.listGrants(ctx.db, actor.principal_id);
  return spaces.map(({ space: space_id }) => ({ ...actor, space_id, roles: rolesIn(grants, space_id) }));
}

export const rolesIn = (grants: readonly HeldGrantRow[], space: string | undefined): Role[] => [
  ...new Set(grants.filter(({ space_id }) => space_id === space || space_id === "*").map(({ role }) => role)),
];

/** Where `deleteSpace` is to run. What is somebody else's is refused here, with the same work as what does not exist. */
export async function deletableSpace(ctx: Ctx, { id }: { id: string }): Promise<string> {
  await checkDeletable(ctx, id);
  return id;
}

/**
 * Runs in a transaction of that space. From now on it answers as an expired one does; to delete it once more
 * changes nothing. An orchestrator deletes what it made and is orchestrator of; of a space it is not let into it is told
 * what an unknown one is.
 */
export function deleteSpace(ctx: Ctx, { id }: { id: string }): Promise<Space> {
  return transact(ctx, async (ctx) => {
    await checkDeletable(ctx, id);
    const space = await store.findSpace(ctx.tx, id);
    if (!space) throw noSuchSpace(id);
    if (isExpired(space, ctx.now())) return wire(space);
    const expires_at = new Date(ctx.now()).toISOString();
    await store.expireSpace(ctx.tx, { id, expires_at });
    await tellSpaceEnded(ctx);
    await move(ctx, { kind: EMPTY, ref: 0, at: ctx.now() });
    return wire({ ...space, expires_at });
  });
}

async function checkDeletable(ctx: Ctx, id: string): Promise<void> {
  const { principal_id } = ctx.actor;
  const admin = has(ctx.actor, "admin");
  const own = admin || (await store.hasRole(ctx.db, { principal_id, space_id: id, role: "orchestrator" }));
  if (!own) throw noSuchSpace(id);
  if (id === MAIN_SPACE) throw new ParleyError("CONFLICT", "The space main is permanent.");
  if (!admin && (await store.findSpace(ctx.db, id))?.created_by !== principal_id)
    throw new ParleyError(
      "FORBIDDEN",
      `You did not make the space ${id}, so it is not yours to end. Ask an administrator.`,
    );
}

/** The one the actor is in. */
export async function lookAtSpace(ctx: Ctx): Promise<Space> {
  const id = ctx.actor.space_id;
  const space = await store.findSpace(ctx.db, id);
  if (!space) throw noSuchSpace(id);
  return wire(space);
}

/**
 * Where a token is used that names no space: in `main`, or in the only one that is open. Where none
 * is, in one that expired, which says so.
 */
export function defaultSpace(grants: readonly HeldGrantRow[], now: number): string | undefined {
  const spaces = (some: readonly HeldGrantRow[]): string[] => [
    ...new Set(some.map(({ space_id }) => (space_id === "*" ? MAIN_SPACE : space_id))),
  ];
  const open = spaces(grants.filter((grant) => !isExpired(grant, now)));
  if (open.includes(MAIN_SPACE)) return MAIN_SPACE;
  return open.length > 1 ? undefined : [...open, ...spaces(grants)][0];
}

/**
 * Whether there is only one that could be meant. One that has ended counts: whoever was let into another one since would
 * else go on there without having said so.
 */
export const isOfOneSpace = (grants: readonly HeldGrantRow[]): boolean =>
  new Set(grants.map(({ space_id }) => space_id)).size === 1 && grants[0]?.space_id !== "*";

export const isExpired = ({ expires_at }: Pick<SpaceRow, "expires_at">, now: number): boolean =>
  expires_at !== null && expires_at <= new Date(now).toISOString();

const noSuchSpace = (id: string): ParleyError => new ParleyError("SESSION_NOT_FOUND", `There is no space ${id}.`);

export const wire = ({ id, created_at, expires_at }: Pick<SpaceRow, "id" | "created_at" | "expires_at">): Space => ({
  space: id,
  session_id: id,
  created_at,
  expires_at,
});
