import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { prove, record } from "../../delivery/index.ts";
import { type HolderRow, ownHolder } from "../../identity/index.ts";
import type { Action, Update, Updated } from "../schema.ts";
import * as store from "../store.ts";
import type { CopyRow } from "../tables.ts";
import { SNOOZE, TRASH, TRASH_MS } from "./due-kinds.ts";
import { changeableHolder, noSuchMail } from "./mailboxes.ts";
import { parseTime } from "./times.ts";
import { unreadOf } from "./wire.ts";

/** By which channel a recipient proves itself that it read or dealt with something. */
export const OWN = "tool";
/** By which it is noted that somebody else marked it. */
const OTHERS = "admin";

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
  if (!same(copy, changed)) await save(ctx, { mailbox, copy, changed, action });
  await tellSender(ctx, { mailbox, copy, changed, action, proof });
  return changed;
}

type Saved = { mailbox: HolderRow; copy: CopyRow; changed: CopyRow; action: Action };

async function save(ctx: TxCtx, { mailbox, copy, changed, action }: Saved): Promise<void> {
  if (copy.snooze_id !== null && changed.snoozed_until !== copy.snoozed_until)
    await unplan(ctx, { kind: SNOOZE, ref: copy.snooze_id });
  changed.snooze_id = await planSnooze(ctx, copy, changed);
  await planTrash(ctx, copy, changed);
  await store.updateCopy(ctx.tx, changed);
  await announce(ctx, { mailbox, changed, action });
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
      return { ...copy, read_at: null, offered: 0 };
    // It was dealt with: there is nothing to be reminded of.
    case "ack":
      return { ...awake, read_at, acked_at: copy.acked_at ?? now };
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

const KEPT = ["state", "read_at", "acked_at", "snoozed_until", "offered"] as const;
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

/** The first reading and the acknowledgement are what a sender waits for. */
async function tellSender(ctx: TxCtx, done: Saved & { proof: string }): Promise<void> {
  const own = await ownHolder(ctx);
  const receipt = await (own.principal_id === done.mailbox.principal_id ? proven(ctx, done) : marked(ctx, done));
  if (!receipt) return;
  const ref = done.changed.mail_id;
  const sender = await store.findSender(ctx.tx, { space_id: ctx.tx.space_id, id: ref });
  if (!sender) return;
  const event = { type: "mail.receipt", topic: "mail", stream: sender.principal_id, ref };
  await append(ctx, {
    ...event,
    data: { agent: sender.name, ...receipt, thread_id: formatId(sender.thread_id) },
  });
}

const PROVES: Partial<Record<Action, "read" | "acknowledged">> = { read: "read", ack: "acknowledged" };

async function proven(ctx: TxCtx, { mailbox, changed, action, proof }: Saved & { proof: string }) {
  const state = PROVES[action];
  if (!state) return undefined;
  const by = ctx.actor.name === mailbox.name ? proof : `${proof}, by ${ctx.actor.name}`;
  const delivery = { topic: "mail", ref: changed.mail_id, principal_id: mailbox.principal_id };
  const news = await prove(ctx, { ...delivery, channel: OWN, state, proof: by });
  return news ? { by: mailbox.name, state } : undefined;
}

/** An administrator may mark it for an agent: that proves nothing about the agent. */
async function marked(ctx: TxCtx, { mailbox, copy, changed, proof }: Saved & { proof: string }) {
  const acknowledged = copy.acked_at === null && changed.acked_at !== null;
  if (!acknowledged && !(copy.read_at === null && changed.read_at !== null)) return undefined;
  const { name: by } = ctx.actor;
  const delivery = { topic: "mail", ref: changed.mail_id, principal_id: mailbox.principal_id };
  await record(ctx, { ...delivery, channel: OTHERS, state: "marked", proof: `${proof}, by ${by}` });
  return { by, state: "marked" };
}

const toChange = ({ mail_id, state, read_at, acked_at, snoozed_until }: CopyRow) => ({
  id: formatId(mail_id),
  state,
  read_at,
  acked_at,
  snoozed_until,
});
