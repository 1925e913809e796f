import { isRecord, jsonOf } from "#lib/hub/contents.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { keep, onKept, recall } from "#lib/hub/kept.ts";
import type { Message, Tools } from "#lib/hub/types.ts";
import { followChat, HubError } from "$client/index.ts";
import { Outgoing } from "./outgoing.svelte.ts";
import { pendingRow, RowMaker } from "./rows.ts";

const FIRST = 50;
const EARLIER = 200;

interface Status {
  ui: { ready: boolean };
  type: string;
}

/**
 * One conversation: what was said, what is being said, and how far it was seen.
 * - Each message is there once, in the hub's order, whatever came twice or late.
 * - Own words show at once and stay one row when the hub's copy arrives.
 * - What is new is told from what was seen when the page was opened.
 */
export class Chat {
  readonly agent: string | undefined;
  messages = $state.raw<readonly Message[]>([]);
  has_earlier = $state(false);
  loading_earlier = $state(false);
  loaded = $state(false);
  /** Why nothing can be read: no such agent, no right to. */
  problem = $state<string>();
  status = $state.raw<Status>();
  /** The first message that was new when the page was opened. */
  unread_id = $state<string>();
  readonly outgoing: Outgoing;
  readonly last_id = $derived(this.messages.at(-1)?.id ?? null);
  readonly writable = $derived(
    this.status?.ui.ready === true && (this.status.type === "local" || this.status.type === "ui"),
  );
  readonly rows = $derived.by(() => {
    const rows = this.#maker.rows(this.messages, this.unread_id);
    const last = this.messages.at(-1);
    const now = new Date(this.#hub.client.now()).toISOString();
    return [...rows, ...this.outgoing.shown.map((pending) => pendingRow(pending, last, this.#hub.me.principal, now))];
  });
  readonly #hub: Hub;
  readonly #maker = new RowMaker();
  #seen_id: string | null;
  #following = false;

  constructor(hub: Hub, agent: string | undefined) {
    this.#hub = hub;
    this.agent = agent;
    this.#seen_id = recall(this.#seenName);
    this.outgoing = new Outgoing(hub, agent, () => this.messages);
  }

  /** Returns the way to stop. */
  open(): () => void {
    const status = this.agent === undefined ? "ui://agent/status" : `ui://agent/${this.agent}/status`;
    void this.#glance();
    const stops = [
      followChat(this.#hub.client, {
        agent: this.agent,
        newest: FIRST,
        messages: (messages, { reset, has_earlier }) => {
          if (!reset || this.#isAhead(messages)) this.#merge(messages);
          else this.#begin(messages, has_earlier);
          this.#following = true;
        },
        error: (error) => {
          this.problem = error && !error.passing && error.status !== 401 ? error.message : undefined;
        },
      }),
      this.#hub.follow(status, (data) => {
        const json = jsonOf(data);
        if (isStatus(json)) this.status = json;
      }),
      onKept((name, value) => {
        if (name === this.#seenName) this.#seen_id = later(this.#seen_id, value);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Sends it. Its row appears at once. */
  async send(content: string): Promise<void> {
    this.unread_id = undefined;
    this.#merge(await this.outgoing.send(content, this.last_id));
  }

  async retry(key: string): Promise<void> {
    this.#merge(await this.outgoing.retry(key));
  }

  /** False when there is nothing before. */
  async loadEarlier(limit = EARLIER): Promise<boolean> {
    const [first] = this.messages;
    if (!first || !this.has_earlier || this.loading_earlier) return false;
    this.loading_earlier = true;
    try {
      const page = await this.#readBefore(first.id, limit);
      // It began anew meanwhile: what was read belongs to what is gone.
      if (this.messages[0] !== first) return false;
      this.has_earlier = page.has_more;
      this.messages = [...page.messages, ...this.messages];
      return page.messages.length > 0;
    } catch (error) {
      // The connection's banner says it; scrolling up again tries again.
      if (error instanceof HubError) return false;
      throw error;
    } finally {
      this.loading_earlier = false;
    }
  }

  /** Whether the message is here, after reading as far back as it takes. */
  async reach(id: string): Promise<boolean> {
    for (;;) {
      const [first] = this.messages;
      if (!first) return false;
      if (Number(first.id) <= Number(id)) return this.messages.some((message) => message.id === id);
      if (!(await this.loadEarlier(500))) return false;
    }
  }

  /** What is shown up to here was looked at. */
  see(): void {
    const { last_id } = this;
    if (last_id === null || later(this.#seen_id, last_id) === this.#seen_id) return;
    this.#seen_id = last_id;
    keep(this.#seenName, last_id);
  }

  /** The newest ones at once, while the hub is still being asked to tell of what comes. */
  async #glance(): Promise<void> {
    try {
      const page = await this.#readBefore(null, FIRST);
      if (!this.#following) this.#begin(page.messages, page.has_more);
    } catch (error) {
      // Following says what is wrong, and goes on trying.
      if (!(error instanceof HubError)) throw error;
    }
  }

  /** Whether what following begins with goes on from what the glance has shown. */
  #isAhead(messages: readonly Message[]): boolean {
    const [first] = messages;
    return !this.#following && first !== undefined && this.messages.some(({ id }) => id === first.id);
  }

  #readBefore(before_id: string | null, limit: number): Promise<Tools["chat_read_before"]["output"]> {
    const { agent } = this;
    return this.#hub.client.call("chat_read_before", { before_id, limit, ...(agent !== undefined && { agent }) });
  }

  get #seenName(): string {
    return `seen:${this.agent ?? ""}`;
  }

  #begin(messages: readonly Message[], has_earlier: boolean): void {
    this.#maker.forget();
    const seen = Number(this.#seen_id ?? Number.POSITIVE_INFINITY);
    const isNew = ({ id, author_principal }: Message): boolean =>
      Number(id) > seen && author_principal !== this.#hub.me.principal;
    this.unread_id = messages.find(isNew)?.id;
    this.messages = messages;
    this.has_earlier = has_earlier;
    this.loaded = true;
  }

  #merge(messages: readonly Message[]): void {
    const last = Number(this.last_id ?? 0);
    if (messages.every(({ id }) => Number(id) > last)) {
      if (messages.length > 0) this.messages = [...this.messages, ...messages];
      return;
    }
    const known = new Set(this.messages.map(({ id }) => id));
    const added = messages.filter(({ id }) => !known.has(id));
    if (added.length > 0) this.messages = [...this.messages, ...added].sort((a, b) => Number(a.id) - Number(b.id));
  }
}

const later = (one: string | null, other: string | null): string | null =>
  Number(other ?? 0) > Number(one ?? 0) ? other : one;

const isStatus = (value: unknown): value is Status =>
  isRecord(value) && typeof value.type === "string" && isRecord(value.ui) && typeof value.ui.ready === "boolean";
