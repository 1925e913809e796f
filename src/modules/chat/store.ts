import type { Reader, Tx } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";
import type { FirstLineRow, MessageRow, NewMessageRow } from "./tables.ts";

interface InboxArgs {
  space_id: string;
  inbox_id: number;
}

const insert = statement<NewMessageRow>(
  `insert into messages (space_id, inbox_id, id, author, principal_id, by_principal_id, mime, content, bytes, cause, cause_how)
   values (:space_id, :inbox_id, :id, :author, :principal_id, :by_principal_id, :mime, :content, :bytes, :cause, :cause_how)`,
);
export const insertMessage = (tx: Tx, row: NewMessageRow): Promise<void> => tx.run(insert, row);

type Size = { id: number; bytes: number };

const sizesAfter = statement<InboxArgs & { after_id: number; limit: number }, Size>(
  `select id, bytes from messages where space_id = :space_id and inbox_id = :inbox_id and id > :after_id
   order by id limit :limit`,
);
/** What comes next and how large it is, from the index alone. */
export const listSizesAfter = (db: Reader, args: InboxArgs & { after_id: number; limit: number }): Promise<Size[]> =>
  db.all(sizesAfter, args);

const sizesBefore = statement<InboxArgs & { before_id: number; limit: number }, Size>(
  `select id, bytes from messages where space_id = :space_id and inbox_id = :inbox_id and id < :before_id
   order by id desc limit :limit`,
);
/** Newest first. */
export const listSizesBefore = (db: Reader, args: InboxArgs & { before_id: number; limit: number }): Promise<Size[]> =>
  db.all(sizesBefore, args);

/** The newest of all. */
export const listNewestSizes = (db: Reader, args: InboxArgs & { limit: number }): Promise<Size[]> =>
  listSizesBefore(db, { ...args, before_id: Number.MAX_SAFE_INTEGER });

const between = statement<InboxArgs & { first_id: number; last_id: number }, MessageRow>(
  `select m.id, m.author, p.name as author_principal, m.mime, m.content
   from messages m join principals p on p.id = m.principal_id
   where m.space_id = :space_id and m.inbox_id = :inbox_id and m.id >= :first_id and m.id <= :last_id order by m.id`,
);
export const listMessages = (
  db: Reader,
  args: InboxArgs & { first_id: number; last_id: number },
): Promise<MessageRow[]> => db.all(between, args);

const firstLine = statement<{ space_id: string; id: number; most: number }, FirstLineRow>(
  `select m.inbox_id, p.name as by, substr(m.content, 1, :most) as line, m.cause, m.cause_how
   from messages m join principals p on p.id = m.principal_id where m.space_id = :space_id and m.id = :id`,
);
/** In whatever inbox. */
export const findFirstLine = (
  db: Reader,
  args: { space_id: string; id: number; most: number },
): Promise<FirstLineRow | undefined> => db.get(firstLine, args);

type LastRow = Pick<MessageRow, "id" | "author"> & { inbox_id: number; line: string };

const lasts = statement<{ space_id: string; most: number }, LastRow>(
  `select m.inbox_id, m.id, m.author, substr(m.content, 1, :most) as line from agents a
   join messages m on m.space_id = a.space_id and m.inbox_id = a.inbox_id and m.id =
   (select max(l.id) from messages l where l.space_id = a.space_id and l.inbox_id = a.inbox_id)
   where a.space_id = :space_id`,
);
/** The last message of each agent's inbox, found at the end of the index of each. */
export const listLasts = (db: Reader, args: { space_id: string; most: number }): Promise<LastRow[]> =>
  db.all(lasts, args);

const oldest = statement<{ space_id: string }, { id: number | null }>(
  "select min(id) as id from messages where space_id = :space_id",
);
export const findOldest = async (db: Reader, space_id: string): Promise<number | null> =>
  (await db.get(oldest, { space_id }))?.id ?? null;

type InboxEnd = { inbox_id: number; last_id: number };

const oldestByInbox = statement<{ space_id: string; before_id: number; limit: number }, InboxEnd>(
  `select inbox_id, max(id) as last_id from
   (select inbox_id, id from messages where space_id = :space_id and id < :before_id order by id limit :limit) as slice
   group by inbox_id`,
);
/** In which inboxes the oldest `limit` messages of the space are, and where they end in each. */
export const listOldestByInbox = (tx: Tx, args: { before_id: number; limit: number }): Promise<InboxEnd[]> =>
  tx.all(oldestByInbox, { ...args, space_id: tx.space_id });

const deleteUpTo = statement<InboxArgs & { last_id: number }>(
  "delete from messages where space_id = :space_id and inbox_id = :inbox_id and id <= :last_id",
);
export const deleteMessagesUpTo = (tx: Tx, args: { inbox_id: number; last_id: number }): Promise<void> =>
  tx.run(deleteUpTo, { ...args, space_id: tx.space_id });
