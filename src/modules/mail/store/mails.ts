import type { PrincipalKind } from "../../../context.ts";
import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Words } from "../../../db/words.ts";
import type { NewMailRow, WrittenRow } from "../tables.ts";

interface In {
  space_id: string;
}

const insert = statement<NewMailRow & In>(
  `insert into mails (space_id, id, thread_id, in_reply_to, sender_id, by_principal_id, recipients, participants, subject,
   preview, priority, deadline, topic, bytes, body, cause, cause_how)
   values (:space_id, :id, :thread_id, :in_reply_to, :sender_id, :by_principal_id, :recipients, :participants,
   :subject, :preview, :priority, :deadline, :topic, :bytes, :body, :cause, :cause_how)`,
);
export const insertMail = (tx: Tx, row: NewMailRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const insertWord = statement<Words & In & { id: number }>(
  // Not from a select: that could be many rows, before and after which FTS5 writes to the disk what it has collected.
  `insert into mail_words (rowid, words, readers)
   values ((select seq from mails where space_id = :space_id and id = :id), :words, :readers)`,
  `insert into mail_words (seq, words)
   values ((select seq from mails where space_id = :space_id and id = :id), cast(:vector as tsvector))`,
);
export const insertWords = (tx: Tx, args: Words & In & { id: number }): Promise<void> => tx.run(insertWord, args);

const named = statement<{ name: string }, { id: string }>("select id from principals where name = :name");
export const findPrincipal = async (db: Reader, name: string): Promise<string | undefined> =>
  (await db.get(named, { name }))?.id;

/** What a reply needs of the mail it answers. */
type Answered = { id: number; thread_id: number; subject: string };

const answered = statement<In & { id: number }, Answered>(
  "select id, thread_id, subject from mails where space_id = :space_id and id = :id",
);
export const findMail = (db: Reader, args: In & { id: number }): Promise<Answered | undefined> =>
  db.get(answered, args);

const HELD = "exists (select 1 from mail_recipients r where r.space_id = m.space_id and r.mail_id = m.id";
const written = statement<In & { id: number; principal_id: string }, WrittenRow>(
  `select p.name as by, m.subject, m.in_reply_to, m.cause, m.cause_how,
   case when m.sender_id = :principal_id or ${HELD} and r.principal_id = :principal_id) then 1 else 0 end as own,
   case when p.kind = 'agent' or ${HELD} and r.principal_id in (select id from principals where kind = 'agent'))
     then 1 else 0 end as among_agents
   from mails m join principals p on p.id = m.sender_id where m.space_id = :space_id and m.id = :id`,
);
export const findWritten = (
  db: Reader,
  args: In & { id: number; principal_id: string },
): Promise<WrittenRow | undefined> => db.get(written, args);

const agent = statement<{ principal_id: string }, { found: number }>(
  "select 1 as found from principals where id = :principal_id and kind = 'agent'",
);
export const isAgent = async (db: Reader, principal_id: string): Promise<boolean> =>
  (await db.get(agent, { principal_id })) !== undefined;

const inThread = statement<In & { thread_id: number }, { participants: string }>(
  `select participants from mails where space_id = :space_id and thread_id = :thread_id order by id desc limit 1`,
);
/** Everybody who sent or received anything in the thread, by name: each mail carries them on. */
export async function listParticipants(db: Reader, args: In & { thread_id: number }): Promise<string[]> {
  const newest = await db.get(inThread, args);
  // Written by `insertMail`, from names.
  return newest ? (JSON.parse(newest.participants) as string[]) : [];
}

const oldest = statement<In, { id: number | null }>("select min(id) as id from mails where space_id = :space_id");
export const findOldest = async (db: Reader, space_id: string): Promise<number | null> =>
  (await db.get(oldest, { space_id }))?.id ?? null;

/** `deadline` is what `due` calls one. */
type Slice = { before_id: number; deadline: string; limit: number };
/** Without what somebody still waits for: it sleeps, woke up since, or its deadline was not handled yet. */
const SLICE = `(select m.id from mails m where m.space_id = :space_id and m.id < :before_id
   and not exists (select 1 from due d where d.space_id = m.space_id and d.kind = :deadline and d.ref = m.id)
   and not exists (select 1 from mail_recipients r where r.space_id = m.space_id and r.mail_id = m.id
     and (r.snoozed_until is not null or r.position >= :before_id))
   order by m.id limit :limit)`;

const deliveries = statement<In & Slice>(
  `delete from deliveries where space_id = :space_id and topic = 'mail' and ref in ${SLICE}`,
);
const copies = statement<In & Slice>(`delete from mail_recipients where space_id = :space_id and mail_id in ${SLICE}`);
const mails = statement<In & Slice>(`delete from mails where space_id = :space_id and id in ${SLICE}`);
/** The oldest mails with all that belongs to them. How many there were. */
export async function deleteOldest(tx: Tx, slice: Slice): Promise<number> {
  const { space_id } = tx;
  await tx.run(deliveries, { ...slice, space_id });
  await tx.run(copies, { ...slice, space_id });
  return tx.runCounted(mails, { ...slice, space_id });
}

type SenderRow = { principal_id: string; name: string; kind: PrincipalKind; thread_id: number; recipients: string };
/** With the names of all it was sent to. */
export type Sender = Omit<SenderRow, "recipients"> & { recipients: string[] };

const sender = statement<In & { id: number }, SenderRow>(
  `select p.id as principal_id, p.name, p.kind, m.thread_id, m.recipients
   from mails m join principals p on p.id = m.sender_id where m.space_id = :space_id and m.id = :id`,
);
export async function findSender(db: Reader, args: In & { id: number }): Promise<Sender | undefined> {
  const row = await db.get(sender, args);
  // Written by `insertMail`, from names.
  return row && { ...row, recipients: JSON.parse(row.recipients) as string[] };
}
