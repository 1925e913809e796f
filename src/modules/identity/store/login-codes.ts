import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { LoginCodeRow } from "../tables.ts";

const newLoginCode = statement<Omit<LoginCodeRow, "token_id">>(
  `insert into login_codes (hash, principal_id, created_by, made_by, created_at, expires_at)
   values (:hash, :principal_id, :created_by, :made_by, :created_at, :expires_at)`,
);
export const insertLoginCode = (tx: Tx, row: Omit<LoginCodeRow, "token_id">): Promise<void> =>
  tx.run(newLoginCode, row);

const loginCode = statement<{ hash: string }, LoginCodeRow & { name: string }>(
  `select c.hash, c.principal_id, c.created_by, c.made_by, c.created_at, c.expires_at, c.token_id, p.name
   from login_codes c join principals p on p.id = c.principal_id where c.hash = :hash`,
);
export const findLoginCode = (db: Reader, hash: string): Promise<(LoginCodeRow & { name: string }) | undefined> =>
  db.get(loginCode, { hash });

const useLoginCode = statement<{ hash: string; token_id: string }>(
  "update login_codes set token_id = :token_id where hash = :hash and token_id is null",
);
/** False when it was exchanged already. */
export const updateLoginCode = async (tx: Tx, args: { hash: string; token_id: string }): Promise<boolean> =>
  (await tx.runCounted(useLoginCode, args)) === 1;

const oldLoginCodes = statement<{ now: string }>("delete from login_codes where expires_at <= :now");
export const deleteExpiredLoginCodes = (tx: Tx, now: string): Promise<void> => tx.run(oldLoginCodes, { now });

const nextLoginCode = statement<Record<string, never>, { expires_at: string | null }>(
  "select min(expires_at) as expires_at from login_codes",
);
export const findNextLoginCode = async (db: Reader): Promise<string | null> =>
  (await db.get(nextLoginCode, {}))?.expires_at ?? null;

const allCodes = statement<{ now: string }, LoginCodeRow & { name: string; created_by_name: string | null }>(
  `select c.hash, c.principal_id, c.created_by, c.made_by, c.created_at, c.expires_at, c.token_id, p.name,
   m.name as created_by_name from login_codes c join principals p on p.id = c.principal_id
   left join principals m on m.id = c.created_by where c.expires_at > :now order by c.created_at, c.hash`,
);
export const listLoginCodes = (db: Reader, now: string) => db.all(allCodes, { now });

const madeCodes = statement<{ made_by: string }>("delete from login_codes where made_by = :made_by");
/** How many there were. They are few: none is kept for longer than its minutes. */
export const deleteMadeLoginCodes = (tx: Tx, made_by: string): Promise<number> => tx.runCounted(madeCodes, { made_by });
