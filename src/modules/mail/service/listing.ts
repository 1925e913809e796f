import { type Ctx, has, ONLOOKERS } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { FROM_THE_TOP, page, startOf } from "../../../pages.ts";
import { listNeeds } from "../../notices/index.ts";
import { type Folder, type List, type MailCounts, type MailList, MOST_COUNTED } from "../schema.ts";
import * as store from "../store.ts";
import type { ListedRow } from "../tables.ts";
import { holderOf, seesMailboxes } from "./mailboxes.ts";
import { bounded, toItem, unreadOf } from "./wire.ts";

/** A person looks at no more of them at once. */
const MOST_NEEDS = 100;
/** With as many as somebody may have put off. */
const MOST_ROWS = 300;

type Waits = Pick<NonNullable<MailList["overview"]>, "needs" | "pressing">;

/** A page of a folder, newest first. Marks nothing. */
export async function list(ctx: Ctx, input: List): Promise<MailList> {
  const { folder, unread, limit, before, overview, agent } = input;
  const mailbox = await holderOf(ctx, agent);
  const wanted = {
    space_id: ctx.actor.space_id,
    principal_id: mailbox.principal_id,
    before: startOf(before),
    limit: limit + 1,
  };
  const rows = await rowsOf(ctx, { folder, unread, page: wanted });
  const { shown, next } = page(rows, limit, ({ position }) => position);
  return {
    agent: mailbox.name,
    messages: shown.map((row) => toItem(ctx, row)),
    ...(await unreadOf(ctx, mailbox)),
    next,
    ...(overview && { overview: { ...(await needsOf(ctx, mailbox)), ...(await counts(ctx)) } }),
  };
}

/** How much waits for the caller, and in their own mailbox which of it is mail. */
async function needsOf(ctx: Ctx, { principal_id }: { principal_id: string }): Promise<Waits> {
  if (!has(ctx.actor, ...ONLOOKERS)) return { needs: null, pressing: [] };
  const { needs, count } = await listNeeds(ctx, { limit: MOST_NEEDS, put_off: false });
  if (principal_id !== ctx.actor.principal_id) return { needs: count, pressing: [] };
  const ids = new Set(needs.map(({ id }) => id));
  const page = { space_id: ctx.actor.space_id, principal_id, before_id: FROM_THE_TOP, limit: MOST_ROWS };
  const rows = (await store.listAskingRows(ctx.db, page)).filter(({ id }) => ids.has(formatId(id)));
  return { needs: count, pressing: rows.map((row) => toItem(ctx, row)) };
}

/** How much is unread in every mailbox that the caller may look into: one read for all of them. */
export async function counts(ctx: Ctx): Promise<MailCounts> {
  const own = await countUnread(ctx, undefined);
  if (!seesMailboxes(ctx)) return { mailboxes: [own] };
  const all = await store.countUnreadOfAgents(ctx.db, { space_id: ctx.actor.space_id, most: MOST_COUNTED + 1 });
  const others = all.filter(({ name }) => name !== own.agent);
  return { mailboxes: [own, ...others.map(({ name, count }) => ({ agent: name, ...bounded(count) }))] };
}

/** Whether something behind a position is unread there. */
export async function hasUnread(ctx: Ctx, { principal_id, after }: { principal_id: string; after: number }) {
  const where = { space_id: ctx.actor.space_id, principal_id };
  return (await store.listNext(ctx.db, { ...where, after, fresh: false, limit: 1 })).length > 0;
}

/** Whose mailbox it is, and how much in it is unread. */
export async function countUnread(ctx: Ctx, agent: string | undefined) {
  const mailbox = await holderOf(ctx, agent);
  return { agent: mailbox.name, ...(await unreadOf(ctx, mailbox)) };
}

interface Wanted {
  folder: Folder;
  unread: boolean;
  page: { space_id: string; principal_id: string; before: number; limit: number };
}

async function rowsOf({ db }: Ctx, { folder, unread, page }: Wanted): Promise<ListedRow[]> {
  if (folder === "sent") return store.listSent(db, page);
  // What is unread is in the inbox, by what the word means.
  if (unread) return folder === "inbox" ? store.listUnread(db, page) : [];
  return store.listFolder(db, { ...page, folder });
}
