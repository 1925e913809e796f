import type { Ctx } from "../../../context.ts";
import { matchOf } from "../../../db/words.ts";
import { parseId } from "../../../ids.ts";
import { FROM_THE_TOP, page, startOf } from "../../../pages.ts";
import { parseTime } from "../../../times.ts";
import type { Found, Search } from "../schema.ts";
import * as store from "../store.ts";
import { holderOf } from "./mailboxes.ts";
import { toItem } from "./wire.ts";

/** What the mailbox sent or received and every condition fits, newest first. */
export async function search(ctx: Ctx, wanted: Search): Promise<Found> {
  const { query, from, to, thread_id, after, until, limit, before } = wanted;
  const mailbox = await holderOf(ctx, wanted.agent);
  const { space_id } = ctx.actor;
  const { principal_id, name: agent } = mailbox;
  const match = matchOf(query, `${space_id} ${principal_id}`);
  const folder = folderOf(wanted);
  // Signs alone are no words: nothing has them.
  if (folder === "none" || (match === null && query.trim() !== "")) return { agent, messages: [], next: null };
  const conditions = {
    space_id,
    principal_id,
    folder,
    sender: from ?? "",
    recipient: to === undefined ? "" : JSON.stringify(to),
    thread_id: thread_id === undefined ? 0 : parseId(thread_id),
    first_id: after === undefined ? 0 : positionAt(ctx, after, "after"),
    last_id: until === undefined ? FROM_THE_TOP : positionAt(ctx, until, "until"),
    before: startOf(before),
    limit: limit + 1,
  };
  const rows = match
    ? await store.listMatching(ctx.db, { ...conditions, ...match })
    : await store.listFiltered(ctx.db, conditions);
  const { shown, next } = page(rows, limit, ({ id, position }) => (match ? id : position));
  return { agent, messages: shown.map((row) => toItem(ctx, row)), next };
}

/** What is unread lies in the inbox, and nowhere else. */
function folderOf({ folder, unread }: Pick<Search, "folder" | "unread">): store.SearchFolder | "none" {
  if (!unread) return folder ?? "all";
  return folder === undefined || folder === "inbox" ? "unread" : "none";
}

/** Ids are microseconds: what was sent at that time has this one or a later one. */
const positionAt = (ctx: Ctx, text: string, what: string): number => parseTime(ctx, text, { what, past: true }) * 1000;
