import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

export type AskingPage = { space_id: string; principal_id: string; before_id: number; limit: number };
type AskingRow = { id: number; subject: string; preview: string; deadline: string | null; sender: string };

/** As the index `mail_asking` has it, so that it is asked. */
const ASKING = `r.space_id = :space_id and r.principal_id = :principal_id and r.asks = 1 and r.answered_at is null
   and r.acked_at is null and r.state = 'inbox' and r.snoozed_until is null and r.mail_id < :before_id
   order by r.mail_id desc limit :limit`;
export const ASKING_COPIES = `select r.mail_id from mail_recipients r where ${ASKING}`;

const ids = statement<AskingPage, { mail_id: number }>(ASKING_COPIES);
/** Those of `listAsking`. */
export const listAskingIds = async (db: Reader, args: AskingPage): Promise<number[]> =>
  (await db.all(ids, args)).map(({ mail_id }) => mail_id);

const asking = statement<AskingPage, AskingRow>(
  `select m.id, m.subject, case when m.preview = '' then m.body else m.preview end as preview, m.deadline,
   p.name as sender from (${ASKING_COPIES}) as cut
   join mails m on m.space_id = :space_id and m.id = cut.mail_id join principals p on p.id = m.sender_id
   order by cut.mail_id desc`,
);
export const listAsking = (db: Reader, args: AskingPage): Promise<AskingRow[]> => db.all(asking, args);

const answer = statement<{ space_id: string; principal_id: string; thread_id: number; answered_at: string }>(
  `update mail_recipients set answered_at = :answered_at
   where space_id = :space_id and principal_id = :principal_id and asks = 1 and answered_at is null
   and mail_id in (select m.id from mails m where m.space_id = :space_id and m.thread_id = :thread_id)`,
);
/** Whatever of the thread waited for this mailbox. */
export const answerThread = (
  tx: Tx,
  args: { principal_id: string; thread_id: number; answered_at: string },
): Promise<void> => tx.run(answer, { ...args, space_id: tx.space_id });

const unacked = statement<{ space_id: string; mail_id: number }, { mail_id: number }>(
  "select mail_id from mail_recipients where space_id = :space_id and mail_id = :mail_id and acked_at is null limit 1",
);
export const isAwaited = async (tx: Tx, mail_id: number): Promise<boolean> =>
  (await tx.get(unacked, { mail_id, space_id: tx.space_id })) !== undefined;
