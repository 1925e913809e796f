import type { PrincipalKind } from "../../../context.ts";
import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TokenRow } from "../tables.ts";

const newToken = statement<Omit<TokenRow, "revoked_at">>(
  `insert into tokens (id, hash, principal_id, subscriber_id, created_by, created_at, label, expires_at)
   values (:id, :hash, :principal_id, :subscriber_id, :created_by, :created_at, :label, :expires_at)`,
);
export const insertToken = (tx: Tx, row: Omit<TokenRow, "revoked_at">): Promise<number> => tx.run(newToken, row);

interface TokenAndPrincipal extends TokenRow {
  name: string;
  kind: PrincipalKind;
}
const WITH_PRINCIPAL = `select t.id, t.hash, t.principal_id, t.subscriber_id, t.created_by, t.created_at, t.revoked_at,
   t.label, t.expires_at, p.name, p.kind from tokens t join principals p on p.id = t.principal_id`;

const tokenByHash = statement<{ hash: string }, TokenAndPrincipal>(`${WITH_PRINCIPAL} where t.hash = :hash`);
export const findTokenByHash = (db: Reader, hash: string): Promise<TokenAndPrincipal | undefined> =>
  db.get(tokenByHash, { hash });

const tokenById = statement<{ id: string }, TokenAndPrincipal>(`${WITH_PRINCIPAL} where t.id = :id`);
export const findToken = (db: Reader, id: string): Promise<TokenAndPrincipal | undefined> => db.get(tokenById, { id });

const subscriber = statement<{ subscriber_id: string }, { id: string }>(
  "select id from tokens where subscriber_id = :subscriber_id limit 1",
);
export const isSubscriber = async (db: Reader, subscriber_id: string): Promise<boolean> =>
  (await db.get(subscriber, { subscriber_id })) !== undefined;

const allTokens = statement<Record<string, never>, TokenAndPrincipal>(`${WITH_PRINCIPAL} order by t.created_at, t.id`);
export const listTokens = (db: Reader): Promise<TokenAndPrincipal[]> => db.all(allTokens, {});

const revoke = statement<{ id: string; revoked_at: string }>(
  "update tokens set revoked_at = :revoked_at where id = :id and revoked_at is null",
);
/** False when it was revoked already. */
export const revokeToken = async (tx: Tx, args: { id: string; revoked_at: string }): Promise<boolean> =>
  (await tx.run(revoke, args)) === 1;
