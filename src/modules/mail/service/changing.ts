import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId } from "../../../ids.ts";
import { parseTime } from "../../../times.ts";
import { prove, record } from "../../delivery/index.ts";
import { type HolderRow, ownHolder } from "../../identity/index.ts";
import type { Action, Update, Updated } from "../schema.ts";
import * as store from "../store.ts";
import type { CopyRow, HeldRow } from "../tables.ts";
import { SNOOZE, TRASH, TRASH_MS } from "./due-kinds.ts";
import { TOPIC, tellChanged, tellReceipts } from "./events.ts";
import { changeableHolder, noSuchMail } from "./mailboxes.ts";
import { endOverdue } from "./overdue.ts";
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
    const copies = await copiesOf(ctx, mailbox, new Set(id === undefined ? ids : [id]));
    const messages = await change(ctx, { mailbox, copies, action, snooze_until, proof: `mail_update ${action}` });
    return { agent: mailbox.name, messages: messages.map(toChange), ...(await unreadOf(ctx, mailbox)) };
  });
}

async function copiesOf(ctx: TxCtx, { principal_id }: HolderRow, ids: ReadonlySet<string>): Promise<HeldRow[]> {
  const found = await store.listHeld(ctx.tx, { principal_id, mail_ids: [...ids].map(parseId) });
  const byId = new Map(found.map((copy) => [formatId(copy.mail_id), copy]));
  return [...ids].map((id) => {
    const copy = byId.get(id);
    if (!copy) throw noSuchMail(id);
    return copy;
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
  copies: readonly HeldRow[];
  action: Action;
  snooze_until?: string | null;
  /** How it is known that the recipient did this. */
  proof: string;
}

interface Changed {
  copy: HeldRow;
  changed: HeldRow;
}

/** What the copies are afterwards. What changes nothing leaves no trace. */
export async function change(ctx: TxCtx, change: Change): Promise<CopyRow[]> {
  const { mailbox, copies, action, snooze_until = null } = change;
  const now = new Date(ctx.now()).toISOString();
  const all = copies.map((copy) => ({ copy, changed: after(copy, { action, now, snooze_until }) }));
  const other = all.filter(({ copy, changed }) => !same(copy, changed));
  for (const each of other) await save(ctx, each);
  await tellChanged(
    ctx,
    mailbox,
    other.map(({ changed }) => changed),
    action,
  );
  for (const { copy, changed } of other)
    if (copy.acked_at === null && changed.acked_at !== null) await endOverdue(ctx, changed);
  await tellSenders(ctx, change, all);
  return all.map(({ changed }) => changed);
}

async function save(ctx: TxCtx, { copy, changed }: Changed): Promise<void> {
  if (copy.snooze_id !== null && changed.snoozed_until !== copy.snoozed_until)
    await unplan(ctx, { kind: SNOOZE, ref: copy.snooze_id });
  changed.snooze_id = await planSnooze(ctx, copy, changed);
  await planTrash(ctx, copy, changed);
  const { thread_id: _, sender_id: __, sender: ___, deadline: ____, ...row } = changed;
  await store.updateCopy(ctx.tx, row);
}

function after(
  copy: HeldRow,
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

/** The first reading and the acknowledgement are what a sender waits for. */
async function tellSenders(ctx: TxCtx, change: Change, all: readonly Changed[]): Promise<void> {
  const own = await ownHolder(ctx);
  const is_own = own.principal_id === change.mailbox.principal_id;
  const receipts = await (is_own ? proven(ctx, change, all) : marked(ctx, change, all));
  await tellReceipts(
    ctx,
    receipts.map(({ mail_id, thread_id, sender_id, sender, by, state }) => ({
      ...{ mail_id, thread_id, by, state },
      sender: { principal_id: sender_id, name: sender },
    })),
  );
}

type Receipt = Omit<HeldRow, "state"> & { by: string; state: string };

const PROVES: Partial<Record<Action, "read" | "acknowledged">> = { read: "read", ack: "acknowledged" };

async function proven(ctx: TxCtx, { mailbox, action, proof }: Change, all: readonly Changed[]): Promise<Receipt[]> {
  const state = PROVES[action];
  if (!state) return [];
  const by = ctx.actor.name === mailbox.name ? proof : `${proof}, by ${ctx.actor.name}`;
  const deliveries = { topic: TOPIC, principal_id: mailbox.principal_id, channel: OWN, state, proof: by };
  const news = await prove(ctx, { ...deliveries, refs: all.map(({ changed }) => changed.mail_id) });
  return all.flatMap(({ changed }) => (news.has(changed.mail_id) ? [{ ...changed, by: mailbox.name, state }] : []));
}

/** An administrator may mark it for an agent: that proves nothing about the agent. */
async function marked(ctx: TxCtx, { mailbox, proof }: Change, all: readonly Changed[]): Promise<Receipt[]> {
  const { name: by } = ctx.actor;
  const receipts: Receipt[] = [];
  for (const { copy, changed } of all) {
    const acknowledged = copy.acked_at === null && changed.acked_at !== null;
    if (!acknowledged && !(copy.read_at === null && changed.read_at !== null)) continue;
    const delivery = { topic: TOPIC, ref: changed.mail_id, principal_id: mailbox.principal_id };
    await record(ctx, { ...delivery, channel: OTHERS, state: "marked", proof: `${proof}, by ${by}` });
    receipts.push({ ...changed, by, state: "marked" });
  }
  return receipts;
}

const toChange = ({ mail_id, state, read_at, acked_at, snoozed_until }: CopyRow) => ({
  id: formatId(mail_id),
  state,
  read_at,
  acked_at,
  snoozed_until,
});
