import type { PrincipalKind } from "../../context.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { type Statement, statement } from "../../db/statement.ts";
import type { AgentRow, GrantRow, HeldGrantRow, LoginCodeRow, PrincipalRow, SpaceRow, TokenRow } from "./tables.ts";

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
  (await tx.run(newPrincipal, row)) === 1;

const newGrant = statement<GrantRow & { principal_id: string; created_at: string }>(
  `insert into grants (principal_id, space_id, role, created_at) values (:principal_id, :space_id, :role, :created_at)
   on conflict do nothing`,
);
export const insertGrant = (tx: Tx, row: GrantRow & { principal_id: string; created_at: string }): Promise<number> =>
  tx.run(newGrant, row);

const grantsOf = statement<{ principal_id: string }, HeldGrantRow>(
  `select g.space_id, g.role, s.expires_at from grants g left join spaces s on s.id = g.space_id
   where g.principal_id = :principal_id order by g.space_id, g.role`,
);
export const listGrants = (db: Reader, principal_id: string): Promise<HeldGrantRow[]> =>
  db.all(grantsOf, { principal_id });

const allGrants = statement<Record<string, never>, GrantRow & { principal_id: string }>(
  "select principal_id, space_id, role from grants order by principal_id, space_id, role",
);
export const listAllGrants = (db: Reader): Promise<(GrantRow & { principal_id: string })[]> => db.all(allGrants, {});

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

const newLoginCode = statement<Omit<LoginCodeRow, "token_id">>(
  `insert into login_codes (hash, principal_id, created_by, created_at, expires_at)
   values (:hash, :principal_id, :created_by, :created_at, :expires_at)`,
);
export const insertLoginCode = (tx: Tx, row: Omit<LoginCodeRow, "token_id">): Promise<number> =>
  tx.run(newLoginCode, row);

const loginCode = statement<{ hash: string }, LoginCodeRow & { name: string }>(
  `select c.hash, c.principal_id, c.created_by, c.created_at, c.expires_at, c.token_id, p.name
   from login_codes c join principals p on p.id = c.principal_id where c.hash = :hash`,
);
export const findLoginCode = (db: Reader, hash: string): Promise<(LoginCodeRow & { name: string }) | undefined> =>
  db.get(loginCode, { hash });

const useLoginCode = statement<{ hash: string; token_id: string }>(
  "update login_codes set token_id = :token_id where hash = :hash and token_id is null",
);
/** False when it was exchanged already. */
export const updateLoginCode = async (tx: Tx, args: { hash: string; token_id: string }): Promise<boolean> =>
  (await tx.run(useLoginCode, args)) === 1;

const oldLoginCodes = statement<{ now: string }>("delete from login_codes where expires_at <= :now");
export const deleteExpiredLoginCodes = (tx: Tx, now: string): Promise<number> => tx.run(oldLoginCodes, { now });

const nextLoginCode = statement<Record<string, never>, { expires_at: string | null }>(
  "select min(expires_at) as expires_at from login_codes",
);
export const findNextLoginCode = async (db: Reader): Promise<string | null> =>
  (await db.get(nextLoginCode, {}))?.expires_at ?? null;

const spaceById = statement<{ id: string }, SpaceRow>(
  "select id, default_inbox_id, created_at, expires_at, emptied_at from spaces where id = :id",
);
export const findSpace = (db: Reader, id: string): Promise<SpaceRow | undefined> => db.get(spaceById, { id });

const openSpaces = statement<{ now: string }, SpaceRow>(
  `select id, default_inbox_id, created_at, expires_at, emptied_at from spaces
   where id <> 'hub' and (expires_at is null or expires_at > :now) order by created_at, id`,
);
/** Those that have not expired: of the others there are more every day. */
export const listSpaces = (db: Reader, now: string): Promise<SpaceRow[]> => db.all(openSpaces, { now });

const newSpace = statement<{
  id: string;
  last_id: number;
  default_inbox_id: number;
  created_by: string;
  created_at: string;
  expires_at: string | null;
}>(
  `insert into spaces (id, last_id, default_inbox_id, created_by, created_at, expires_at)
   values (:id, :last_id, :default_inbox_id, :created_by, :created_at, :expires_at) on conflict do nothing`,
);
/** False when there is one of that name, or was. */
export const insertSpace = async (
  tx: Tx,
  row: { id: string; first_id: number; created_by: string; created_at: string; expires_at: string | null },
): Promise<boolean> => {
  const { first_id, ...rest } = row;
  return (await tx.run(newSpace, { ...rest, last_id: first_id, default_inbox_id: first_id })) === 1;
};

const expire = statement<{ id: string; expires_at: string }>(
  "update spaces set expires_at = :expires_at where id = :id",
);
export const expireSpace = (tx: Tx, args: { id: string; expires_at: string }): Promise<number> => tx.run(expire, args);

const markEmptied = statement<{ id: string; emptied_at: string }>(
  "update spaces set emptied_at = :emptied_at where id = :id",
);
export const emptySpace = (tx: Tx, args: { id: string; emptied_at: string }): Promise<number> =>
  tx.run(markEmptied, args);

const setDefault = statement<{ id: string; default_inbox_id: number }>(
  "update spaces set default_inbox_id = :default_inbox_id where id = :id",
);
export const setDefaultInbox = (tx: Tx, args: { id: string; default_inbox_id: number }): Promise<number> =>
  tx.run(setDefault, args);

const AGENT = `select a.principal_id, p.name, a.inbox_id, a.type, a.lifecycle, a.run_phase, a.created_at, a.updated_at
   from agents a join principals p on p.id = a.principal_id where a.space_id = :space_id`;

const defaultInbox = statement<{ space_id: string }, AgentRow | (Pick<AgentRow, "inbox_id"> & { name: null })>(
  `select s.default_inbox_id as inbox_id, a.principal_id, p.name, a.type, a.lifecycle, a.run_phase, a.created_at,
   a.updated_at from spaces s left join agents a on a.space_id = s.id and a.inbox_id = s.default_inbox_id
   left join principals p on p.id = a.principal_id where s.id = :space_id`,
);
/** With the agent it belongs to, in one question: every post of a person who names none asks it. */
export async function findDefaultInbox(
  db: Reader,
  space_id: string,
): Promise<{ inbox_id: number; agent: AgentRow | null } | undefined> {
  const row = await db.get(defaultInbox, { space_id });
  return row && { inbox_id: row.inbox_id, agent: row.name === null ? null : row };
}

const agentByName = statement<{ space_id: string; name: string }, AgentRow>(`${AGENT} and p.name = :name`);
export const findAgentByName = (db: Reader, args: { space_id: string; name: string }): Promise<AgentRow | undefined> =>
  db.get(agentByName, args);

const agentByPrincipal = statement<{ space_id: string; principal_id: string }, AgentRow>(
  `${AGENT} and a.principal_id = :principal_id`,
);
export const findAgentByPrincipal = (
  db: Reader,
  args: { space_id: string; principal_id: string },
): Promise<AgentRow | undefined> => db.get(agentByPrincipal, args);

const agentByInbox = statement<{ space_id: string; inbox_id: number }, AgentRow>(`${AGENT} and a.inbox_id = :inbox_id`);
export const findAgentByInbox = (
  db: Reader,
  args: { space_id: string; inbox_id: number },
): Promise<AgentRow | undefined> => db.get(agentByInbox, args);

const agentsIn = statement<{ space_id: string }, AgentRow>(`${AGENT} order by a.created_at, p.name`);
export const listAgents = (db: Reader, space_id: string): Promise<AgentRow[]> => db.all(agentsIn, { space_id });

const newAgent = statement<Omit<AgentRow, "name"> & { space_id: string }>(
  `insert into agents (space_id, principal_id, inbox_id, type, lifecycle, run_phase, created_at, updated_at)
   values (:space_id, :principal_id, :inbox_id, :type, :lifecycle, :run_phase, :created_at, :updated_at)`,
);
export const insertAgent = (tx: Tx, { name: _, ...row }: AgentRow): Promise<number> =>
  tx.run(newAgent, { ...row, space_id: tx.space_id });

const report = statement<{
  space_id: string;
  principal_id: string;
  lifecycle: string;
  run_phase: string;
  updated_at: string;
}>(
  `update agents set lifecycle = :lifecycle, run_phase = :run_phase, updated_at = :updated_at
   where space_id = :space_id and principal_id = :principal_id`,
);
export const updateAgent = (
  tx: Tx,
  args: { principal_id: string; lifecycle: string; run_phase: string; updated_at: string },
): Promise<number> => tx.run(report, { ...args, space_id: tx.space_id });

const deletes = new Map<string, Statement<{ space_id: string }>>();
/** Everything of the transaction's space in a table that has a `space_id`. */
export function deleteRows(tx: Tx, table: string): Promise<number> {
  const known = deletes.get(table);
  const text = known ?? statement<{ space_id: string }>(`delete from ${table} where space_id = :space_id`);
  deletes.set(table, text);
  return tx.run(text, { space_id: tx.space_id });
}

const slices = new Map<string, Statement<{ space_id: string; limit: number }>>();
/** The oldest rows of the transaction's space in a table that has a `space_id` and an `id`. */
export function deleteOldestRows(tx: Tx, { table, limit }: { table: string; limit: number }): Promise<number> {
  const text =
    slices.get(table) ??
    statement<{ space_id: string; limit: number }>(
      `delete from ${table} where space_id = :space_id and id <=
       (select max(id) from (select id from ${table} where space_id = :space_id order by id limit :limit) as slice)`,
    );
  slices.set(table, text);
  return tx.run(text, { space_id: tx.space_id, limit });
}
