import type { Reader } from "./database.ts";
import { statement } from "./statement.ts";

/** A column of a table, as the database itself describes it. */
export interface Column {
  name: string;
  is_number: boolean;
  /** It may not be left out. */
  is_required: boolean;
}

export interface Table {
  name: string;
  /** All but the space's and what the database counts up by itself. */
  columns: readonly Column[];
  /** What tells its rows of one space apart, in the order of an index. */
  key: readonly string[];
}

interface Described {
  name: string;
  type: string;
  required: number;
  /** Its place in the primary key, from 1. */
  place: number;
}

const described = statement<{ name: string }, Described>(
  `select name, lower(type) as type, case when "notnull" = 1 and dflt_value is null then 1 else 0 end as required,
   pk as place from pragma_table_info(:name) order by cid`,
  `select cast(a.attname as text) as name, cast(t.typname as text) as type,
   case when a.attnotnull and not a.atthasdef then 1 else 0 end as required,
   coalesce(array_position(cast(i.indkey as int2[]), a.attnum) + 1, 0) as place
   from pg_attribute a join pg_type t on t.oid = a.atttypid
   left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
   where a.attrelid = cast(:name as regclass) and a.attnum > 0 and not a.attisdropped order by a.attnum`,
);

/** The primary key of those whose rows are found by a position that no two of a space share. */
const COUNTED = "seq";
const NUMBERS = ["integer", "bigint", "int8"];

/** Of a table with a `space_id` that a migration made. */
export async function describeTable(db: Reader, name: string): Promise<Table> {
  const rows = await db.all(described, { name });
  const columns = rows
    .filter((row) => row.name !== "space_id" && row.name !== COUNTED)
    .map(({ name, type, required }) => ({ name, is_number: NUMBERS.includes(type), is_required: required === 1 }));
  const primary = rows.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
  const [first, ...rest] = primary.map((row) => row.name);
  return { name, columns, key: first === "space_id" ? rest : ["id"] };
}
