import { describeTable, type Table } from "../db/catalogue.ts";
import type { Reader, Tx } from "../db/database.ts";
import { type Statement, statement, type Value } from "../db/statement.ts";
import type { Row } from "./format.ts";

type Args = Record<string, Value>;

/** Statements are made once for each table and prepared once a connection. */
const made = new Map<string, Statement<Args, Row>>();

function memoised(text: string): Statement<Args, Row> {
  const known = made.get(text) ?? statement<Args, Row>(text);
  made.set(text, known);
  return known;
}

export { describeTable, type Table };

/** The rows of a space behind `after`, in the order of the table's key. */
export function listRows(
  db: Reader,
  { name, columns, key }: Table,
  { space_id, after, limit }: { space_id: string; after: Row | undefined; limit: number },
): Promise<Row[]> {
  const listed = columns.map((column) => column.name).join(", ");
  const order = key.length > 0 ? ` order by ${key.join(", ")}` : "";
  const behind =
    after && key.length > 0 ? ` and (${key.join(", ")}) > (${key.map((one) => `:${one}`).join(", ")})` : "";
  const text = `select ${listed} from ${name} where space_id = :space_id${behind}${order} limit :limit`;
  const from = behind ? Object.fromEntries(key.map((one) => [one, after?.[one] ?? null])) : {};
  return db.all(memoised(text), { ...from, space_id, limit });
}

/** In the transaction's space. `row` has columns of that table alone. */
export function insertRow(tx: Tx, table: string, row: Row): Promise<void> {
  const names = ["space_id", ...Object.keys(row)];
  const text = `insert into ${table} (${names.join(", ")}) values (${names.map((name) => `:${name}`).join(", ")})`;
  // It writes, and gives no rows.
  return tx.run(memoised(text) as Statement<Args>, { ...row, space_id: tx.space_id });
}

export async function countRows(db: Reader, table: string, space_id: string): Promise<number> {
  const text = `select count(*) as count from ${table} where space_id = :space_id`;
  return Number((await db.all(memoised(text), { space_id }))[0]?.count ?? 0);
}

const mentioned = statement<{ space_id: string; after: string; limit: number }, { id: string; name: string }>(
  `select p.id, p.name from (select principal_id from grants where space_id = :space_id
   union select principal_id from agents where space_id = :space_id) as m join principals p on p.id = m.principal_id
   where m.principal_id > :after order by m.principal_id limit :limit`,
);
/** Those who were let into a space, and its agents. */
export const listMentioned = (
  db: Reader,
  args: { space_id: string; after: string; limit: number },
): Promise<{ id: string; name: string }[]> => db.all(mentioned, args);

const principal = statement<{ id: string }, { name: string }>("select name from principals where id = :id");
export const findName = async (db: Reader, id: string): Promise<string | undefined> =>
  (await db.get(principal, { id }))?.name;
