import type { Database, Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { RuntimeRow } from "../tables.ts";

interface Of {
  space_id: string;
  principal_id: string;
}

const COLUMNS = `principal_id, fence, driver, started_at, seen_at, ended_at, turn_id, taken_id, abort_turn_id, paused_at,
   paused_by, mounts, in_hub, forked_from, forked_at, tools_off_at, token_id, account, abort_by`;

const find = statement<Of, RuntimeRow>(
  `select ${COLUMNS} from runtimes where space_id = :space_id and principal_id = :principal_id`,
);
export const findRuntime = (db: Reader, { space_id, principal_id }: Of): Promise<RuntimeRow | undefined> =>
  db.get(find, { space_id, principal_id });

const name = statement<{ id: string }, { name: string }>("select name from principals where id = :id");
/** Also of one that was deleted. */
export const findNameOf = async (db: Reader, id: string): Promise<string | null> =>
  (await db.get(name, { id }))?.name ?? null;

const save = statement<RuntimeRow & { space_id: string }>(
  `insert into runtimes (space_id, ${COLUMNS}) values (:space_id, :principal_id, :fence, :driver, :started_at, :seen_at,
   :ended_at, :turn_id, :taken_id, :abort_turn_id, :paused_at, :paused_by, :mounts, :in_hub, :forked_from, :forked_at,
   :tools_off_at, :token_id, :account, :abort_by)
   on conflict (space_id, principal_id) do update set fence = excluded.fence, driver = excluded.driver,
   started_at = excluded.started_at, seen_at = excluded.seen_at, ended_at = excluded.ended_at, turn_id = excluded.turn_id,
   taken_id = excluded.taken_id, abort_turn_id = excluded.abort_turn_id, paused_at = excluded.paused_at,
   paused_by = excluded.paused_by, mounts = excluded.mounts, in_hub = excluded.in_hub,
   tools_off_at = excluded.tools_off_at, token_id = excluded.token_id,
   account = excluded.account, abort_by = excluded.abort_by`,
);
export const saveRuntime = (tx: Tx, row: RuntimeRow): Promise<void> => tx.run(save, { ...row, space_id: tx.space_id });

const seen = statement<Of & { fence: number; seen_at: string; before: string }>(
  `update runtimes set seen_at = :seen_at where space_id = :space_id and principal_id = :principal_id
   and fence = :fence and seen_at < :before`,
);
/** Unless that was noted just now. It takes no turn at the space's counter. */
export const updateSeen = (
  database: Database,
  args: Of & { fence: number; seen_at: string; before: string },
): Promise<number> => database.compareAndSet(seen, args);

type Paused = { space_id: string; paused_by: string };

const OWN_COLUMNS = COLUMNS.replaceAll(/\w+/g, "r.$&");
const pausedBy = statement<Paused, RuntimeRow & { name: string }>(
  `select p.name, ${OWN_COLUMNS} from agents a join principals p on p.id = a.principal_id
   join runtimes r on r.space_id = a.space_id and r.principal_id = a.principal_id
   where a.space_id = :space_id and a.deleted_at is null and r.paused_by = :paused_by order by p.name`,
);
/** Those that it has paused, whoever or whatever it is. */
export const listPausedBy = (db: Reader, args: Paused): Promise<(RuntimeRow & { name: string })[]> =>
  db.all(pausedBy, args);

type InHub = Of & Pick<RuntimeRow, "seen_at" | "ended_at"> & { agent: string; in_hub: string };

const inHub = statement<Record<never, never>, InHub>(
  `select r.space_id, r.principal_id, p.name as agent, r.in_hub, r.seen_at, r.ended_at from runtimes r
   join agents a on a.space_id = r.space_id and a.principal_id = r.principal_id and a.deleted_at is null
   join principals p on p.id = r.principal_id where r.in_hub is not null order by r.space_id, r.principal_id`,
);
/** In all spaces: those that the hub itself runs, and nobody has deleted. */
export const listInHub = (db: Reader): Promise<InHub[]> => db.all(inHub, {});
