import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { State } from "../schema.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { APPROVAL, type At, CLASS, COLUMNS, FROM, NAMES, OPEN } from "./stated.ts";

type Page = At & { before_id: number; limit: number };
/** By its name. */
type OfAgent = { agent: string };

const NEWEST_CALLS = "and a.id < :before_id order by a.id desc limit :limit";
const NEWEST_NOTICES = "and n.id < :before_id order by n.id desc limit :limit";
const OF_AGENT = "and a.agent_id = (select id from principals where name = :agent)";

const open = statement<Page, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${OPEN} and n.id < :before_id order by n.id desc limit :limit`,
);
export const listOpenApprovals = (db: Reader, args: Page): Promise<StatedApprovalRow[]> => db.all(open, args);

const openIds = statement<Page, { id: number }>(
  `select n.id ${FROM} ${OPEN} and n.id < :before_id order by n.id desc limit :limit`,
);
/** Those of `listOpenApprovals`. */
export const listOpenApprovalIds = async (db: Reader, args: Page): Promise<number[]> =>
  (await db.all(openIds, args)).map(({ id }) => id);

const all = statement<Page, StatedApprovalRow>(`${APPROVAL} ${NEWEST_CALLS}`);
const allOf = statement<Page & OfAgent, StatedApprovalRow>(`${APPROVAL} ${OF_AGENT} ${NEWEST_CALLS}`);

type InClass = Page & { state: State };

const inClass = statement<InClass, StatedApprovalRow>(`${APPROVAL} and ${CLASS} = :state ${NEWEST_CALLS}`);
const inClassOf = statement<InClass & OfAgent, StatedApprovalRow>(
  `${APPROVAL} ${OF_AGENT} and ${CLASS} = :state ${NEWEST_CALLS}`,
);

const openOfAgent = statement<Page & OfAgent, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${OPEN} ${OF_AGENT} ${NEWEST_NOTICES}`,
);

/** Its time is over, whether or not that was noted. */
const LAPSED = `where n.space_id = :space_id and n.state = 'open' and n.expires_at <= :now and a.space_id = n.space_id
   and a.id = n.id`;
const lapsed = statement<Page, StatedApprovalRow>(`select ${COLUMNS} ${FROM} ${NAMES} ${LAPSED} ${NEWEST_NOTICES}`);
const lapsedOf = statement<Page & OfAgent, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${LAPSED} ${OF_AGENT} ${NEWEST_NOTICES}`,
);

/** The last two of it are what its index holds. */
const UNANSWERED = `where n.space_id = :space_id and n.state = :state
   and n.state in ('expired', 'withdrawn', 'superseded') and a.space_id = n.space_id and a.id = n.id`;
const unanswered = statement<InClass, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${UNANSWERED} ${NEWEST_NOTICES}`,
);
const unansweredOf = statement<InClass & OfAgent, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${UNANSWERED} ${OF_AGENT} ${NEWEST_NOTICES}`,
);

/** Null for whichever. */
type Wanted = Page & { state: State | null; agent: string | null };

/** Newest first; each from an index that holds no others, since of all calls of a space few may be in a state. */
export async function listApprovals(db: Reader, { state, agent, ...page }: Wanted): Promise<StatedApprovalRow[]> {
  const of = agent === null ? null : { ...page, agent };
  if (state === null) return of ? db.all(allOf, of) : db.all(all, page);
  switch (state) {
    case "pending":
      return of ? db.all(openOfAgent, of) : db.all(open, page);
    case "expired":
      return newest(page, unansweredIn(db, { ...page, state }, of), of ? db.all(lapsedOf, of) : db.all(lapsed, page));
    case "withdrawn":
      // Of what was approved its own row says so.
      return newest(page, unansweredIn(db, { ...page, state }, of), inClassIn(db, { ...page, state }, of));
    case "superseded":
      return unansweredIn(db, { ...page, state }, of);
    default:
      return inClassIn(db, { ...page, state }, of);
  }
}

type Rows = Promise<StatedApprovalRow[]>;

const unansweredIn = (db: Reader, page: InClass, of: OfAgent | null): Rows =>
  of ? db.all(unansweredOf, { ...page, agent: of.agent }) : db.all(unanswered, page);
const inClassIn = (db: Reader, page: InClass, of: OfAgent | null): Rows =>
  of ? db.all(inClassOf, { ...page, agent: of.agent }) : db.all(inClass, page);

const newest = async ({ limit }: Page, ...lists: Rows[]): Rows =>
  (await Promise.all(lists))
    .flat()
    .sort((a, b) => b.id - a.id)
    .slice(0, limit);

type Of = At & { agent_id: string };

const pendingOf = statement<Of, StatedApprovalRow>(
  `select ${COLUMNS} ${FROM} ${NAMES} ${OPEN} and n.raised_by = :agent_id and a.agent_id = :agent_id`,
);
const inOrder = (rows: StatedApprovalRow[]): StatedApprovalRow[] => rows.sort((a, b) => a.id - b.id);

/** What of an agent waits for a person. Put in order here: SQLite would go through those of all agents for it. */
export const listPendingOf = async (db: Reader, args: Of): Promise<StatedApprovalRow[]> =>
  inOrder(await db.all(pendingOf, args));

const unclaimedOf = statement<Of, StatedApprovalRow>(
  `${APPROVAL} and a.agent_id = :agent_id and ${CLASS} = 'approved' and n.id is not null order by a.id`,
);
/** What of an agent waits for a person, or to be run. */
export const listOpenOf = async (db: Reader, args: Of): Promise<StatedApprovalRow[]> =>
  inOrder([...(await db.all(pendingOf, args)), ...(await db.all(unclaimedOf, args))]);
