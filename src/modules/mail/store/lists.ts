import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import { MOST_OF_THREAD } from "../schema.ts";
import type { FullMailRow, ListedRow } from "../tables.ts";
import { ASKING_COPIES, type AskingPage } from "./asking.ts";

interface Mailbox {
  space_id: string;
  principal_id: string;
}

type Page = Mailbox & { before: number; limit: number };

const MAIL = `m.id, m.thread_id, m.in_reply_to, m.recipients, m.subject, m.priority, m.deadline, m.topic, m.bytes,
   case when m.preview = '' then m.body else m.preview end as preview, p.name as sender, p.kind as sender_kind`;
/** With how many mails of its thread the mailbox sees: itself, and others. Most have none, and look no further. */
const LISTED = `${MAIL}, 1 + (select count(*) from (select 1 from mails t
   left join mail_recipients c on c.space_id = t.space_id and c.mail_id = t.id and c.principal_id = :principal_id
   where t.space_id = m.space_id and t.thread_id = m.thread_id and t.id <> m.id
   and (c.id is not null or t.sender_id = :principal_id) limit ${MOST_OF_THREAD - 1}) as others) as thread_size`;
const COPY = "r.position, r.state, r.read_at, r.acked_at, r.snoozed_until";
const IN_BOX = "r.space_id = :space_id and r.principal_id = :principal_id";
const UNREAD = "r.state = 'inbox' and r.read_at is null and r.snoozed_until is null";

/** Where a copy that nobody has read lies: its own places for what is urgent, and for what was never offered. */
const UNREAD_PLACES = ["urgent_new", "urgent", "new", "unread"];
const INBOX = [...UNREAD_PLACES, "read"];

/**
 * A page of what lies in these places: cut from the end of each in the index, then from what they gave together. Only
 * what is on it is looked up, so it costs the same in a mailbox of any size.
 */
const page = (...places: string[]): string => {
  const cuts = places.map(
    (place) =>
      `select * from (select r.mail_id, r.position from mail_recipients r
       where ${IN_BOX} and r.place = '${place}' and r.position < :before
       order by r.position desc limit :limit) as ${place}`,
  );
  return `select ${LISTED}, ${COPY}, r.offered
   from (${cuts.join(" union all ")} order by position desc limit :limit) as cut
   join mail_recipients r on ${IN_BOX} and r.mail_id = cut.mail_id
   join mails m on m.space_id = r.space_id and m.id = r.mail_id join principals p on p.id = m.sender_id
   order by cut.position desc`;
};

type Offered = ListedRow & { offered: number };

const FOLDERS = {
  inbox: statement<Page, Offered>(page(...INBOX)),
  archived: statement<Page, Offered>(page("archived")),
  trash: statement<Page, Offered>(page("trash")),
  snoozed: statement<Page, Offered>(page("snoozed")),
};
export const listFolder = (db: Reader, { folder, ...args }: Page & { folder: keyof typeof FOLDERS }) =>
  db.all(FOLDERS[folder], args);

const unread = statement<Page, Offered>(page(...UNREAD_PLACES));
export const listUnread = (db: Reader, args: Page): Promise<Offered[]> => db.all(unread, args);

type Next = Mailbox & { after: number; limit: number };

/** As `page`, from the other end. */
const following = (...places: string[]): string => {
  const cuts = places.map(
    (place) =>
      `select * from (select r.mail_id, r.position from mail_recipients r
       where ${IN_BOX} and r.place = '${place}' and r.position > :after
       order by r.position limit :limit) as ${place}`,
  );
  return `select ${LISTED}, ${COPY}, r.offered
   from (${cuts.join(" union all ")} order by position limit :limit) as cut
   join mail_recipients r on ${IN_BOX} and r.mail_id = cut.mail_id
   join mails m on m.space_id = r.space_id and m.id = r.mail_id join principals p on p.id = m.sender_id
   order by cut.position`;
};

const next = statement<Next, Offered>(following(...UNREAD_PLACES));
const freshNext = statement<Next, Offered>(following("urgent_new", "new"));
/** Unread ones behind a position; with `fresh`, and never offered. */
export const listNext = (db: Reader, { fresh, ...args }: Next & { fresh: boolean }): Promise<Offered[]> =>
  db.all(fresh ? freshNext : next, args);

type Waiting = Page & { fresh: boolean };

const urgent = statement<Page, Offered>(page("urgent_new", "urgent"));
const freshUrgent = statement<Page, Offered>(page("urgent_new"));
/** Unread; with `fresh`, and never offered. */
export const listUrgent = (db: Reader, { fresh, ...args }: Waiting): Promise<Offered[]> =>
  db.all(fresh ? freshUrgent : urgent, args);

const others = statement<Page, Offered>(page("new", "unread"));
const freshOthers = statement<Page, Offered>(page("new"));
export const listOthers = (db: Reader, { fresh, ...args }: Waiting): Promise<Offered[]> =>
  db.all(fresh ? freshOthers : others, args);

const freshOfThread = statement<Mailbox & { thread_id: number; limit: number }, Offered>(
  `select ${LISTED}, ${COPY}, r.offered from mails m join principals p on p.id = m.sender_id
   join mail_recipients r on r.space_id = m.space_id and r.mail_id = m.id and r.principal_id = :principal_id
   where m.space_id = :space_id and m.thread_id = :thread_id and r.place in ('urgent_new', 'new')
   order by m.id desc limit :limit`,
);
export const listFreshOfThread = (
  db: Reader,
  args: Mailbox & { thread_id: number; limit: number },
): Promise<Offered[]> => db.all(freshOfThread, args);

const SENT = "m.id as position, null as state, null as read_at, null as acked_at, null as snoozed_until";

const sent = statement<Page, ListedRow>(
  `select ${LISTED}, ${SENT} from mails m join principals p on p.id = m.sender_id
   where m.space_id = :space_id and m.sender_id = :principal_id and m.id < :before order by m.id desc limit :limit`,
);
export const listSent = (db: Reader, args: Page): Promise<ListedRow[]> => db.all(sent, args);

type Counted = Mailbox & { most: number };

const counting = (...places: string[]): string => {
  const counts = places.map(
    (place) =>
      `(select count(*) from (select 1 from mail_recipients r
       where ${IN_BOX} and r.place = '${place}' order by r.position desc limit :most) as ${place})`,
  );
  return `select ${counts.join(" + ")} as count`;
};

const unreadCount = statement<Counted, { count: number }>(counting(...UNREAD_PLACES));
/** Of each kind it counts no further than `most`. */
export const countUnread = async (db: Reader, args: Counted): Promise<number> =>
  Number((await db.get(unreadCount, args))?.count ?? 0);

type AgentsCount = { name: string; count: number };

const countsOfAgents = statement<{ space_id: string; most: number }, AgentsCount>(
  `select p.name, ${UNREAD_PLACES.map(
    (place) =>
      `(select count(*) from (select 1 from mail_recipients r where r.space_id = a.space_id
       and r.principal_id = a.principal_id and r.place = '${place}' limit :most) as ${place})`,
  ).join(" + ")} as count
   from agents a join principals p on p.id = a.principal_id where a.space_id = :space_id order by a.created_at, p.name`,
);
/** The same of every agent's mailbox. */
export const countUnreadOfAgents = async (
  db: Reader,
  args: { space_id: string; most: number },
): Promise<AgentsCount[]> =>
  (await db.all(countsOfAgents, args)).map(({ name, count }) => ({ name, count: Number(count) }));

const asking = statement<AskingPage, ListedRow>(
  `select ${LISTED}, ${COPY} from (${ASKING_COPIES}) as cut
   join mail_recipients r on ${IN_BOX} and r.mail_id = cut.mail_id
   join mails m on m.space_id = r.space_id and m.id = r.mail_id join principals p on p.id = m.sender_id
   order by cut.mail_id desc`,
);
/** Those of `listAsking`, as a mailbox lists them. */
export const listAskingRows = (db: Reader, args: AskingPage): Promise<ListedRow[]> => db.all(asking, args);

const urgentCount = statement<Counted, { count: number }>(counting("urgent_new", "urgent"));
export const countUrgent = async (db: Reader, args: Counted): Promise<number> =>
  Number((await db.get(urgentCount, args))?.count ?? 0);

/** As the mailbox sees it: nothing where it neither sent nor received it. */
const SEEN = `from mails m join principals p on p.id = m.sender_id
   left join mail_recipients r on r.space_id = m.space_id and r.mail_id = m.id and r.principal_id = :principal_id
   where m.space_id = :space_id and (r.id is not null or m.sender_id = :principal_id)`;
const EITHER = "coalesce(r.position, m.id) as position, r.state, r.read_at, r.acked_at, r.snoozed_until";

const one = statement<Mailbox & { id: number }, FullMailRow>(
  `select ${MAIL}, ${EITHER}, m.body ${SEEN} and m.id = :id`,
);
export const findSeen = (db: Reader, args: Mailbox & { id: number }): Promise<FullMailRow | undefined> =>
  db.get(one, args);

type Sizes = { id: number; bytes: number };

const threadSizes = statement<Page & { thread_id: number }, Sizes>(
  `select m.id, m.bytes ${SEEN} and m.thread_id = :thread_id and m.id < :before order by m.id desc limit :limit`,
);
/** Newest first. */
export const listThreadSizes = (db: Reader, args: Page & { thread_id: number }): Promise<Sizes[]> =>
  db.all(threadSizes, args);

const thread = statement<Mailbox & { thread_id: number; first_id: number; last_id: number }, FullMailRow>(
  `select ${MAIL}, ${EITHER}, m.body ${SEEN} and m.thread_id = :thread_id and m.id >= :first_id and m.id <= :last_id
   order by m.id`,
);
export const listThread = (
  db: Reader,
  args: Mailbox & { thread_id: number; first_id: number; last_id: number },
): Promise<FullMailRow[]> => db.all(thread, args);

/** Empty and 0 stand for no condition; `recipient` is a name as it stands in JSON. */
type Conditions = { sender: string; recipient: string; thread_id: number; first_id: number; last_id: number };

const CONDITIONS = `(:sender = '' or p.name = :sender)
   and (:recipient = '' or replace(m.recipients, :recipient, '') <> m.recipients)
   and (cast(:thread_id as bigint) = 0 or m.thread_id = cast(:thread_id as bigint))
   and m.id >= :first_id and m.id <= :last_id`;

type Matching = Page & Conditions & { match: string; query: string; folder: SearchFolder };

const IN_FOLDER = `(:folder = 'all' or (:folder = 'sent' and m.sender_id = :principal_id)
   or (:folder = 'unread' and ${UNREAD}) or (:folder = 'snoozed' and r.snoozed_until is not null)
   or (r.state = :folder and r.snoozed_until is null))`;
const OWN = `left join mail_recipients r on r.space_id = m.space_id and r.mail_id = m.id and r.principal_id = :principal_id
   where m.space_id = :space_id and (r.id is not null or m.sender_id = :principal_id)
   and ${CONDITIONS} and m.id < :before and ${IN_FOLDER}`;

const matching = statement<Matching, ListedRow>(
  // Crossed, so that SQLite begins with the words: else it would ask for them anew for each mail of the space.
  `select ${LISTED}, ${EITHER} from mail_words w
   cross join mails m on m.seq = w.rowid join principals p on p.id = m.sender_id ${OWN}
   and mail_words match :match order by w.rowid desc limit :limit`,
  `select ${LISTED}, ${EITHER} from mail_words w
   join mails m on m.seq = w.seq join principals p on p.id = m.sender_id ${OWN}
   and w.words @@ cast(:query as tsquery) order by m.id desc limit :limit`,
);
/** Those with the words, newest first. */
export const listMatching = (db: Reader, args: Matching): Promise<ListedRow[]> => db.all(matching, args);

/** As `page`, of what fits the conditions: through one mailbox at worst, never through the space. */
const filtered = ({ places, sent }: { places: readonly string[]; sent: boolean }): string => {
  const cuts = places.map(
    (place) =>
      `select * from (select r.mail_id, r.position from mail_recipients r
       join mails m on m.space_id = r.space_id and m.id = r.mail_id join principals p on p.id = m.sender_id
       where ${IN_BOX} and r.place = '${place}' and r.position < :before and ${CONDITIONS}
       order by r.position desc limit :limit) as ${place}`,
  );
  if (sent)
    cuts.push(
      `select * from (select m.id as mail_id, m.id as position from mails m join principals p on p.id = m.sender_id
       where m.space_id = :space_id and m.sender_id = :principal_id and m.id < :before and ${CONDITIONS}
       order by m.id desc limit :limit) as sent`,
    );
  return `select ${LISTED}, ${EITHER}
   from (${cuts.join(" union all ")} order by position desc limit :limit) as cut
   join mails m on m.space_id = :space_id and m.id = cut.mail_id join principals p on p.id = m.sender_id
   left join mail_recipients r on ${IN_BOX} and r.mail_id = m.id
   order by cut.position desc`;
};

type Filter = Page & Conditions;

const FILTERED = {
  all: statement<Filter, ListedRow>(filtered({ places: [...INBOX, "archived", "trash", "snoozed"], sent: true })),
  inbox: statement<Filter, ListedRow>(filtered({ places: INBOX, sent: false })),
  unread: statement<Filter, ListedRow>(filtered({ places: UNREAD_PLACES, sent: false })),
  archived: statement<Filter, ListedRow>(filtered({ places: ["archived"], sent: false })),
  trash: statement<Filter, ListedRow>(filtered({ places: ["trash"], sent: false })),
  snoozed: statement<Filter, ListedRow>(filtered({ places: ["snoozed"], sent: false })),
  sent: statement<Filter, ListedRow>(filtered({ places: [], sent: true })),
};
export type SearchFolder = keyof typeof FILTERED;
/** Whatever the conditions leave, by position. */
export const listFiltered = (
  db: Reader,
  { folder, ...args }: Filter & { folder: SearchFolder },
): Promise<ListedRow[]> => db.all(FILTERED[folder], args);
