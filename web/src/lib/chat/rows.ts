/** What one row of the timeline shows. Each depends on the message before it, and on nothing after. */

import type { Message } from "#lib/hub/types.ts";
import { isSameDay } from "#lib/time.ts";
import type { Doing } from "./doings.svelte.ts";
import { isAfter } from "./stretch.ts";

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

/** What was said. */
export interface MessageRow {
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

/** What was done. */
export interface DoneRow {
  key: string;
  doing: Doing;
  pending: undefined;
}

export type Row = MessageRow | DoneRow;

/** Which end of a timeline stands above. */
export type Order = "oldest" | "newest";

/** Whether a link with that id leads there: to what was said or done, or to what was asked or made by it. */
export function leadsTo(doing: Doing, id: string): boolean {
  if (doing.id === id) return true;
  if (doing.kind === "Tool") return doing.approval?.id === id;
  return (doing.kind === "Question" && doing.question_id === id) || (doing.kind === "Task" && doing.task_id === id);
}

const PAUSE_MS = 5 * 60_000;

interface Shown {
  unread_id: string | undefined;
  order: Order;
}

/**
 * The rows in the order of the messages, as they are read in that order: in the other one a day, and who speaks, is named
 * above the last that was said, and what is new ends before the last one that is known.
 */
export function ordered(maker: RowMaker, messages: readonly Message[], { unread_id, order }: Shown): MessageRow[] {
  if (order === "oldest") return maker.rows(messages, unread_id);
  const known = messages[messages.findIndex(({ id }) => id === unread_id) - 1];
  return maker.rows(messages.toReversed(), known?.id).toReversed();
}

/** The row of a message is made once and is the same object from then on, so that only new rows are drawn. */
export class RowMaker {
  readonly #made = new Map<string, { row: MessageRow; before: Message | undefined }>();

  rows(messages: readonly Message[], unread_id: string | undefined): MessageRow[] {
    return messages.map((message, at) => this.#row(message, messages[at - 1], message.id === unread_id));
  }

  forget(): void {
    this.#made.clear();
  }

  #row(message: Message, before: Message | undefined, unread: boolean): MessageRow {
    const known = this.#made.get(message.id);
    if (known && known.before === before && known.row.message === message && known.row.unread === unread)
      return known.row;
    const day = !before || !isSameDay(before.ts, message.ts);
    const head = day || unread || !goesOn(before, message);
    const row: MessageRow = { key: message.id, message, pending: undefined, day, head, unread };
    this.#made.set(message.id, { row, before });
    return row;
  }
}

export function pendingRow(pending: Pending, before: Message | undefined, me: string, ts: string): MessageRow {
  const { key, content } = pending;
  const message: Message = { id: key, ts, author: "user", author_principal: me, mime: "text/markdown", content };
  const head = before?.author !== "user" || before.author_principal !== me;
  return { key, message, pending, day: false, head, unread: false };
}

const goesOn = (before: Message | undefined, { author, author_principal, ts }: Message): boolean =>
  before !== undefined &&
  before.author === author &&
  before.author_principal === author_principal &&
  Math.abs(Date.parse(ts) - Date.parse(before.ts)) < PAUSE_MS;

interface Between {
  doings: readonly Doing[];
  /** Whether anything was said before the first of them, or after the last, that is not among them. */
  has_earlier: boolean;
  has_later: boolean;
}

const drawn = new WeakMap<Doing, DoneRow>();

/** Both in the hub's order. What was done beyond what is shown of the chat waits until that is. */
export function merged(spoken: readonly MessageRow[], { doings, has_earlier, has_later }: Between): Row[] {
  const rows: Row[] = [];
  let at = has_earlier ? doings.findIndex(({ id }) => isAfter(id, spoken[0]?.message.id ?? "0")) : 0;
  if (at < 0) at = doings.length;
  for (const row of spoken) {
    for (let doing = doings[at]; doing && isAfter(row.message.id, doing.id); doing = doings[at]) {
      rows.push(doneRow(doing));
      at += 1;
    }
    rows.push(row);
  }
  return has_later ? rows : [...rows, ...doings.slice(at).map(doneRow)];
}

function doneRow(doing: Doing): DoneRow {
  const known = drawn.get(doing);
  if (known) return known;
  const row: DoneRow = { key: doing.id, doing, pending: undefined };
  drawn.set(doing, row);
  return row;
}
