import type { Ctx } from "../../../context.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { Folder, List, MailList } from "../schema.ts";
import * as store from "../store.ts";
import type { ListedRow } from "../tables.ts";
import { holderOf } from "./mailboxes.ts";
import { toItem, unreadOf } from "./wire.ts";

/** A page of a folder, newest first. Marks nothing. */
export async function list(ctx: Ctx, { folder, unread, limit, before, agent }: List): Promise<MailList> {
  const mailbox = await holderOf(ctx, agent);
  const page = {
    space_id: ctx.actor.space_id,
    principal_id: mailbox.principal_id,
    before: before ? parseId(before) : Number.MAX_SAFE_INTEGER,
    limit: limit + 1,
  };
  const rows = await rowsOf(ctx, { folder, unread, page });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    agent: mailbox.name,
    messages: shown.map((row) => toItem(ctx, row)),
    ...(await unreadOf(ctx, mailbox)),
    next: rows.length > limit && last ? formatId(last.position) : null,
  };
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
