import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import { type Can, Kind } from "../schema.ts";
import type { RunRow } from "../tables.ts";

const COLUMNS = [
  ...["id", "kind", "name", "session_mode", "session_key", "lane", "prompt", "state", "waits_for", "not_before"],
  ...[
    "retries",
    "failures",
    "losses",
    "attempt",
    "claimed_id",
    "node",
    "node_boot",
    "host",
    "pid",
    "pid_start",
    "session_id",
    "account",
  ],
  ...["token_id", "stop_requested_at", "stop_requested_by", "started_at", "ended_at", "exit_code", "signal", "error"],
  ...["cost_micros", "approval_id", "permitted_in", "cause", "cause_how"],
];
const ALL = `space_id, ${COLUMNS.join(", ")}`;
const ROW = `select ${ALL} from runs`;

const insert = statement<RunRow>(
  `insert into runs (${ALL}) values (:space_id, ${COLUMNS.map((column) => `:${column}`).join(", ")})`,
);
export const insertRun = (tx: Tx, row: RunRow): Promise<void> => tx.run(insert, row);

const FIXED = ["id", "kind", "name", "session_mode", "session_key", "lane", "prompt", "retries"];
const CHANGING = COLUMNS.filter((column) => !FIXED.includes(column));
const save = statement<RunRow>(
  `update runs set ${CHANGING.map((column) => `${column} = :${column}`).join(", ")}
   where space_id = :space_id and id = :id`,
);
export const saveRun = (tx: Tx, row: RunRow): Promise<void> => tx.run(save, row);

type Ref = { space_id: string; id: number };

const byId = statement<Ref, RunRow>(`${ROW} where space_id = :space_id and id = :id`);
export const findRun = (db: Reader, args: Ref): Promise<RunRow | undefined> => db.get(byId, args);

const says = statement<Ref & { prompt: string }>(
  "update runs set prompt = :prompt where space_id = :space_id and id = :id",
);
export const savePrompt = (
  tx: Tx,
  { space_id, id, prompt }: Pick<RunRow, "space_id" | "id" | "prompt">,
): Promise<void> => tx.run(says, { space_id, id, prompt });

type Lane = Pick<RunRow, "space_id" | "kind" | "name" | "lane">;

const LIVE = "state in ('queued', 'claimed', 'running')";

const before = statement<Lane & { id: number }, { id: number }>(
  `select id from runs where space_id = :space_id and kind = :kind and name = :name and lane = :lane and id < :id
   and ${LIVE} order by id limit 1`,
);
/** What comes before it in its lane and is not over. */
export const findBefore = async (db: Reader, { space_id, kind, name, lane, id }: RunRow): Promise<number | undefined> =>
  (await db.get(before, { space_id, kind, name, lane, id }))?.id;

const anyLive = statement<Omit<Lane, "lane">, { id: number }>(
  `select id from runs where space_id = :space_id and kind = :kind and name = :name and ${LIVE} limit 1`,
);
export const hasLive = async (db: Reader, args: Omit<Lane, "lane">): Promise<boolean> =>
  (await db.get(anyLive, args)) !== undefined;

const forQuota = statement<{ space_id: string; account: string }, RunRow>(
  `${ROW} where space_id = :space_id and account = :account and state = 'queued' and waits_for = 'quota' order by id`,
);
/** What waits for the quota of an account. */
export const listForQuota = (tx: Tx, account: string): Promise<RunRow[]> =>
  tx.all(forQuota, { space_id: tx.space_id, account });

const forApproval = statement<{ space_id: string; approval_id: number }, RunRow>(
  `${ROW} where space_id = :space_id and approval_id = :approval_id and state = 'queued' and waits_for = 'approval'`,
);
/** The run that waits for a decision. */
export const findForApproval = (tx: Tx, approval_id: number): Promise<RunRow | undefined> =>
  tx.get(forApproval, { space_id: tx.space_id, approval_id });

export type Claimable = Pick<RunRow, "space_id" | "id" | "kind" | "name">;

type Among = { now: string; kinds: string; triggers: string; limit: number };

/** Said twice: the two databases have no common word for what is in a list. */
const claimableOf = (kinds: string, triggers: string): string =>
  `select r.space_id, r.id, r.kind, r.name from runs r
   where r.state = 'queued' and r.not_before <= :now and coalesce(r.waits_for, '') <> 'approval'
   and (r.kind in (${kinds}) or (r.kind = 'trigger' and r.name in (${triggers})))
   and not exists (select 1 from runs o where o.space_id = r.space_id and o.kind = r.kind and o.name = r.name
   and o.lane = r.lane and o.id < r.id and o.state in ('queued', 'claimed', 'running'))
   and not exists (select 1 from run_pauses p where p.space_id = r.space_id)
   order by r.not_before, r.space_id, r.id limit :limit`;
const claimable = statement<Among, Claimable>(
  claimableOf("select value from json_each(:kinds)", "select value from json_each(:triggers)"),
  claimableOf(
    "select json_array_elements_text(cast(:kinds as json))",
    "select json_array_elements_text(cast(:triggers as json))",
  ),
);

/**
 * Of all spaces, those that may begin now and that this can start: what waits for a program of another node, or one that
 * nobody has any more, takes no place among them.
 */
export const listClaimable = async (
  db: Reader,
  { can, now, limit }: { can: Can; now: string; limit: number },
): Promise<Claimable[]> => {
  const { triggers, ...kinds } = can;
  const able = Kind.options.filter((kind) => kinds[kind]);
  if (able.length === 0 && triggers.length === 0) return [];
  return db.all(claimable, { now, limit, kinds: JSON.stringify(able), triggers: JSON.stringify(triggers) });
};

const next = statement<{ now: string }, { at: string | null }>(
  "select min(not_before) as at from runs where state = 'queued' and not_before > :now",
);
/** When the next one may begin that has to wait for its time. */
export const findNextTime = async (db: Reader, now: string): Promise<string | null> =>
  (await db.get(next, { now }))?.at ?? null;

export type HeldRow = Pick<RunRow, "space_id" | "id" | "attempt" | "node" | "node_boot" | "host" | "stop_requested_at">;

const HELD = `select space_id, id, attempt, node, node_boot, host, stop_requested_at from runs
   where state in ('claimed', 'running')`;
const heldBy = statement<{ node: string }, HeldRow>(`${HELD} and node = :node order by space_id, id`);
/** What a node has begun, this start of it or an earlier one. */
export const listHeldBy = (db: Reader, node: string): Promise<HeldRow[]> => db.all(heldBy, { node });

const orphans = statement<{ now: string }, HeldRow>(
  `${HELD} and not exists (select 1 from nodes n where n.id = runs.node and n.boot = runs.node_boot
   and n.lease_until > :now) order by space_id, id limit 100`,
);
/** Whose node is gone, or has started anew. */
export const listOrphans = (db: Reader, now: string): Promise<HeldRow[]> => db.all(orphans, { now });

type Page = { space_id: string; before_id: number; limit: number };

const newest = statement<Page, RunRow>(
  `${ROW} where space_id = :space_id and id < :before_id order by id desc limit :limit`,
);
const newestNamed = statement<Page & { kind: string; name: string }, RunRow>(
  `${ROW} where space_id = :space_id and kind = :kind and name = :name and id < :before_id
   order by id desc limit :limit`,
);

interface Wanted extends Page {
  kind: string | null;
  name: string | null;
  state: string | null;
}

const FITTING = "kind = coalesce(:kind, kind) and name = coalesce(:name, name)";
const newestOf = statement<Wanted, RunRow>(
  `${ROW} where space_id = :space_id and id < :before_id and ${FITTING}
   and state = coalesce(:state, state) order by id desc limit :limit`,
);
const newestLive = statement<Omit<Wanted, "state">, RunRow>(
  `${ROW} where space_id = :space_id and id < :before_id and ${FITTING} and ${LIVE}
   order by id desc limit :limit`,
);

/** The newest first. */
export function listRuns(db: Reader, { state, ...wanted }: Wanted): Promise<RunRow[]> {
  const { kind, name, ...page } = wanted;
  if (state === "live") return db.all(newestLive, wanted);
  if (kind !== null && name !== null && state === null) return db.all(newestNamed, { ...page, kind, name });
  const all = state === null && kind === null && name === null;
  return all ? db.all(newest, page) : db.all(newestOf, { ...wanted, state });
}
