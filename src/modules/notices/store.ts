import type { Reader, Tx } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";
import type { State } from "./schema.ts";
import { BY_HUB, type NamedNoticeRow, type NewNoticeRow } from "./tables.ts";

export * from "./store/items.ts";
export * from "./store/laters.ts";

const NOTICE = `select n.id, n.raised_by, n.key, n.by_principal_id, n.gathers, n.times, n.audience, n.digest, n.kind, n.tool, n.title,
   n.title_many, n.text, n.topic, n.ref, n.agents, n.choices, n.expires_at, n.state, n.choice, n.settled_by, n.settled_at, n.cause, n.cause_how,
   r.name as raised_by_name, s.name as settled_by_name, a.name as audience_name
   from notices n left join principals r on r.id = n.raised_by left join principals s on s.id = n.settled_by
   left join principals a on a.id = n.audience
   where n.space_id = :space_id`;
/** What nobody may answer any more is not open, even if the hub has not come to noting it. */
const OPEN = "n.state = 'open' and (n.expires_at is null or n.expires_at > :now)";
/** What another module brings along itself, or bounds itself, is left to it. */
const PLAIN = "n.tool is null";
/** What is for somebody else alone is in nobody's list. */
const OWN = "(n.audience is null or n.audience = :principal_id)";

const insert = statement<NewNoticeRow & { space_id: string }>(
  `insert into notices (space_id, id, raised_by, by_principal_id, key, gathers, times, audience, digest, kind, tool, title,
   title_many, text, topic, ref, agents, choices, expires_at, state, cause, cause_how)
   values (:space_id, :id, :raised_by, :by_principal_id, :key, :gathers, 1, :audience, :digest, :kind, :tool, :title,
   :title_many, :text, :topic, :ref, :agents, :choices, :expires_at, 'open', :cause, :cause_how)`,
);
export const insertNotice = (tx: Tx, row: NewNoticeRow): Promise<void> =>
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

type Gathered = { id: number; times: number; ref: number | null; text: string };

const gather = statement<Gathered & { space_id: string }>(
  "update notices set times = :times, ref = :ref, text = :text where space_id = :space_id and id = :id",
);
export const updateGathering = (tx: Tx, args: Gathered): Promise<void> =>
  tx.run(gather, { ...args, space_id: tx.space_id });

type Page = { space_id: string; principal_id: string; before_id: number; limit: number };

const all = statement<Page, NamedNoticeRow>(
  `${NOTICE} and ${OWN} and n.id < :before_id order by n.id desc limit :limit`,
);
/** Newest first, as all of these. */
export const listNotices = (db: Reader, args: Page): Promise<NamedNoticeRow[]> => db.all(all, args);

const open = statement<Page & { now: string }, NamedNoticeRow>(
  `${NOTICE} and ${OPEN} and ${OWN} and n.id < :before_id order by n.id desc limit :limit`,
);
export const listOpenNotices = (db: Reader, args: Page & { now: string }): Promise<NamedNoticeRow[]> =>
  db.all(open, args);

const openPlain = statement<Page & { now: string }, NamedNoticeRow>(
  `${NOTICE} and ${OPEN} and ${PLAIN} and ${OWN} and n.id < :before_id order by n.id desc limit :limit`,
);
export const listOpenPlain = (db: Reader, args: Page & { now: string }): Promise<NamedNoticeRow[]> =>
  db.all(openPlain, args);

const over = statement<Page & { now: string }, NamedNoticeRow>(
  `${NOTICE} and not (${OPEN}) and ${OWN} and n.id < :before_id order by n.id desc limit :limit`,
);
export const listClosedNotices = (db: Reader, args: Page & { now: string }): Promise<NamedNoticeRow[]> =>
  db.all(over, args);

type Counted = { space_id: string; now: string; most: number };

const openIds = statement<Page & { now: string }, { id: number }>(
  `select n.id from notices n where n.space_id = :space_id and ${OPEN} and ${PLAIN} and ${OWN}
   and n.id < :before_id order by n.id desc limit :limit`,
);
/** Those of `listOpenPlain`. */
export const listOpenIds = async (db: Reader, args: Page & { now: string }): Promise<number[]> =>
  (await db.all(openIds, args)).map(({ id }) => id);

const openCountOf = statement<Counted & { raised_by: string }, { count: number }>(
  `select count(*) as count from (select n.id from notices n
   where n.space_id = :space_id and n.raised_by = :raised_by and ${OPEN} and ${PLAIN} limit :most) as o`,
);
export const countOpenOf = async (db: Reader, args: Counted & { raised_by: string }): Promise<number> =>
  Number((await db.get(openCountOf, args))?.count ?? 0);

const openCountBy = statement<Counted & { by_principal_id: string }, { count: number }>(
  `select count(*) as count from (select n.id from notices n
   where n.space_id = :space_id and n.by_principal_id = :by_principal_id and ${OPEN} and ${PLAIN} limit :most) as o`,
);
/** Those that a principal raised, for whomever. */
export const countOpenBy = async (db: Reader, args: Counted & { by_principal_id: string }): Promise<number> =>
  Number((await db.get(openCountBy, args))?.count ?? 0);

type Deciding = { principal_id: string; asks: number; since_id: number };

/** What is for one person is known to them and to who asks. */
const DECIDING = `select n.raised_by as principal_id, count(*) as asks, min(n.id) as since_id from notices n
   where n.space_id = :space_id and ${OPEN} and ${PLAIN} and n.choices is not null
   and (n.audience is null or n.audience = :viewer or n.raised_by = :viewer)`;

const counted = (row: Deciding): Deciding => ({ ...row, asks: Number(row.asks), since_id: Number(row.since_id) });

interface DecidingIn {
  space_id: string;
  now: string;
  viewer: string;
}

const deciding = statement<DecidingIn, Deciding>(`${DECIDING} and n.raised_by <> '${BY_HUB}' group by n.raised_by`);
/** Whoever has people decide something, and how much, as far as the viewer may know. */
export const listDeciding = async (db: Reader, args: DecidingIn): Promise<Deciding[]> =>
  (await db.all(deciding, args)).map(counted);

type DecidingOf = DecidingIn & { raised_by: string };

const decidingOf = statement<DecidingOf, Deciding>(`${DECIDING} and n.raised_by = :raised_by group by n.raised_by`);
export const listDecidingOf = async (db: Reader, args: DecidingOf): Promise<Deciding[]> =>
  (await db.all(decidingOf, args)).map(counted);

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
  (await tx.runCounted(settle, { ...args, space_id: tx.space_id })) === 1;

const settleLate = statement<Settling & { space_id: string }>(
  `update notices set state = :state, choice = :choice, settled_by = :settled_by, settled_at = :settled_at
   where space_id = :space_id and id = :id and state in ('open', 'expired')`,
);
/** The same for what is still wanted when its time is over. */
export const settleNoticeLate = async (tx: Tx, args: Settling): Promise<boolean> =>
  (await tx.runCounted(settleLate, { ...args, space_id: tx.space_id })) === 1;

const expire = statement<{ space_id: string; id: number; now: string }>(
  `update notices set state = 'expired', settled_at = expires_at
   where space_id = :space_id and id = :id and state = 'open' and expires_at <= :now`,
);
export const expireNotice = async (tx: Tx, args: { id: number; now: string }): Promise<boolean> =>
  (await tx.runCounted(expire, { ...args, space_id: tx.space_id })) === 1;

const forget = statement<{ space_id: string; id: number }>(
  "delete from notices where space_id = :space_id and id = :id and state <> 'open'",
);
export const deleteClosed = (tx: Tx, id: number): Promise<void> => tx.run(forget, { id, space_id: tx.space_id });
