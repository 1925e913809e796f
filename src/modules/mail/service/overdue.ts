import type { TxCtx } from "../../../context.ts";
import { recipients } from "../../identity/index.ts";
import { close, raise } from "../../notices/index.ts";
import * as store from "../store.ts";
import type { HeldRow } from "../tables.ts";
import { TOPIC, tellOverdue } from "./events.ts";

const KIND = "mail.overdue";
/** As many as a sentence names. */
const MOST_NAMED = 5;

/** Told to the people once, and to those who have not acknowledged it. */
export async function raiseOverdue(ctx: TxCtx, mail_id: number): Promise<void> {
  const where = { space_id: ctx.tx.space_id, mail_id };
  const late = (await store.listCopies(ctx.tx, where)).filter(({ acked_at }) => acked_at === null);
  const mail = await store.findMail(ctx.tx, { ...where, id: mail_id });
  const sender = await store.findSender(ctx.tx, { ...where, id: mail_id });
  if (late.length === 0 || !mail || !sender) return;
  const names = late.map(({ name }) => name);
  await raise(ctx, {
    key: `mail.overdue ${mail_id}`,
    kind: KIND,
    topic: TOPIC,
    ref: mail_id,
    ...((await isPrivate(ctx, sender)) ? amongPeople() : bySender(sender, { subject: mail.subject, names })),
  });
  for (const holder of late) await tellOverdue(ctx, holder, { mail_id, thread_id: mail.thread_id });
}

/** The last of those it waited for has acknowledged it: nobody need be told any more. */
export async function endOverdue(ctx: TxCtx, { mail_id, deadline }: HeldRow): Promise<void> {
  if (deadline === null || Date.parse(deadline) > ctx.now() || (await store.isAwaited(ctx.tx, mail_id))) return;
  await close(ctx, { kind: KIND, topic: TOPIC, ref: mail_id });
}

/** Where an agent is in it, everybody who sees notices may look into its mailbox; what people write each other is theirs. */
async function isPrivate(ctx: TxCtx, sender: store.Sender): Promise<boolean> {
  if (sender.kind === "agent") return false;
  const known = await recipients(ctx, sender.recipients);
  return known.every(({ kind }) => kind !== "agent");
}

/**
 * One notice for all of a sender's, so that nobody fills the list with deadlines. The subject is quoted, and last: it
 * is not the hub that says so.
 */
function bySender(
  { principal_id, name }: store.Sender,
  { subject, names }: { subject: string; names: readonly string[] },
) {
  const more = names.length - MOST_NAMED;
  const few = more > 0 ? `${names.slice(0, MOST_NAMED).join(", ")} and ${more} more` : names.join(", ");
  return {
    title: `Overdue: mail from ${name}`,
    text: `${few} did not acknowledge it in time. Its subject, in the words of ${name}: ${JSON.stringify(subject)}`,
    gather: {
      name: `mail.overdue ${principal_id}`,
      title: `Overdue: {times} mails from ${name}`,
    },
  };
}

const amongPeople = () => ({
  title: "Overdue: mail between people",
  text: "Not everybody it was sent to acknowledged it in time. Those who are in it can open it.",
  gather: { name: "mail.overdue", title: "Overdue: {times} mails between people" },
});
