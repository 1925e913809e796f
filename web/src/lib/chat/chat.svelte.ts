import { untrack } from "svelte";
import type { Marks } from "#lib/agents/marks.svelte.ts";
import { firstOutput } from "#lib/hub/first.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Message, Tools } from "#lib/hub/types.ts";
import { followChat, HubError } from "$client/index.ts";
import { Doings } from "./doings.svelte.ts";
import { EVERYTHING, matcherOf } from "./filter.ts";
import type { Outbox } from "./outbox.svelte.ts";
import type { Outgoing } from "./outgoing.svelte.ts";
import { leadsTo, type MessageRow, merged, ordered, pendingRow, RowMaker } from "./rows.ts";
import { Stretches } from "./stretches.svelte.ts";

const FIRST = 50;
const PAGE = 200;
/** How much is read around the message of a link. */
const BEFORE = 50;
const BEHIND = 100;
/** What was asked comes after the call that it is about, by no more than this. Ids are times, in microseconds. */
const ASKED_WITHIN = 60_000_000;
/** Positions that the hub has nothing of, or no longer. */
const NOT_THERE = ["WATERMARK_EXPIRED", "WATERMARK_INVALID", "INVALID_ARGUMENT"];

/** What a chat needs of the hub. */
export type ChatHub = Pick<Hub, "client" | "me" | "live">;

/** Up to where it was read. */
type ChatMarks = Pick<Marks, "coming" | "of" | "advance" | "told">;

type Page = Tools["chat_read_before"]["output"];

/**
 * One conversation: what was said, what is being said, and how far it was seen.
 * - Each message is there once, in the hub's order, whatever came twice or late.
 * - Own words show at once and stay one row when the hub's copy arrives.
 * - What is new is told from what was seen when the page was opened.
 * - What is shown has no gap. A link to a message far back shows the stretch around it; what lies between is read as the
 *   reader comes there, and until then what is said now waits at the end.
 */
export class Chat {
  readonly agent: string | undefined;
  readonly #stretches = new Stretches();
  readonly messages = $derived(this.#stretches.shown.messages);
  readonly has_earlier = $derived(this.#stretches.shown.has_earlier);
  readonly has_later = $derived(this.#stretches.is_away);
  /** Up to the last thing said, shown or not. */
  readonly newest = $derived(this.#stretches.newest);
  loading = $state(false);
  /** The message of a link is looked for, or is not there. */
  link = $state<"sought" | "gone">();
  loaded = $state(false);
  /** Why nothing can be read: no such agent, no right to. */
  problem = $state<string>();
  /** The first message that was new when the page was opened. */
  unread_id = $state<string>();
  readonly outgoing: Outgoing;
  /** What the agent did besides, where a runtime runs it. */
  readonly doings: Doings | undefined;
  /** What of all that is shown. */
  filter = $state.raw(EVERYTHING);
  readonly last_id = $derived(this.newest.at(-1)?.id ?? null);
  readonly rows = $derived.by(() => {
    const { has_earlier, has_later, unread_id } = this;
    const { order } = this.filter;
    const spoken = ordered(this.#maker, this.messages, { unread_id, order });
    const all = merged(spoken, { doings: this.doings?.items ?? [], has_earlier, has_later });
    const rows = all.filter(matcherOf(this.filter));
    if (!has_later) rows.push(...this.#unsaid());
    return order === "oldest" ? rows : rows.toReversed();
  });
  readonly #hub: ChatHub;
  readonly #maker = new RowMaker();
  readonly #marks: ChatMarks;
  #seeing = false;
  #sought_id: string | undefined;
  #begun = 0;

  constructor(hub: ChatHub, { marks, outbox }: { marks: ChatMarks; outbox: Outbox }, agent: string | undefined) {
    this.#hub = hub;
    this.#marks = marks;
    this.agent = agent;
    this.doings = agent === undefined ? undefined : new Doings(hub, agent);
    this.outgoing = outbox.of(agent);
    this.outgoing.join({ messages: () => this.newest, add: (messages) => this.#stretches.add(messages) });
  }

  /** Returns the way to stop. */
  open(): () => void {
    const from = this.#glance();
    return followChat(this.#hub.client, {
      agent: this.agent,
      newest: FIRST,
      from,
      marks: { wanted: () => this.#seen, done: (id) => this.#marks.told(this.agent, id) },
      messages: async (messages, { reset, has_earlier }) => {
        if (reset) await this.#marks.coming;
        if (reset) this.#begin(messages, has_earlier);
        else this.#stretches.add(messages);
      },
      error: (error) => {
        this.problem = error && !error.passing && error.status !== 401 ? sentenceOf(error) : undefined;
      },
    });
  }

  /** Sends it. Its row appears at once. */
  async send(content: string): Promise<void> {
    this.unread_id = undefined;
    this.toNewest();
    await this.outgoing.send(content, this.last_id);
  }

  /** What lies before what is shown. */
  async loadEarlier(): Promise<void> {
    const [first] = this.messages;
    if (!first || !this.has_earlier) return;
    await this.#load(async () => {
      const { messages, has_more } = await this.#readBefore(first.id, PAGE);
      this.#stretches.addBefore(first, { messages, has_earlier: has_more });
    });
  }

  /** What lies after it, up to where it reaches the newest ones. */
  async loadLater(): Promise<void> {
    const last = this.messages.at(-1);
    if (!last || !this.has_later) return;
    await this.#load(async () => this.#stretches.addAfter(last, (await this.#readSince(last.id, PAGE)).messages));
  }

  toNewest(): void {
    this.#stretches.home();
  }

  /** Shows what is around that one, said or done. Gives its row; undefined when it is not there, or cannot be read just now. */
  async reach(id: string): Promise<string | undefined> {
    this.#sought_id = id;
    this.link = "sought";
    try {
      const spoken = this.#stretches.find(id) ?? (await this.#readAround(id));
      const key = spoken ? id : await this.#reachDone(id);
      // Another link was followed meanwhile.
      if (this.#sought_id !== id) return undefined;
      this.link = key === undefined ? "gone" : undefined;
      return key;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      // Of everything else the connection's banner speaks.
      this.link = NOT_THERE.includes(error.code) ? "gone" : undefined;
      return undefined;
    }
  }

  /** What was done is shown between what was said around it. */
  async #reachDone(id: string): Promise<string | undefined> {
    await this.doings?.reach(String(Number(id) - ASKED_WITHIN));
    const doing = this.doings?.items.find((one) => leadsTo(one, id));
    if (doing && this.#stretches.find(doing.id) === undefined) await this.#readAround(doing.id, true);
    return doing?.id;
  }

  /** What is shown up to here was looked at, and what comes will be, until it is said not to. */
  see(): void {
    const { last_id } = this;
    if (last_id === null || this.has_later) return;
    this.#marks.advance(this.agent, last_id);
    this.#seeing = true;
  }

  /** The reader is elsewhere. */
  unsee(): void {
    this.#seeing = false;
  }

  get #seen(): boolean {
    return this.#seeing && document.visibilityState === "visible";
  }

  /** The newest ones at once, while the hub is still being asked to tell of what comes. */
  async #glance(): Promise<Page | undefined> {
    try {
      const page = firstOutput("chat_read_before", this.#before(null, FIRST)) ?? (await this.#readBefore(null, FIRST));
      // What is known at once is drawn at once.
      if (this.#marks.coming) await this.#marks.coming;
      this.#begin(page.messages, page.has_more);
      return page;
    } catch (error) {
      // Following says what is wrong, and goes on trying.
      if (!(error instanceof HubError)) throw error;
      return undefined;
    }
  }

  async #load(read: () => Promise<void>): Promise<void> {
    if (this.loading) return;
    this.loading = true;
    try {
      await read();
    } catch (error) {
      // The connection's banner says it; scrolling there again tries again.
      if (!(error instanceof HubError)) throw error;
    } finally {
      this.loading = false;
    }
  }

  /** Own words that the hub has not confirmed yet. */
  #unsaid(): MessageRow[] {
    const last = this.messages.at(-1);
    const now = new Date(this.#hub.client.now()).toISOString();
    return this.outgoing.shown.map((pending) => pendingRow(pending, last, this.#hub.me.principal, now));
  }

  /** The message and what follows it, and what came before. False when it is not there, unless something else is. */
  async #readAround(id: string, there = false): Promise<boolean> {
    const begun = this.#begun;
    const sought = this.#sought_id;
    const [behind, before] = await Promise.all([
      this.#readSince(String(Number(id) - 1), BEHIND),
      this.#readBefore(id, BEFORE),
    ]);
    if (behind.messages[0]?.id !== id && !there) return false;
    const messages = [...before.messages, ...behind.messages];
    // Unless everything that was known has become void meanwhile, or another one is wanted.
    if (this.#begun === begun && this.#sought_id === sought)
      this.#stretches.go({ messages, has_earlier: before.has_more });
    return true;
  }

  #readSince(after_id: string, limit: number): Promise<Tools["chat_read_since"]["output"]> {
    const { agent } = this;
    return this.#hub.client.call("chat_read_since", { after_id, limit, ...(agent !== undefined && { agent }) });
  }

  #readBefore(before_id: string | null, limit: number): Promise<Page> {
    return this.#hub.client.call("chat_read_before", this.#before(before_id, limit));
  }

  #before(before_id: string | null, limit: number): Tools["chat_read_before"]["input"] {
    const { agent } = this;
    return { before_id, limit, ...(agent !== undefined && { agent }) };
  }

  #begin(messages: readonly Message[], has_earlier: boolean): void {
    this.#maker.forget();
    // As it is now: reading on does not open the chat anew.
    const seen = Number(untrack(() => this.#marks.of(this.agent)) ?? Number.POSITIVE_INFINITY);
    const isNew = ({ id, author_principal }: Message): boolean =>
      Number(id) > seen && author_principal !== this.#hub.me.principal;
    this.unread_id = messages.find(isNew)?.id;
    this.#stretches.begin({ messages, has_earlier });
    this.#begun += 1;
    this.loaded = true;
  }
}
