import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { CopyRow, HeldRow, NewCopyRow } from "../tables.ts";

interface Mailbox {
  space_id: string;
  principal_id: string;
}

const insert = statement<NewCopyRow & { space_id: string }>(
  `insert into mail_recipients (space_id, id, mail_id, principal_id, position, priority, state, offered, asks, place)
   values (:space_id, :id, :mail_id, :principal_id, :id, :priority, 'inbox', 0, :asks,
   case when :priority = 'urgent' then 'urgent_new' else 'new' end)`,
);
export const insertCopies = (tx: Tx, rows: readonly NewCopyRow[]): Promise<void> =>
  tx.runAll(
    insert,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

/** Said twice: the two databases have no common word for what is in a list. */
const held = (list: string, join: string): string =>
  `select r.id, r.mail_id, r.principal_id, r.position, r.state, r.read_at, r.acked_at, r.snoozed_until, r.snooze_id, r.offered,
   m.thread_id, m.sender_id, m.deadline, p.name as sender
   from ${list} ${join} mail_recipients r on r.space_id = :space_id and r.mail_id = cast(n.value as bigint)
   and r.principal_id = :principal_id
   ${join} mails m on m.space_id = r.space_id and m.id = r.mail_id join principals p on p.id = m.sender_id`;

const find = statement<Mailbox & { mail_ids: string }, HeldRow>(
  // Crossed, so that SQLite begins with the list: else it would go through all copies of the space.
  held("json_each(:mail_ids) as n", "cross join"),
  held("json_array_elements_text(cast(:mail_ids as json)) as n (value)", "join"),
);
/** Those of these mails that lie in the mailbox, in no order. */
export const listHeld = (
  tx: Tx,
  { principal_id, mail_ids }: { principal_id: string; mail_ids: readonly number[] },
): Promise<HeldRow[]> => tx.all(find, { space_id: tx.space_id, principal_id, mail_ids: JSON.stringify(mail_ids) });

type Named = CopyRow & { name: string };

const named = (copies: string, which: string): string =>
  `select r.id, r.mail_id, r.principal_id, r.position, r.state, r.read_at, r.acked_at, r.snoozed_until, r.snooze_id,
   r.offered, p.name from ${copies} join principals p on p.id = r.principal_id where r.space_id = :space_id and ${which}`;

const bySnooze = statement<{ space_id: string; snooze_id: number }, Named>(
  // Else SQLite would rather go through all copies of the space.
  named("mail_recipients r indexed by mail_snoozing", "r.snooze_id = :snooze_id"),
  named("mail_recipients r", "r.snooze_id = :snooze_id"),
);
export const findSnoozed = (tx: Tx, snooze_id: number): Promise<Named | undefined> =>
  tx.get(bySnooze, { snooze_id, space_id: tx.space_id });

const ofMail = statement<{ space_id: string; mail_id: number }, Named>(
  named("mail_recipients r", "r.mail_id = :mail_id order by p.name"),
);
export const listCopies = (db: Reader, args: { space_id: string; mail_id: number }): Promise<Named[]> =>
  db.all(ofMail, args);

const update = statement<CopyRow & { space_id: string }>(
  `update mail_recipients set position = :position, state = :state, read_at = :read_at, acked_at = :acked_at,
   snoozed_until = :snoozed_until, snooze_id = :snooze_id, offered = :offered,
   place = case when cast(:snoozed_until as text) is not null then 'snoozed' when :state <> 'inbox' then :state
   when cast(:read_at as text) is not null then 'read'
   when priority = 'urgent' then case when cast(:offered as bigint) = 0 then 'urgent_new' else 'urgent' end
   when cast(:offered as bigint) = 0 then 'new' else 'unread' end
   where space_id = :space_id and mail_id = :mail_id and principal_id = :principal_id`,
);
export const updateCopy = (tx: Tx, row: CopyRow): Promise<void> => tx.run(update, { ...row, space_id: tx.space_id });

const offer = statement<{ space_id: string; mail_id: number; principal_id: string }>(
  `update mail_recipients set offered = offered + 1,
   place = case place when 'new' then 'unread' when 'urgent_new' then 'urgent' else place end
   where space_id = :space_id and mail_id = :mail_id and principal_id = :principal_id`,
);
export const countOffer = (tx: Tx, args: { mail_id: number; principal_id: string }): Promise<number> =>
  tx.runCounted(offer, { ...args, space_id: tx.space_id });

const awaited = (copies: string): string =>
  `select d.at as deadline from ${copies}
   join due d on d.space_id = r.space_id and d.kind = :kind and d.ref = r.mail_id
   where r.space_id = :space_id and r.id = :id and r.state = 'trash' and r.acked_at is null`;
const deadlineOf = statement<{ space_id: string; id: number; kind: string }, { deadline: string }>(
  // Else SQLite would rather go through all copies of the space.
  awaited("mail_recipients r indexed by mail_trash"),
  awaited("mail_recipients r"),
);
/** When the row of `due` of that kind is to ask for an acknowledgement of this copy, which lies in the trash. */
export const findTrashedDeadline = async (tx: Tx, args: { id: number; kind: string }): Promise<string | undefined> =>
  (await tx.get(deadlineOf, { ...args, space_id: tx.space_id }))?.deadline;

const remove = statement<{ space_id: string; id: number }>(
  // Else SQLite would rather go through all copies of the space.
  "delete from mail_recipients indexed by mail_trash where space_id = :space_id and id = :id and state = 'trash'",
  "delete from mail_recipients where space_id = :space_id and id = :id and state = 'trash'",
);
/** Nothing happens where it is not in the trash any more. */
export const deleteTrashed = (tx: Tx, id: number): Promise<void> => tx.run(remove, { id, space_id: tx.space_id });
