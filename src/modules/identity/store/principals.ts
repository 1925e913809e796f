import type { Role } from "../../../context.ts";
import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { GrantRow, HeldGrantRow, PrincipalRow } from "../tables.ts";

const principalByName = statement<{ name: string }, PrincipalRow>(
  "select id, name, skeleton, kind, created_at from principals where name = :name",
);
export const findPrincipal = (db: Reader, name: string): Promise<PrincipalRow | undefined> =>
  db.get(principalByName, { name });

const principalBySkeleton = statement<{ skeleton: string }, PrincipalRow>(
  "select id, name, skeleton, kind, created_at from principals where skeleton = :skeleton",
);
export const findLookAlike = (db: Reader, skeleton: string): Promise<PrincipalRow | undefined> =>
  db.get(principalBySkeleton, { skeleton });

const newPrincipal = statement<PrincipalRow>(
  `insert into principals (id, name, skeleton, kind, created_at) values (:id, :name, :skeleton, :kind, :created_at)
   on conflict do nothing`,
);
/** False when somebody else took the name at the same moment, in another space. */
export const insertPrincipal = async (tx: Tx, row: PrincipalRow): Promise<boolean> =>
  (await tx.runCounted(newPrincipal, row)) === 1;

const newGrant = statement<GrantRow & { principal_id: string; created_at: string }>(
  `insert into grants (principal_id, space_id, role, created_at) values (:principal_id, :space_id, :role, :created_at)
   on conflict do nothing`,
);
export const insertGrant = (tx: Tx, row: GrantRow & { principal_id: string; created_at: string }): Promise<void> =>
  tx.run(newGrant, row);

const grantsOf = statement<{ principal_id: string }, HeldGrantRow>(
  `select g.space_id, g.role, s.expires_at from grants g left join spaces s on s.id = g.space_id
   where g.principal_id = :principal_id order by g.space_id, g.role`,
);
export const listGrants = (db: Reader, principal_id: string): Promise<HeldGrantRow[]> =>
  db.all(grantsOf, { principal_id });

type Held = { principal_id: string; space_id: string };

const grantIn = statement<Held, { found: number }>(
  "select 1 as found from grants where principal_id = :principal_id and space_id = :space_id limit 1",
);
type Made = { principal_id: string; created_by: string };

const grantElsewhere = statement<Made, { found: number }>(
  `select 1 as found from grants g left join spaces s on s.id = g.space_id
   where g.principal_id = :principal_id and (s.id is null or s.created_by <> :created_by) limit 1`,
);
/** In a space that somebody else made, or in all. */
export const hasGrantElsewhere = async (db: Reader, args: Made): Promise<boolean> =>
  (await db.get(grantElsewhere, args)) !== undefined;

const colleague = statement<{ principal_id: string; orchestrator_id: string }, { found: number }>(
  `select 1 as found from grants g join agents a on a.space_id = g.space_id and a.principal_id = :principal_id
   where g.principal_id = :orchestrator_id and g.role = 'orchestrator' and a.deleted_at is null limit 1`,
);
/** Whether it is an agent of a space in which that orchestrator may act for it. */
export const isColleague = async (
  db: Reader,
  args: { principal_id: string; orchestrator_id: string },
): Promise<boolean> => (await db.get(colleague, args)) !== undefined;

/** Of whatever role, in that very space, which may be `*`. */
export const hasGrant = async (db: Reader, args: Held): Promise<boolean> => (await db.get(grantIn, args)) !== undefined;

const roleIn = statement<Held & { role: Role }, { found: number }>(
  "select 1 as found from grants where principal_id = :principal_id and space_id = :space_id and role = :role",
);
export const hasRole = async (db: Reader, args: Held & { role: Role }): Promise<boolean> =>
  (await db.get(roleIn, args)) !== undefined;

const allGrants = statement<Record<string, never>, GrantRow & { principal_id: string }>(
  "select principal_id, space_id, role from grants order by principal_id, space_id, role",
);
export const listAllGrants = (db: Reader): Promise<(GrantRow & { principal_id: string })[]> => db.all(allGrants, {});
