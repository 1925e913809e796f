import type { Ctx } from "../../../context.ts";
import { matchOf } from "../../../db/words.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { Found, Search } from "../schema.ts";
import * as store from "../store.ts";
import { holderOf } from "./mailboxes.ts";
import { parseTime } from "./times.ts";
import { toItem } from "./wire.ts";

/** What the mailbox sent or received and every condition fits, newest first. */
export async function search(ctx: Ctx, wanted: Search): Promise<Found> {
  const { query, from, thread_id, folder, unread, after, until, limit, before } = wanted;
  const mailbox = await holderOf(ctx, wanted.agent);
  const { space_id } = ctx.actor;
  const match = matchOf(query, `${space_id} ${mailbox.principal_id}`);
  // Signs alone are no words: nothing has them.
  if (match === null && query.trim() !== "") return { agent: mailbox.name, messages: [], next: null };
  const rows = await store.listFound(ctx.db, {
    space_id,
    principal_id: mailbox.principal_id,
    match: match?.match ?? "",
    query: match?.query ?? "",
    sender: from ?? "",
    thread_id: thread_id === undefined ? 0 : parseId(thread_id),
    folder: folder ?? "",
    unread: unread === true ? 1 : 0,
    first_id: after === undefined ? 0 : positionAt(ctx, after, "after"),
    last_id: until === undefined ? Number.MAX_SAFE_INTEGER : positionAt(ctx, until, "until"),
    before: before === undefined ? Number.MAX_SAFE_INTEGER : parseId(before),
    limit: limit + 1,
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    agent: mailbox.name,
    messages: shown.map((row) => toItem(ctx, row)),
    next: rows.length > limit && last ? formatId(last.id) : null,
  };
}

/** Ids are microseconds: what was sent at that time has this one or a later one. */
const positionAt = (ctx: Ctx, text: string, what: string): number => parseTime(ctx, text, { what, past: true }) * 1000;
