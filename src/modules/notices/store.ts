import type { Reader, Tx } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";
import type { State } from "./schema.ts";
import type { NamedNoticeRow, NewNoticeRow } from "./tables.ts";

const NOTICE = `select n.id, n.raised_by, n.key, n.gathers, n.times, n.kind, n.title, n.text, n.topic, n.ref, n.agents, n.choices, n.expires_at, n.state,
   n.choice, n.settled_by, n.settled_at, r.name as raised_by_name, s.name as settled_by_name
   from notices n left join principals r on r.id = n.raised_by left join principals s on s.id = n.settled_by
   where n.space_id = :space_id`;
/** What nobody may answer any more is not open, even if the hub has not come to noting it. */
const OPEN = "n.state = 'open' and (n.expires_at is null or n.expires_at > :now)";

const insert = statement<NewNoticeRow & { space_id: string }>(
  `insert into notices (space_id, id, raised_by, key, gathers, times, kind, title, text, topic, ref, agents, choices,
   expires_at, state)
   values (:space_id, :id, :raised_by, :key, :gathers, 1, :kind, :title, :text, :topic, :ref, :agents, :choices,
   :expires_at, 'open')`,
);
export const insertNotice = (tx: Tx, row: NewNoticeRow): Promise<number> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const byId = statement<{ space_id: string; id: number }, NamedNoticeRow>(`${NOTICE} and n.id = :id`);
export const findNotice = (db: Reader, args: { space_id: string; id: number }): Promise<NamedNoticeRow | undefined> =>
  db.get(byId, args);

type Key = { space_id: string; raised_by: string; key: string };

const byKey = statement<Key, NamedNoticeRow>(`${NOTICE} and n.raised_by = :raised_by and n.key = :key`);
export const findNoticeByKey = (db: Reader, args: Key): Promise<NamedNoticeRow | undefined> => db.get(byKey, args);

type Gathering = { space_id: string; raised_by: string; gathers: string };

const gathering = statement<Gathering, NamedNoticeRow>(
  `${NOTICE} and n.raised_by = :raised_by and n.gathers = :gathers and n.state = 'open'`,
);
/** The open one that tells of all of that name. */
export const findGathering = (tx: Tx, args: Gathering): Promise<NamedNoticeRow | undefined> => tx.get(gathering, args);

type Gathered = { id: number; times: number; title: string; text: string };

const gather = statement<Gathered & { space_id: string }>(
  "update notices set times = :times, title = :title, text = :text where space_id = :space_id and id = :id",
);
export const updateGathering = (tx: Tx, args: Gathered): Promise<number> =>
  tx.run(gather, { ...args, space_id: tx.space_id });

type Page = { space_id: string; before_id: number; limit: number };

const all = statement<Page, NamedNoticeRow>(`${NOTICE} and n.id < :before_id order by n.id desc limit :limit`);
/** Newest first, as all of these. */
export const listNotices = (db: Reader, args: Page): Promise<NamedNoticeRow[]> => db.all(all, args);

const open = statement<Page & { now: string }, NamedNoticeRow>(
  `${NOTICE} and ${OPEN} and n.id < :before_id order by n.id desc limit :limit`,
);
export const listOpenNotices = (db: Reader, args: Page & { now: string }): Promise<NamedNoticeRow[]> =>
  db.all(open, args);

const over = statement<Page & { now: string }, NamedNoticeRow>(
  `${NOTICE} and not (${OPEN}) and n.id < :before_id order by n.id desc limit :limit`,
);
export const listClosedNotices = (db: Reader, args: Page & { now: string }): Promise<NamedNoticeRow[]> =>
  db.all(over, args);

type Counted = { space_id: string; now: string; most: number };

const openCount = statement<Counted, { count: number }>(
  `select count(*) as count from (select n.id from notices n where n.space_id = :space_id and ${OPEN} limit :most) as o`,
);
export const countOpen = async (db: Reader, args: Counted): Promise<number> =>
  Number((await db.get(openCount, args))?.count ?? 0);

const openCountOf = statement<Counted & { raised_by: string }, { count: number }>(
  `select count(*) as count from (select n.id from notices n
   where n.space_id = :space_id and n.raised_by = :raised_by and ${OPEN} limit :most) as o`,
);
export const countOpenOf = async (db: Reader, args: Counted & { raised_by: string }): Promise<number> =>
  Number((await db.get(openCountOf, args))?.count ?? 0);

export interface Settling {
  id: number;
  state: State;
  choice: string | null;
  settled_by: string | null;
  settled_at: string;
}

const settle = statement<Settling & { space_id: string }>(
  `update notices set state = :state, choice = :choice, settled_by = :settled_by, settled_at = :settled_at
   where space_id = :space_id and id = :id and state = 'open'
   and (expires_at is null or expires_at > :settled_at)`,
);
/** False for all but the first, and when its time is over. */
export const settleNotice = async (tx: Tx, args: Settling): Promise<boolean> =>
  (await tx.run(settle, { ...args, space_id: tx.space_id })) === 1;

const expire = statement<{ space_id: string; id: number; now: string }>(
  `update notices set state = 'expired', settled_at = expires_at
   where space_id = :space_id and id = :id and state = 'open' and expires_at <= :now`,
);
export const expireNotice = async (tx: Tx, args: { id: number; now: string }): Promise<boolean> =>
  (await tx.run(expire, { ...args, space_id: tx.space_id })) === 1;

const forget = statement<{ space_id: string; id: number }>(
  "delete from notices where space_id = :space_id and id = :id and state <> 'open'",
);
export const deleteClosed = (tx: Tx, id: number): Promise<number> => tx.run(forget, { id, space_id: tx.space_id });
