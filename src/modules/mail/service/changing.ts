import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { record } from "../../delivery/index.ts";
import type { HolderRow } from "../../identity/index.ts";
import type { Action, Update, Updated } from "../schema.ts";
import * as store from "../store.ts";
import type { CopyRow } from "../tables.ts";
import { SNOOZE, TRASH, TRASH_MS } from "./due-kinds.ts";
import { changeableHolder, noSuchMail } from "./mailboxes.ts";
import { parseTime } from "./times.ts";
import { unreadOf } from "./wire.ts";

/** Changes the mailbox's copies, all or none. */
export function update(ctx: Ctx, { id, ids = [], action, until, agent }: Update): Promise<Updated> {
  return transact(ctx, async (ctx) => {
    const mailbox = await changeableHolder(ctx, agent);
    const snooze_until = snoozeTime(ctx, action, until);
    const messages: CopyRow[] = [];
    for (const wanted of new Set(id === undefined ? ids : [id])) {
      const where = { space_id: ctx.tx.space_id, principal_id: mailbox.principal_id };
      const copy = await store.findCopy(ctx.tx, { ...where, mail_id: parseId(wanted) });
      if (!copy) throw noSuchMail(wanted);
      messages.push(await change(ctx, { mailbox, copy, action, snooze_until, proof: `mail_update ${action}` }));
    }
    return { agent: mailbox.name, messages: messages.map(toChange), ...(await unreadOf(ctx, mailbox)) };
  });
}

function snoozeTime(ctx: Ctx, action: Action, until: string | undefined): string | null {
  if (action === "snooze") {
    if (until === undefined) throw new ParleyError("INVALID_ARGUMENT", "until: say until when to snooze it.");
    return new Date(parseTime(ctx, until, { what: "until" })).toISOString();
  }
  if (until !== undefined) throw new ParleyError("INVALID_ARGUMENT", "until: only snooze has a time.");
  return null;
}

interface Change {
  mailbox: HolderRow;
  copy: CopyRow;
  action: Action;
  snooze_until?: string | null;
  /** How it is known that the recipient did this. */
  proof: string;
}

/** What the copy is afterwards. What changes nothing leaves no trace. */
export async function change(ctx: TxCtx, { mailbox, copy, action, snooze_until = null, proof }: Change) {
  const now = new Date(ctx.now()).toISOString();
  const changed = after(copy, { action, now, snooze_until });
  if (same(copy, changed)) return copy;
  if (copy.snooze_id !== null && changed.snoozed_until !== copy.snoozed_until)
    await unplan(ctx, { kind: SNOOZE, ref: copy.snooze_id });
  changed.snooze_id = await planSnooze(ctx, copy, changed);
  await planTrash(ctx, copy, changed);
  await store.updateCopy(ctx.tx, changed);
  await announce(ctx, { mailbox, changed, action });
  await tellSender(ctx, { mailbox, copy, changed, proof });
  return changed;
}

function after(
  copy: CopyRow,
  { action, now, snooze_until }: { action: Action; now: string; snooze_until: string | null },
) {
  const read_at = copy.read_at ?? now;
  const awake = { ...copy, snoozed_until: null };
  switch (action) {
    case "read":
      return { ...copy, read_at };
    case "unread":
      return { ...copy, read_at: null };
    case "ack":
      return { ...copy, read_at, acked_at: copy.acked_at ?? now };
    case "archive":
      return { ...awake, state: "archived" as const };
    case "trash":
      return { ...awake, state: "trash" as const };
    case "inbox":
      return { ...awake, state: "inbox" as const };
    case "snooze":
      return { ...copy, state: "inbox" as const, snoozed_until: snooze_until };
  }
}

const KEPT = ["state", "read_at", "acked_at", "snoozed_until"] as const;
const same = (one: CopyRow, other: CopyRow): boolean => KEPT.every((field) => one[field] === other[field]);

/** Each snoozing has an id of its own, so that one that was replaced wakes nobody. */
async function planSnooze(ctx: TxCtx, copy: CopyRow, changed: CopyRow): Promise<number | null> {
  if (changed.snoozed_until === null) return null;
  if (changed.snoozed_until === copy.snoozed_until) return copy.snooze_id;
  const ref = ctx.tx.takeId();
  await plan(ctx, { kind: SNOOZE, ref, at: Date.parse(changed.snoozed_until) });
  return ref;
}

async function planTrash(ctx: TxCtx, copy: CopyRow, changed: CopyRow): Promise<void> {
  if (copy.state === changed.state) return;
  if (copy.state === "trash") await unplan(ctx, { kind: TRASH, ref: copy.id });
  if (changed.state === "trash") await plan(ctx, { kind: TRASH, ref: copy.id, at: ctx.now() + TRASH_MS });
}

async function announce(
  ctx: TxCtx,
  { mailbox, changed, action }: { mailbox: HolderRow; changed: CopyRow; action: Action },
) {
  const mail = await store.findMail(ctx.tx, { space_id: ctx.tx.space_id, id: changed.mail_id });
  await append(ctx, {
    type: "mail.changed",
    topic: "mail",
    stream: mailbox.principal_id,
    ref: changed.mail_id,
    data: { agent: mailbox.name, action, ...(mail && { thread_id: formatId(mail.thread_id) }) },
  });
}

interface Receipt {
  mailbox: HolderRow;
  copy: CopyRow;
  changed: CopyRow;
  proof: string;
}

/** The first reading and the acknowledgement are what a sender waits for. */
async function tellSender(ctx: TxCtx, { mailbox, copy, changed, proof }: Receipt): Promise<void> {
  const acknowledged = copy.acked_at === null && changed.acked_at !== null;
  if (!acknowledged && !(copy.read_at === null && changed.read_at !== null)) return;
  const state = acknowledged ? "acknowledged" : "read";
  // An administrator may mark it for an agent: that proves nothing about the agent.
  const by = ctx.actor.name === mailbox.name ? proof : `${proof}, by ${ctx.actor.name}`;
  const delivery = { topic: "mail", ref: changed.mail_id, principal_id: mailbox.principal_id };
  await record(ctx, { ...delivery, channel: "tool", state, proof: by });
  const sender = await store.findSender(ctx.tx, { space_id: ctx.tx.space_id, id: changed.mail_id });
  if (!sender) return;
  await append(ctx, {
    type: "mail.receipt",
    topic: "mail",
    stream: sender.principal_id,
    ref: changed.mail_id,
    data: { agent: sender.name, by: mailbox.name, state, thread_id: formatId(sender.thread_id) },
  });
}

const toChange = ({ mail_id, state, read_at, acked_at, snoozed_until }: CopyRow) => ({
  id: formatId(mail_id),
  state,
  read_at,
  acked_at,
  snoozed_until,
});
