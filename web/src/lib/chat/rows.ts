/** What one row of the timeline shows. Each depends on the message before it, and on nothing after. */

import type { Message } from "#lib/hub/types.ts";
import { isSameDay } from "#lib/time.ts";

/** A message of one's own that the hub has not confirmed yet. */
export interface Pending {
  key: string;
  content: string;
  /** Waiting: the hub is away, and it goes by itself when that is back. */
  state: "sending" | "waiting" | "failed";
  /** Why it failed: the hub's sentence. */
  problem?: string;
  /** The newest message that was there when it was sent: its own copy comes after. */
  after_id: string | null;
}

export interface Row {
  key: string;
  message: Message;
  pending: Pending | undefined;
  /** A new day begins, and is named. */
  day: boolean;
  /** Says who speaks; left out while the same one goes on. */
  head: boolean;
  /** What follows is new to the reader. */
  unread: boolean;
}

const PAUSE_MS = 5 * 60_000;

/** The row of a message is made once and is the same object from then on, so that only new rows are drawn. */
export class RowMaker {
  readonly #made = new Map<string, { row: Row; before: Message | undefined }>();

  rows(messages: readonly Message[], unread_id: string | undefined): Row[] {
    return messages.map((message, at) => this.#row(message, messages[at - 1], message.id === unread_id));
  }

  forget(): void {
    this.#made.clear();
  }

  #row(message: Message, before: Message | undefined, unread: boolean): Row {
    const known = this.#made.get(message.id);
    if (known && known.before === before && known.row.message === message && known.row.unread === unread)
      return known.row;
    const day = !before || !isSameDay(before.ts, message.ts);
    const head = day || unread || !goesOn(before, message);
    const row: Row = { key: message.id, message, pending: undefined, day, head, unread };
    this.#made.set(message.id, { row, before });
    return row;
  }
}

export function pendingRow(pending: Pending, before: Message | undefined, me: string, ts: string): Row {
  const { key, content } = pending;
  const message: Message = { id: key, ts, author: "user", author_principal: me, mime: "text/markdown", content };
  const head = before?.author !== "user" || before.author_principal !== me;
  return { key, message, pending, day: false, head, unread: false };
}

const goesOn = (before: Message | undefined, { author, author_principal, ts }: Message): boolean =>
  before !== undefined &&
  before.author === author &&
  before.author_principal === author_principal &&
  Date.parse(ts) - Date.parse(before.ts) < PAUSE_MS;
