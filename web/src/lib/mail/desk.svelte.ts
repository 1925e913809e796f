import { tick } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { ListState } from "#lib/list/list-state.svelte.ts";
import { Toaster } from "#lib/toast/toaster.svelte.ts";
import { goto } from "$app/navigation";
import { hrefOf, type MailAddress } from "./address.ts";
import type { Mailbox } from "./mailbox.svelte.ts";
import type { ThreadAction } from "./targets.ts";
import { Triage } from "./triage.ts";
import type { Action, Copy, MailItem } from "./types.ts";

type Sorted = Copy & { id: string };

/** The thread that is open beside the list. */
interface Pane {
  act(action: ThreadAction): void;
  contains(node: Node | null): boolean;
  focusReply(): void;
}

const LEAVING: readonly Action[] = ["archive", "trash", "snooze", "inbox"];

/** Somebody at a mailbox: where in the list they are, what they selected, and what they do with it. */
export class Desk {
  readonly toaster = new Toaster();
  /** What was being done something about: a question about it is asked there. */
  anchor: HTMLElement | null = null;
  readonly list = new ListState(() => [...this.#mailbox.pressing, ...this.#mailbox.rows]);
  pane = $state.raw<Pane | undefined>();
  /** What is to be snoozed, while its time is being chosen. */
  snoozing = $state.raw<readonly Sorted[]>();
  readonly #mailbox: Mailbox;
  readonly #place: () => MailAddress;
  readonly #triage: Triage;

  constructor(hub: Hub, mailbox: Mailbox, place: () => MailAddress) {
    this.#mailbox = mailbox;
    this.#place = place;
    this.#triage = new Triage(hub, mailbox, this.toaster);
  }

  linkOf({ id, thread_id }: Pick<MailItem, "id" | "thread_id">): string {
    return `${hrefOf(this.#place(), { thread: thread_id, compose: false })}#m${id}`;
  }

  toggle(id?: string): void {
    if (this.#mailbox.own) this.list.toggle(id);
  }

  /** A row stands for its thread: all of it is sorted, but for what is to be read again, of which one is enough. */
  sortRows(action: Action, rows: readonly MailItem[]): void {
    const mails = rows.flatMap((row) => this.#mailbox.behind(row));
    const meant = new Set(rows.map(({ id }) => id));
    this.sort(action, action === "unread" ? mails.filter(({ id }) => meant.has(id)) : mails);
  }

  sort(action: Action, copies: readonly Sorted[]): void {
    if (!this.#mailbox.own || copies.length === 0) return;
    this.anchor = this.#focused ?? this.#row(copies[0]?.id);
    if (action === "snooze") this.snoozing = copies;
    else this.#done(action, copies);
  }

  snooze(copies: readonly Sorted[], until: string): void {
    this.#done("snooze", copies, until);
  }

  /** What is selected, else the thread one is in, else the row. */
  sortThese(action: ThreadAction): void {
    const focused = document.activeElement;
    const onRow = focused instanceof HTMLElement && focused.dataset.mail !== undefined;
    const item = this.#here;
    const { chosen } = this.list;
    if (chosen.length > 0) this.sortRows(action, chosen);
    else if (this.pane && this.#place().thread !== undefined && !onRow) this.pane.act(action);
    else if (item) this.sortRows(action === "unread" && item.read_at === null ? "read" : action, [item]);
  }

  move(by: 1 | -1): void {
    const next = this.list.step(by);
    if (!next) return;
    const link = this.#row();
    link?.focus();
    // On a phone the list is not there while a mail is.
    if (link?.checkVisibility() === false) void goto(this.linkOf(next), { reset: false });
  }

  open(): void {
    if (this.#here) void goto(this.linkOf(this.#here), { reset: false });
  }

  reply(): void {
    if (this.pane) this.pane.focusReply();
    else this.open();
  }

  undo(): void {
    if (this.toaster.current?.bad === false) this.toaster.current.act?.run();
  }

  /** Ends the selection, else leaves the thread or what is being written. */
  leave(): void {
    const { thread, compose } = this.#place();
    if (this.list.chosen.length > 0) this.list.selected.clear();
    else if (thread !== undefined || compose) void this.close().then(() => this.#row()?.focus());
  }

  async close(): Promise<void> {
    await goto(hrefOf(this.#place(), { thread: undefined, compose: false }), { reset: false });
  }

  /** What is sorted away leaves the place to the next one. */
  #done(action: Action, copies: readonly Sorted[], until?: string): void {
    const { thread } = this.#place();
    const ids = new Set(copies.map(({ id }) => id));
    const next = this.list.after(ids);
    const first = this.list.order.find(({ id }) => ids.has(id));
    const isOpen = first?.thread_id === thread || this.pane?.contains(document.activeElement);
    this.list.selected.clear();
    void this.#triage.run(copies, action, until);
    if (!LEAVING.includes(action)) return;
    this.list.goTo(next?.id);
    // Whoever sorts what they read goes on to the next one.
    if (isOpen && thread !== undefined && next) void goto(this.linkOf(next), { reset: false });
    else void (isOpen && thread !== undefined ? this.close() : tick()).then(() => this.#row()?.focus());
  }

  get #here(): MailItem | undefined {
    return this.list.at === undefined ? undefined : this.#mailbox.find(this.list.at);
  }

  /** Undefined where nothing has the focus, as under a finger. */
  get #focused(): HTMLElement | undefined {
    const { activeElement } = document;
    return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : undefined;
  }

  #row(id = this.list.at): HTMLElement | null {
    return document.querySelector<HTMLElement>(`[data-mail="${id ?? ""}"]`);
  }
}
