import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, Id, parseId } from "../../../ids.ts";
import { FROM_THE_TOP, fittingPage, startOf } from "../../../pages.ts";
import type { HolderRow } from "../../identity/index.ts";
import type { Look, Mail, Read, ReadThread, Thread } from "../schema.ts";
import * as store from "../store.ts";
import { change } from "./changing.ts";
import { changeableHolder, holderOf, noSuchMail } from "./mailboxes.ts";
import { toMail } from "./wire.ts";

/** The whole mail. It is read from then on, for whoever's mailbox it is. */
export function read(ctx: Ctx, { id, agent }: Read): Promise<Mail> {
  return transact(ctx, async (ctx) => {
    const mailbox = await changeableHolder(ctx, agent);
    await markRead(ctx, mailbox, parseId(id));
    const where = { space_id: ctx.actor.space_id, principal_id: mailbox.principal_id };
    const row = await store.findSeen(ctx.db, { ...where, id: parseId(id) });
    if (!row) throw noSuchMail(id);
    return toMail(ctx, row);
  });
}

/** The whole mail, without marking it. */
export async function look(ctx: Ctx, { id, agent }: Look): Promise<Mail> {
  const { principal_id } = await holderOf(ctx, agent);
  const row = await store.findSeen(ctx.db, { space_id: ctx.actor.space_id, principal_id, id: parseId(id) });
  if (!row) throw noSuchMail(id);
  return toMail(ctx, row);
}

async function markRead(ctx: TxCtx, mailbox: HolderRow, mail_id: number): Promise<void> {
  const [copy] = await store.listHeld(ctx.tx, { principal_id: mailbox.principal_id, mail_ids: [mail_id] });
  // Nobody's own mail is unread to them.
  if (copy) await change(ctx, { mailbox, copies: [copy], action: "read", proof: "mail_read" });
}

/** What the mailbox sent and received of a thread. Marks nothing. */
export async function readThread(ctx: Ctx, { id, limit, before, agent }: ReadThread): Promise<Thread> {
  const mailbox = await holderOf(ctx, agent);
  const where = { space_id: ctx.actor.space_id, principal_id: mailbox.principal_id };
  const mail = await store.findSeen(ctx.db, { ...where, id: parseId(id) });
  const thread_id = mail?.thread_id ?? parseId(id);
  const sizes = await store.listThreadSizes(ctx.db, {
    ...where,
    thread_id,
    before: startOf(before),
    limit: limit + 1,
  });
  const { shown, has_more } = fittingPage(sizes, limit);
  const [last] = shown;
  const first = shown.at(-1);
  if (!last || !first) {
    if (before && (await seesThread(ctx, { ...where, thread_id })))
      return { ...(await headOf(ctx, thread_id, "")), messages: [], has_more };
    throw noSuchThread(id);
  }
  const rows = await store.listThread(ctx.db, { ...where, thread_id, first_id: first.id, last_id: last.id });
  return {
    ...(await headOf(ctx, thread_id, rows[0]?.subject ?? "")),
    messages: rows.map((row) => toMail(ctx, row)),
    has_more,
  };
}

/** By what stands in a URI, which may be anything. */
export function threadOf(ctx: Ctx, id: string, limit: number): Promise<Thread> {
  if (!Id.safeParse(id).success) throw noSuchThread(id);
  return readThread(ctx, { id, limit });
}

const noSuchThread = (id: string): ParleyError =>
  new ParleyError("THREAD_NOT_FOUND", `There is no thread ${id.slice(0, 40)} for you here.`);

async function seesThread(ctx: Ctx, where: { space_id: string; principal_id: string; thread_id: number }) {
  const before = FROM_THE_TOP;
  return (await store.listThreadSizes(ctx.db, { ...where, before, limit: 1 })).length > 0;
}

async function headOf(ctx: Ctx, thread_id: number, otherwise: string) {
  const { space_id } = ctx.actor;
  const first = await store.findMail(ctx.db, { space_id, id: thread_id });
  const participants = await store.listParticipants(ctx.db, { space_id, thread_id });
  return {
    thread_id: formatId(thread_id),
    subject: first?.subject ?? otherwise,
    participants,
  };
}
