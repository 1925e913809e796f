import type { Reader } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { FullMailRow, MailRow } from "../tables.ts";

interface Mailbox {
  space_id: string;
  principal_id: string;
}

type Page = Mailbox & { before: number; limit: number };

const MAIL = `m.id, m.thread_id, m.in_reply_to, m.recipients, m.subject, m.preview, m.priority, m.deadline, m.topic,
   m.bytes, p.name as sender, p.kind as sender_kind`;
const COPY = "r.position, r.state, r.read_at, r.acked_at, r.snoozed_until";
const IN_BOX = "r.space_id = :space_id and r.principal_id = :principal_id";
const UNREAD = "r.state = 'inbox' and r.read_at is null and r.snoozed_until is null";

/** Where a copy that nobody has read lies: its own places for what is urgent, and for what was never offered. */
const UNREAD_PLACES = ["urgent_new", "urgent", "new", "unread"];

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
  return `select ${MAIL}, ${COPY}, r.offered
   from (${cuts.join(" union all ")} order by position desc limit :limit) as cut
   join mail_recipients r on ${IN_BOX} and r.mail_id = cut.mail_id
   join mails m on m.space_id = r.space_id and m.id = r.mail_id join principals p on p.id = m.sender_id
   order by cut.position desc`;
};

type Offered = MailRow & { offered: number };

const FOLDERS = {
  inbox: statement<Page, Offered>(page(...UNREAD_PLACES, "read")),
  archived: statement<Page, Offered>(page("archived")),
  trash: statement<Page, Offered>(page("trash")),
  snoozed: statement<Page, Offered>(page("snoozed")),
};
export const listFolder = (db: Reader, { folder, ...args }: Page & { folder: keyof typeof FOLDERS }) =>
  db.all(FOLDERS[folder], args);

const unread = statement<Page, Offered>(page(...UNREAD_PLACES));
export const listUnread = (db: Reader, args: Page): Promise<Offered[]> => db.all(unread, args);

const urgent = statement<Page, Offered>(page("urgent_new", "urgent"));
export const listUrgent = (db: Reader, args: Page): Promise<Offered[]> => db.all(urgent, args);

const fresh = statement<Page, Offered>(page("urgent_new", "new"));
/** Unread and never offered. */
export const listFresh = (db: Reader, args: Page): Promise<Offered[]> => db.all(fresh, args);

const SENT = "m.id as position, null as state, null as read_at, null as acked_at, null as snoozed_until";

const sent = statement<Page, MailRow>(
  `select ${MAIL}, ${SENT} from mails m join principals p on p.id = m.sender_id
   where m.space_id = :space_id and m.sender_id = :principal_id and m.id < :before order by m.id desc limit :limit`,
);
export const listSent = (db: Reader, args: Page): Promise<MailRow[]> => db.all(sent, args);

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

export type Filter = Page & {
  match: string;
  query: string;
  sender: string;
  thread_id: number;
  folder: string;
  unread: number;
  first_id: number;
  last_id: number;
};

/** Empty and 0 stand for no condition. */
const FILTERS = `(:sender = '' or p.name = :sender)
   and (cast(:thread_id as bigint) = 0 or m.thread_id = cast(:thread_id as bigint))
   and m.id >= :first_id and m.id <= :last_id and m.id < :before
   and (:folder = '' or (:folder = 'sent' and m.sender_id = :principal_id)
     or (:folder = 'snoozed' and r.snoozed_until is not null)
     or (r.state = :folder and r.snoozed_until is null))
   and (cast(:unread as bigint) = 0 or (${UNREAD}))
   order by m.id desc limit :limit`;

const found = statement<Filter, MailRow>(
  `select ${MAIL}, ${EITHER} from mail_words w
   join mails m on m.seq = w.rowid join principals p on p.id = m.sender_id
   left join mail_recipients r on r.space_id = m.space_id and r.mail_id = m.id and r.principal_id = :principal_id
   where mail_words match :match and m.space_id = :space_id and (r.id is not null or m.sender_id = :principal_id)
   and ${FILTERS.replace("order by m.id desc", "order by w.rowid desc")}`,
  `select ${MAIL}, ${EITHER} from mail_words w
   join mails m on m.seq = w.seq join principals p on p.id = m.sender_id
   left join mail_recipients r on r.space_id = m.space_id and r.mail_id = m.id and r.principal_id = :principal_id
   where w.words @@ cast(:query as tsquery) and m.space_id = :space_id
   and (r.id is not null or m.sender_id = :principal_id) and ${FILTERS}`,
);
const filtered = statement<Filter, MailRow>(`select ${MAIL}, ${EITHER} ${SEEN} and ${FILTERS}`);
/** Newest first; without words, whatever the other conditions leave. */
export const listFound = (db: Reader, args: Filter): Promise<MailRow[]> =>
  db.all(args.match === "" ? filtered : found, args);
