import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { parseId } from "../../../ids.ts";
import type { Waiter } from "../../../waiting.ts";
import { record } from "../../delivery/index.ts";
import { type HolderRow, heartbeat, ownHolder } from "../../identity/index.ts";
import { type Injected, MOST_COUNTED, type Poll, type Polled } from "../schema.ts";
import * as store from "../store.ts";
import { noSuchMail } from "./mailboxes.ts";
import { toItem, unreadOf } from "./wire.ts";

/** What is unread, or comes while one waits, recorded as offered and marked in no other way. */
export async function poll(ctx: Ctx, wanted: Poll): Promise<Polled> {
  const mailbox = await ownHolder(ctx);
  if (mailbox.kind === "agent") await heartbeat(ctx);
  const wait_ms = wanted.wait_seconds * 1000;
  if (wait_ms === 0 || !ctx.wait) return offer(ctx, mailbox, wanted, "time");
  using waiter = await ctx.wait({ topic: "mail", stream: mailbox.principal_id });
  using place = takePlace(ctx, mailbox, wanted.waiter, waiter);
  const until = performance.now() + wait_ms;
  for (;;) {
    if (place.lost()) return offer(ctx, mailbox, { ...wanted, limit: 0 }, "superseded");
    if (await hasAny(ctx, mailbox, wanted)) {
      const polled = await offer(ctx, mailbox, wanted, "time");
      if (polled.messages.length > 0) return polled;
    }
    const woken = await waiter.next(until - performance.now());
    if (woken !== "event") return offer(ctx, mailbox, wanted, woken);
  }
}

type Shown = Awaited<ReturnType<typeof store.listUnread>>;

/** Urgent ones first, then the newest. */
async function unreadRows(
  { db, actor }: Ctx,
  { principal_id }: HolderRow,
  { fresh, limit }: { fresh: boolean; limit: number },
): Promise<Shown> {
  if (limit === 0) return [];
  const page = { space_id: actor.space_id, principal_id, before: Number.MAX_SAFE_INTEGER, limit };
  if (fresh) return (await store.listFresh(db, page)).sort((a, b) => urgency(b) - urgency(a));
  const urgent = await store.listUrgent(db, page);
  const others = urgent.length < limit ? await store.listUnread(db, page) : [];
  return [...urgent, ...others.filter((row) => !urgency(row))].slice(0, limit);
}

const urgency = ({ priority }: { priority: string }): number => (priority === "urgent" ? 1 : 0);

const hasAny = async (ctx: Ctx, mailbox: HolderRow, { fresh }: Poll): Promise<boolean> =>
  (await unreadRows(ctx, mailbox, { fresh, limit: 1 })).length > 0;

async function offer(ctx: Ctx, mailbox: HolderRow, wanted: Poll, otherwise: Polled["ended"]): Promise<Polled> {
  const { principal_id } = mailbox;
  const seen = await unreadRows(ctx, mailbox, wanted);
  const rows = seen.length === 0 ? [] : await transact(ctx, (ctx) => offerNow(ctx, mailbox, wanted));
  const where = { space_id: ctx.actor.space_id, principal_id };
  const bodies = wanted.bodies ? await bodiesOf(ctx, principal_id, rows) : new Map<number, string>();
  return {
    agent: mailbox.name,
    messages: rows.map((row) => {
      const body = bodies.get(row.id);
      return { ...toItem(ctx, row), offered: row.offered, ...(body !== undefined && { body }) };
    }),
    ...(await unreadOf(ctx, mailbox)),
    urgent: await store.countUrgent(ctx.db, { ...where, most: MOST_COUNTED }),
    ended: rows.length > 0 ? "mail" : otherwise,
  };
}

/** Asked again inside: somebody else may have been offered it, or have read it, meanwhile. */
async function offerNow(ctx: TxCtx, mailbox: HolderRow, wanted: Poll): Promise<Shown> {
  const { principal_id } = mailbox;
  const rows = await unreadRows(ctx, mailbox, wanted);
  const { channel } = wanted;
  for (const { id } of rows) {
    await store.countOffer(ctx.tx, { mail_id: id, principal_id });
    await record(ctx, {
      topic: "mail",
      ref: id,
      principal_id,
      channel,
      state: "offered",
      proof: `mail_poll ${channel}`,
    });
  }
  return rows;
}

async function bodiesOf(ctx: Ctx, principal_id: string, rows: Shown): Promise<Map<number, string>> {
  const { space_id } = ctx.actor;
  const full = await Promise.all(rows.map(({ id }) => store.findSeen(ctx.db, { space_id, principal_id, id })));
  return new Map(full.flatMap((row) => (row ? [[row.id, row.body] as const] : [])));
}

/** Proof that what was pushed by a channel is in the model's context. */
export function injected(ctx: Ctx, { ids, channel, proof }: Injected): Promise<{ ids: string[] }> {
  return transact(ctx, async (ctx) => {
    const { principal_id } = await ownHolder(ctx);
    for (const id of ids) {
      const where = { space_id: ctx.tx.space_id, principal_id, mail_id: parseId(id) };
      if (!(await store.findCopy(ctx.tx, where))) throw noSuchMail(id);
      await record(ctx, { topic: "mail", ref: parseId(id), principal_id, channel, state: "injected", proof });
    }
    return { ids };
  });
}

interface Place extends Disposable {
  lost(): boolean;
}

const places = new WeakMap<Database, Map<string, Waiter>>();

/** Of the waiters of one name for one mailbox only the last one goes on, on this node. */
function takePlace(ctx: Ctx, { principal_id }: HolderRow, name: string | undefined, waiter: Waiter): Place {
  if (name === undefined) return { lost: () => false, [Symbol.dispose]: () => {} };
  const all = places.get(ctx.database) ?? new Map<string, Waiter>();
  places.set(ctx.database, all);
  const key = `${ctx.actor.space_id} ${principal_id} ${name}`;
  const before = all.get(key);
  all.set(key, waiter);
  before?.wake();
  return {
    lost: () => all.get(key) !== waiter,
    [Symbol.dispose]: () => {
      if (all.get(key) === waiter) all.delete(key);
    },
  };
}
