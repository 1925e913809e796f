import { tick } from "svelte";
import { SvelteSet } from "svelte/reactivity";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { goto } from "$app/navigation";
import { hrefOf, type Place } from "./address.ts";
import type { Mailbox } from "./mailbox.svelte.ts";
import type { ThreadAction } from "./targets.ts";
import { Toaster } from "./toaster.svelte.ts";
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
  readonly selected = new SvelteSet<string>();
  pane = $state.raw<Pane | undefined>();
  /** What is to be snoozed, while its time is being chosen. */
  snoozing = $state.raw<readonly Sorted[]>();
  /** All that is listed, from the top. */
  readonly order = $derived.by(() => [...this.#mailbox.pressing, ...this.#mailbox.rows]);
  readonly chosen = $derived.by(() => this.order.filter(({ id }) => this.selected.has(id)));
  #cursor: string | undefined;
  readonly #mailbox: Mailbox;
  readonly #place: () => Place;
  readonly #triage: Triage;

  constructor(hub: Hub, mailbox: Mailbox, place: () => Place) {
    this.#mailbox = mailbox;
    this.#place = place;
    this.#triage = new Triage(hub, mailbox, this.toaster);
  }

  /** Somebody came to this row. */
  at(id: string): void {
    this.#cursor = id;
  }

  linkOf({ id, thread_id }: Pick<MailItem, "id" | "thread_id">): string {
    return `${hrefOf(this.#place(), { thread: thread_id, compose: false })}#m${id}`;
  }

  toggle(id: string | undefined = this.#cursor): void {
    if (id === undefined || !this.#mailbox.own) return;
    if (!this.selected.delete(id)) this.selected.add(id);
  }

  selectAll(): void {
    for (const { id } of this.order) this.selected.add(id);
  }

  sort(action: Action, copies: readonly Sorted[]): void {
    if (!this.#mailbox.own || copies.length === 0) return;
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
    if (this.chosen.length > 0) this.sort(action, this.chosen);
    else if (this.pane && this.#place().thread !== undefined && !onRow) this.pane.act(action);
    else if (item) this.sort(action === "unread" && item.read_at === null ? "read" : action, [item]);
  }

  move(by: 1 | -1): void {
    const at = this.order.findIndex(({ id }) => id === this.#cursor);
    const last = this.order.length - 1;
    const next = this.order[at < 0 ? (by > 0 ? 0 : last) : Math.max(0, Math.min(last, at + by))];
    if (!next) return;
    this.#cursor = next.id;
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
    if (this.chosen.length > 0) this.selected.clear();
    else if (thread !== undefined || compose) void this.close().then(() => this.#row()?.focus());
  }

  async close(): Promise<void> {
    await goto(hrefOf(this.#place(), { thread: undefined, compose: false }), { reset: false });
  }

  /** What is sorted away leaves the place to the next one. */
  #done(action: Action, copies: readonly Sorted[], until?: string): void {
    const { thread } = this.#place();
    const ids = new Set(copies.map(({ id }) => id));
    const from = this.order.findIndex(({ id }) => ids.has(id));
    const stays = ({ id }: MailItem): boolean => !ids.has(id);
    const next = this.order.slice(Math.max(from, 0)).find(stays) ?? this.order.findLast(stays);
    const isOpen = this.order[from]?.thread_id === thread || this.pane?.contains(document.activeElement);
    this.selected.clear();
    void this.#triage.run(copies, action, until);
    if (!LEAVING.includes(action)) return;
    this.#cursor = next?.id;
    const moved = isOpen && thread !== undefined ? this.close() : tick();
    void moved.then(() => this.#row()?.focus());
  }

  get #here(): MailItem | undefined {
    return this.#cursor === undefined ? undefined : this.#mailbox.find(this.#cursor);
  }

  #row(): HTMLElement | null {
    return document.querySelector<HTMLElement>(`[data-mail="${this.#cursor ?? ""}"]`);
  }
}
