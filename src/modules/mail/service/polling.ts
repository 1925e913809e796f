import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { parseId } from "../../../ids.ts";
import { FROM_THE_TOP, fitting } from "../../../pages.ts";
import { record } from "../../delivery/index.ts";
import { type HolderRow, heartbeat, ownHolder } from "../../identity/index.ts";
import { type Injected, MOST_COUNTED, type Offered, type Poll, type Polled } from "../schema.ts";
import * as store from "../store.ts";
import { bodyOf } from "./bodies.ts";
import { TOPIC } from "./events.ts";
import { noSuchMail } from "./mailboxes.ts";
import { takeSlot } from "./slots.ts";
import { toItem, unreadOf } from "./wire.ts";

/** What is unread, or comes while one waits. Recorded as offered, unless the caller says so itself once it was shown. */
export async function poll(ctx: Ctx, wanted: Wanted): Promise<Polled> {
  const mailbox = await ownHolder(ctx);
  if (mailbox.kind === "agent") await heartbeat(ctx);
  const wait_ms = wanted.wait_seconds * 1000;
  if (wait_ms === 0 || !ctx.wait) return offer(ctx, mailbox, wanted, "time");
  using waiter = await ctx.wait({ topic: TOPIC, stream: mailbox.principal_id });
  using place = takeSlot(ctx, mailbox, { ...wanted, waiting: waiter });
  const until = performance.now() + wait_ms;
  for (;;) {
    if (place.lost()) return offer(ctx, mailbox, { ...wanted, limit: 0 }, "superseded");
    // There is nobody to show anything to.
    if (waiter.gone()) return offer(ctx, mailbox, { ...wanted, limit: 0 }, "stopping");
    if (await hasAny(ctx, mailbox, wanted)) {
      const polled = await offer(ctx, mailbox, wanted, "time");
      if (polled.messages.length > 0) return polled;
    }
    const woken = await waiter.next(until - performance.now());
    if (woken !== "event" && !waiter.gone()) return offer(ctx, mailbox, wanted, woken);
  }
}

type Shown = Awaited<ReturnType<typeof store.listUnread>>;

/** With `thread_id`, only what is in that thread and was never offered. */
type Wanted = Poll & { thread_id?: number | undefined };

type Page = Pick<Wanted, "fresh" | "after" | "limit" | "bodies" | "body_limit" | "thread_id">;

/** Of a page so much is kept for what is not urgent, if there is any: else it could be hidden for ever. */
const KEPT_FOR_OTHERS = 1 / 3;

/** With bodies, as many as stay within the bytes of a page. */
async function unreadRows(ctx: Ctx, mailbox: HolderRow, page: Page): Promise<Shown> {
  if (page.limit === 0) return [];
  const rows = await rowsOf(ctx, mailbox, page);
  return page.bodies && page.thread_id === undefined ? fitting(rows, page.body_limit) : rows;
}

/** Urgent ones first, then the newest; for who keeps its own place the oldest first. */
async function rowsOf(
  { db, actor }: Ctx,
  { principal_id }: HolderRow,
  { fresh, after, limit, thread_id }: Page,
): Promise<Shown> {
  const { space_id } = actor;
  if (thread_id !== undefined) return store.listFreshOfThread(db, { space_id, principal_id, thread_id, limit });
  if (after !== undefined) return store.listNext(db, { space_id, principal_id, after: parseId(after), fresh, limit });
  const page = { space_id, principal_id, before: FROM_THE_TOP, fresh, limit };
  const urgent = await store.listUrgent(db, page);
  const others = await store.listOthers(db, page);
  const kept = Math.min(others.length, Math.floor(limit * KEPT_FOR_OTHERS));
  return [...urgent.slice(0, limit - kept), ...others].slice(0, limit);
}

const hasAny = async (ctx: Ctx, mailbox: HolderRow, wanted: Wanted): Promise<boolean> =>
  (await unreadRows(ctx, mailbox, { ...wanted, limit: 1 })).length > 0;

async function offer(ctx: Ctx, mailbox: HolderRow, wanted: Wanted, otherwise: Polled["ended"]): Promise<Polled> {
  const { principal_id } = mailbox;
  const seen = await unreadRows(ctx, mailbox, wanted);
  const marked = wanted.mark && seen.length > 0;
  const rows = marked ? await transact(ctx, (ctx) => offerNow(ctx, mailbox, wanted)) : seen;
  const where = { space_id: ctx.actor.space_id, principal_id };
  const bodies = wanted.bodies ? await Promise.all(rows.map((row) => bodyOf(ctx, row, wanted.body_limit))) : [];
  return {
    agent: mailbox.name,
    messages: rows.map((row, at) => ({ ...toItem(ctx, row), offered: row.offered, ...bodies[at] })),
    ...(await unreadOf(ctx, mailbox)),
    urgent: await store.countUrgent(ctx.db, { ...where, most: MOST_COUNTED }),
    ended: rows.length > 0 ? "mail" : otherwise,
  };
}

/** Asked again inside: somebody else may have been offered it, or have read it, meanwhile. */
async function offerNow(ctx: TxCtx, mailbox: HolderRow, wanted: Wanted): Promise<Shown> {
  const { channel } = wanted;
  const rows = await unreadRows(ctx, mailbox, wanted);
  for (const { id } of rows) await noteOffer(ctx, mailbox, { id, channel, proof: `mail_poll ${channel}` });
  return rows;
}

/** What whoever polled without marking has shown since. What is gone by now needs no note. */
export function offered(ctx: Ctx, { ids, channel }: Offered): Promise<{ ids: string[] }> {
  return noteOffered(ctx, { ids, channel, proof: `mail_offered ${channel}` });
}

export function noteOffered(
  ctx: Ctx,
  { ids, channel, proof }: Offered & { proof: string },
): Promise<{ ids: string[] }> {
  return transact(ctx, async (ctx) => {
    const mailbox = await ownHolder(ctx);
    const noted: string[] = [];
    for (const id of ids) {
      if (await noteOffer(ctx, mailbox, { id: parseId(id), channel, proof })) noted.push(id);
    }
    return { ids: noted };
  });
}

/** Proof that what was pushed by a channel is in the model's context. */
export function injected(ctx: Ctx, { ids, channel, proof }: Injected): Promise<{ ids: string[] }> {
  return transact(ctx, async (ctx) => {
    const mailbox = await ownHolder(ctx);
    for (const id of ids) {
      const known = await noteOffer(ctx, mailbox, { id: parseId(id), channel, state: "injected", proof });
      if (!known) throw noSuchMail(id);
    }
    return { ids };
  });
}

interface Offer {
  id: number;
  channel: string;
  state?: "offered" | "injected";
  proof: string;
}

/** False if there is no such mail in that mailbox. */
async function noteOffer(ctx: TxCtx, { principal_id }: HolderRow, { id, state = "offered", ...offer }: Offer) {
  if ((await store.countOffer(ctx.tx, { mail_id: id, principal_id })) === 0) return false;
  await record(ctx, { topic: TOPIC, ref: id, principal_id, state, ...offer });
  return true;
}
