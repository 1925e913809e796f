import type { Database, Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { PresenceRow, SessionRow } from "../tables.ts";

interface In {
  space_id: string;
}

const COLUMNS = `s.client_session_id, s.principal_id, p.name, s.token_id, s.client, s.project, s.branch, s.created_by,
   s.created_at, s.last_seen_at, s.left_at from agent_sessions s join principals p on p.id = s.principal_id
   where s.space_id = :space_id`;

const byId = statement<In & { client_session_id: string }, SessionRow>(
  `select ${COLUMNS} and s.client_session_id = :client_session_id`,
);
export const findSession = (db: Reader, args: In & { client_session_id: string }): Promise<SessionRow | undefined> =>
  db.get(byId, args);

const ofAgent = statement<In & { principal_id: string }, SessionRow>(
  `select ${COLUMNS} and s.principal_id = :principal_id order by s.last_seen_at desc, s.client_session_id`,
);
export const listSessionsOf = (db: Reader, args: In & { principal_id: string }): Promise<SessionRow[]> =>
  db.all(ofAgent, args);

const latest = statement<In & { limit: number }, SessionRow>(
  `select ${COLUMNS} order by s.last_seen_at desc, s.client_session_id limit :limit`,
);
export const listSessions = (db: Reader, args: In & { limit: number }): Promise<SessionRow[]> => db.all(latest, args);

type NewSession = Omit<SessionRow, "name" | "left_at">;

const save = statement<NewSession & In>(
  `insert into agent_sessions (space_id, client_session_id, principal_id, token_id, client, project, branch,
     created_by, created_at, last_seen_at, left_at)
   values (:space_id, :client_session_id, :principal_id, :token_id, :client, :project, :branch,
     :created_by, :created_at, :last_seen_at, null)
   on conflict (space_id, client_session_id) do update set token_id = excluded.token_id, client = excluded.client,
     project = excluded.project, branch = excluded.branch, last_seen_at = excluded.last_seen_at, left_at = null`,
);
/** One that is there keeps whose it is, and when and by whom it was begun. */
export const saveSession = (tx: Tx, row: NewSession): Promise<void> => tx.run(save, { ...row, space_id: tx.space_id });

const seenSession = statement<In & { principal_id: string; token_id: string; now: string }>(
  // Else SQLite would rather go through all sessions of the space.
  `update agent_sessions indexed by agent_sessions_principal set last_seen_at = :now, left_at = null
   where space_id = :space_id and principal_id = :principal_id and token_id = :token_id`,
  `update agent_sessions set last_seen_at = :now, left_at = null
   where space_id = :space_id and principal_id = :principal_id and token_id = :token_id`,
);
export const updateSessionSeen = (
  tx: Tx,
  args: { principal_id: string; token_id: string; now: string },
): Promise<void> => tx.run(seenSession, { ...args, space_id: tx.space_id });

const presence = statement<In & { principal_id: string }, PresenceRow>(
  `select a.principal_id, p.name, a.last_seen_at, a.left_at, a.project, a.branch, a.client, a.deleted_at
   from agents a join principals p on p.id = a.principal_id
   where a.space_id = :space_id and a.principal_id = :principal_id`,
);
export const findPresence = (db: Reader, args: In & { principal_id: string }): Promise<PresenceRow | undefined> =>
  db.get(presence, args);

const seen = statement<In & { principal_id: string; now: string; before: string }>(
  `update agents set last_seen_at = :now, left_at = null where space_id = :space_id and principal_id = :principal_id
   and (last_seen_at is null or last_seen_at < :before or left_at is not null)`,
);
/** Only where it was seen before that, or has left: a mark that somebody has just set stays. */
/** How many there were: none where another call was faster. */
export const updateSeen = (tx: Tx, args: { principal_id: string; now: string; before: string }): Promise<number> =>
  tx.runCounted(seen, { ...args, space_id: tx.space_id });

const stillSeen = statement<In & { principal_id: string; now: string; before: string }>(
  `update agents set last_seen_at = :now where space_id = :space_id and principal_id = :principal_id
   and left_at is null and last_seen_at < :before`,
);
/** Of one that was there and is: that is told to nobody, and takes no turn at the space's counter. */
export async function updateStillSeen(
  database: Database,
  { token_id, before, ...seen }: In & { principal_id: string; token_id: string; now: string; before: string },
): Promise<void> {
  if ((await database.compareAndSet(stillSeen, { ...seen, before })) === 0) return;
  await database.compareAndSet(seenSession, { ...seen, token_id });
}

type Leaving = { principal_id: string; token_id: string; now: string };

const leftSession = statement<In & Leaving>(
  `update agent_sessions indexed by agent_sessions_principal set left_at = :now
   where space_id = :space_id and principal_id = :principal_id and token_id = :token_id`,
  `update agent_sessions set left_at = :now
   where space_id = :space_id and principal_id = :principal_id and token_id = :token_id`,
);
const leftAgent = statement<In & { principal_id: string; now: string }>(
  "update agents set left_at = :now where space_id = :space_id and principal_id = :principal_id",
);
/** The session that the token was made for, and with it its agent. False if it was made for none. */
export async function updateLeft(tx: Tx, { principal_id, token_id, now }: Leaving): Promise<boolean> {
  const where = { space_id: tx.space_id, principal_id, now };
  if ((await tx.runCounted(leftSession, { ...where, token_id })) === 0) return false;
  await tx.run(leftAgent, where);
  return true;
}

type AgentPlace = { principal_id: string; project: string | null; branch: string | null; client: string | null };

const place = statement<In & AgentPlace>(
  `update agents set project = :project, branch = :branch, client = :client
   where space_id = :space_id and principal_id = :principal_id`,
);
/** Where it works, as its last session says. */
export const updatePlace = (tx: Tx, { principal_id, project, branch, client }: AgentPlace): Promise<void> =>
  tx.run(place, { principal_id, project, branch, client, space_id: tx.space_id });

const remove = statement<In & { principal_id: string; now: string }>(
  `update agents set deleted_at = :now, lifecycle = 'stopped', run_phase = 'idle', updated_at = :now
   where space_id = :space_id and principal_id = :principal_id and deleted_at is null`,
);
/** False when it was deleted before. */
export const deleteAgent = async (tx: Tx, args: { principal_id: string; now: string }): Promise<boolean> =>
  (await tx.runCounted(remove, { ...args, space_id: tx.space_id })) === 1;

const grants = statement<In & { principal_id: string }>(
  "delete from grants where space_id = :space_id and principal_id = :principal_id",
);
/** Those of the transaction's space. */
export const deleteGrants = (tx: Tx, principal_id: string): Promise<void> =>
  tx.run(grants, { principal_id, space_id: tx.space_id });

const working = statement<{ principal_id: string }, { id: string }>(
  "select id from tokens where principal_id = :principal_id and revoked_at is null order by id",
);
export const listWorkingTokens = async (db: Reader, principal_id: string): Promise<string[]> =>
  (await db.all(working, { principal_id })).map(({ id }) => id);

const newEnded = statement<{ token_id: string }>(
  "insert into ended_tokens (token_id) values (:token_id) on conflict do nothing",
);
export const insertEndedToken = (tx: Tx, token_id: string): Promise<number> => tx.runCounted(newEnded, { token_id });

const allEnded = statement<Record<string, never>, { token_id: string }>(
  "select token_id from ended_tokens order by token_id",
);
export const listEndedTokens = async (db: Reader): Promise<string[]> =>
  (await db.all(allEnded, {})).map(({ token_id }) => token_id);

const told = statement<{ token_id: string }>("delete from ended_tokens where token_id = :token_id");
export const deleteEndedToken = (tx: Tx, token_id: string): Promise<void> => tx.run(told, { token_id });
