import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { HolderRow } from "../tables.ts";

interface In {
  space_id: string;
}

const AS_PERSON = `exists (select 1 from grants g where g.principal_id = p.id
   and g.space_id in (:space_id, '*') and g.role in ('human', 'admin'))`;
const AS_AGENT = "exists (select 1 from agents a where a.space_id = :space_id and a.principal_id = p.id)";

const AS_LIVING_AGENT = `exists (select 1 from agents a
   where a.space_id = :space_id and a.principal_id = p.id and a.deleted_at is null)`;

/** Asked of somebody in any case, who may be nobody: how long it takes must not tell who there is in other spaces. */
const of = (exists: string): string => exists.replace("= p.id", "= coalesce(p.id, '')");
const byName = statement<In & { name: string }, { [K in keyof HolderRow]: HolderRow[K] | null } & { here: 0 | 1 }>(
  `select p.id as principal_id, p.name, p.kind,
   case when ${of(AS_AGENT)} then 1 else 0 end + case when ${of(AS_PERSON)} then 1 else 0 end as here
   from (select 1 as one) as one left join principals p on p.name = :name`,
);
export async function findHolder(db: Reader, args: In & { name: string }): Promise<HolderRow | undefined> {
  const row = await db.get(byName, args);
  if (!row || Number(row.here) === 0 || row.principal_id === null || row.name === null || row.kind === null)
    return undefined;
  return { principal_id: row.principal_id, name: row.name, kind: row.kind };
}

const LIVING = `join principals p on p.name = n.value where ${AS_LIVING_AGENT} or ${AS_PERSON}`;

const living = statement<In & { names: string }, HolderRow>(
  `select p.id as principal_id, p.name, p.kind from json_each(:names) as n ${LIVING}`,
  `select p.id as principal_id, p.name, p.kind from json_array_elements_text(cast(:names as json)) as n (value) ${LIVING}`,
);
/** Those of these names who can be written to: in one statement, since every mail asks for all of its recipients. */
export const listRecipients = (
  db: Reader,
  { names, space_id }: In & { names: readonly string[] },
): Promise<HolderRow[]> => db.all(living, { space_id, names: JSON.stringify(names) });

const people = statement<In, HolderRow>(
  `select p.id as principal_id, p.name, p.kind from principals p where p.kind = 'human' and ${AS_PERSON} order by p.name`,
);
export const listPeople = (db: Reader, space_id: string): Promise<HolderRow[]> => db.all(people, { space_id });

const all = statement<In & { limit: number }, { name: string }>(
  `select p.name from principals p where ${AS_LIVING_AGENT} or ${AS_PERSON} order by p.name limit :limit`,
);
export const listHolderNames = async (db: Reader, args: In & { limit: number }): Promise<string[]> =>
  (await db.all(all, args)).map(({ name }) => name);
