import type { PrincipalKind } from "../../../context.ts";
import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { TokenRow } from "../tables.ts";

const newToken = statement<Omit<TokenRow, "revoked_at">>(
  `insert into tokens (id, hash, principal_id, subscriber_id, created_by, made_by, created_at, label, expires_at,
   space_id, role, cause, governed_at)
   values (:id, :hash, :principal_id, :subscriber_id, :created_by, :made_by, :created_at, :label, :expires_at,
   :space_id, :role, :cause, :governed_at)`,
);
export const insertToken = (tx: Tx, row: Omit<TokenRow, "revoked_at">): Promise<void> => tx.run(newToken, row);

interface TokenAndPrincipal extends TokenRow {
  name: string;
  kind: PrincipalKind;
}
const WITH_PRINCIPAL = `select t.id, t.hash, t.principal_id, t.subscriber_id, t.created_by, t.made_by, t.created_at,
   t.revoked_at, t.label, t.expires_at, t.space_id, t.role, t.cause, t.governed_at, p.name, p.kind
   from tokens t join principals p on p.id = t.principal_id`;

const tokenByHash = statement<{ hash: string }, TokenAndPrincipal>(`${WITH_PRINCIPAL} where t.hash = :hash`);
export const findTokenByHash = (db: Reader, hash: string): Promise<TokenAndPrincipal | undefined> =>
  db.get(tokenByHash, { hash });

const tokenById = statement<{ id: string }, TokenAndPrincipal>(`${WITH_PRINCIPAL} where t.id = :id`);
export const findToken = (db: Reader, id: string): Promise<TokenAndPrincipal | undefined> => db.get(tokenById, { id });

const tokenCause = statement<{ id: string; cause: number }>("update tokens set cause = :cause where id = :id");
export const updateTokenCause = (tx: Tx, args: { id: string; cause: number }): Promise<void> =>
  tx.run(tokenCause, args);

type Working = { principal_id: string; space_id: string; now: string; own_id: string };

const newestWorking = statement<Working, TokenAndPrincipal>(
  `${WITH_PRINCIPAL} where t.principal_id = :principal_id and t.revoked_at is null
   and (t.expires_at is null or t.expires_at > :now) and (t.space_id is null or t.space_id = :space_id)
   order by case when t.space_id is null then 0 when t.id = :own_id then 1 when t.governed_at is null then 2 else 3 end, t.created_at desc, t.id desc limit 1`,
);
/** Of those that are good for the space, one that is no run's before others, then the one that is named; a program's last. */
export const findWorkingToken = (db: Reader, args: Working): Promise<TokenAndPrincipal | undefined> =>
  db.get(newestWorking, args);

const subscriber = statement<{ subscriber_id: string }, { id: string }>(
  "select id from tokens where subscriber_id = :subscriber_id limit 1",
);
export const isSubscriber = async (db: Reader, subscriber_id: string): Promise<boolean> =>
  (await db.get(subscriber, { subscriber_id })) !== undefined;

const allTokens = statement<Record<string, never>, TokenAndPrincipal & { created_by_name: string | null }>(
  `select t.id, t.hash, t.principal_id, t.subscriber_id, t.created_by, t.made_by, t.created_at, t.revoked_at, t.label,
   t.expires_at, t.space_id, t.role, t.cause, t.governed_at, p.name, p.kind, m.name as created_by_name from tokens t join principals p on p.id = t.principal_id
   left join principals m on m.id = t.created_by order by t.created_at, t.id`,
);
export const listTokens = (db: Reader): Promise<(TokenAndPrincipal & { created_by_name: string | null })[]> =>
  db.all(allTokens, {});

const revoke = statement<{ id: string; revoked_at: string }>(
  "update tokens set revoked_at = :revoked_at where id = :id and revoked_at is null",
);
/** False when it was revoked already. */
export const revokeToken = async (tx: Tx, args: { id: string; revoked_at: string }): Promise<boolean> =>
  (await tx.runCounted(revoke, args)) === 1;

const claim = statement<{ id: string }>("update tokens set id = id where id = :id and revoked_at is null");
/**
 * False when it was revoked. Else nobody revokes it until this transaction is over, in whatever space: what it makes is
 * there to be found when it falls.
 */
export const claimToken = async (tx: Tx, id: string): Promise<boolean> => (await tx.runCounted(claim, { id })) === 1;

const made = statement<{ made_by: string }, { id: string; principal_id: string; revoked_at: string | null }>(
  "select id, principal_id, revoked_at from tokens where made_by = :made_by order by id",
);
/** Those that ended as well: what they made in their time is still theirs. */
export const listMadeTokens = (tx: Tx, made_by: string) => tx.all(made, { made_by });

const handOver = statement<{ from: string; to: string }>("update tokens set made_by = :to where made_by = :from");
const handOverCodes = statement<{ from: string; to: string }>(
  "update login_codes set made_by = :to where made_by = :from",
);
/** What one made is the other's from now on. */
export async function updateMaker(tx: Tx, args: { from: string; to: string }): Promise<void> {
  await tx.run(handOver, args);
  await tx.run(handOverCodes, args);
}

/** Those that nobody made by hand. Of whoever is let in nowhere any more, those as well. */
const LABELS = "'session', 'browser', 'run'";

type Ended = { before: string; limit: number };

// A session that comes back goes on with the read marks of its last token, whatever became of that.
const FORGETTABLE = `(label in (${LABELS}) or not exists (select 1 from grants g where g.principal_id = tokens.principal_id))
   and id not in (select token_id from agent_sessions)
   and id not in (select made_by from tokens where made_by is not null)`;

const forget = statement<Ended>(
  `delete from tokens where id in (select id from tokens where ${FORGETTABLE}
   and (revoked_at < :before or expires_at < :before) order by id limit :limit)`,
);
/** Such as ended before that. */
export const deleteEndedTokens = (tx: Tx, args: Ended): Promise<void> => tx.run(forget, args);

const firstEnd = statement<Record<string, never>, { ended_at: string | null }>(
  `select min(case when revoked_at < expires_at or expires_at is null then revoked_at else expires_at end) as ended_at
   from tokens where ${FORGETTABLE}`,
);
/** When the first of them ended, or will by itself. */
export const findFirstEndOfToken = async (db: Reader): Promise<string | null> =>
  (await db.get(firstEnd, {}))?.ended_at ?? null;
