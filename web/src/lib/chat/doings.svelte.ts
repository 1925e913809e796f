import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Live } from "#lib/live/live.ts";
import { HubError, newKey } from "$client/index.ts";
import { isAfter } from "./stretch.ts";

type Page = Tools["timeline_read"]["output"];
type Item = Page["items"][number];
/** What an agent did beside speaking. */
export type Doing = Exclude<Item, { kind: "UserMessage" | "AssistantMarkdown" }>;
export type RuntimeStatus = Tools["agent_status"]["output"];

const PAGE = 200;
/** Calls come in bursts, and one read tells of all. */
const GATHER = { first_ms: 50, next_ms: 250 };

/**
 * What an agent that a runtime runs did: calls, what it asked, tasks it made, ends of turns. What was said stands in the chat, and both are
 * merged by id.
 */
export class Doings {
  items = $state.raw<readonly Doing[]>([]);
  /** Undefined while no runtime has run it. */
  status = $state.raw<RuntimeStatus>();
  /** Whether the newest of it was read. */
  loaded = $state(false);
  /** Why it could not be read. */
  problem = $state<string>();
  readonly #hub: Pick<Hub, "client">;
  readonly #agent: string;
  /** From here on everything is known; null when nothing lies before it. */
  #from_id: string | null = null;
  /** Everything up to here was read, and what has changed. */
  #position: string | null = null;
  /** What was told of what lies further back, while a page of that is read: it may be newer than the page. */
  readonly #passed = new Map<string, Item>();
  /** What is read further back, one after the other. */
  #reaching: Promise<void> = Promise.resolve();

  constructor(hub: Pick<Hub, "client">, agent: string) {
    this.#hub = hub;
    this.#agent = agent;
  }

  /** Returns the way to stop. */
  open(): () => void {
    const live = new Live(this.#hub, {
      uris: [`parley://timeline/${this.#agent}`],
      read: () => this.#read(),
      fail: (sentence) => {
        this.problem = sentence;
      },
      gather: GATHER,
    });
    return () => live.stop();
  }

  /** What was done since that position, if the chat leads so far back. */
  reach(id: string): Promise<void> {
    this.#reaching = this.#reaching.then(() => this.#reach(id));
    return this.#reaching;
  }

  async #reach(id: string): Promise<void> {
    try {
      while (this.#from_id !== null && isAfter(this.#from_id, id)) {
        this.#passed.clear();
        const page = await this.#page({ before_id: this.#from_id });
        this.#from_id = page.has_more ? (page.items[0]?.id ?? null) : null;
        this.#take(page.items.map((item) => this.#passed.get(item.id) ?? item));
      }
    } catch (error) {
      this.problem = sentenceOf(error);
    }
  }

  async steer(how: "agent_abort" | "agent_pause" | "agent_resume"): Promise<void> {
    this.#know(await this.#hub.client.call(how, { agent: this.#agent }, { key: newKey() }));
  }

  async allowTools(): Promise<void> {
    this.#know(await this.#hub.client.call("agent_tools", { agent: this.#agent, on: true }, { key: newKey() }));
  }

  /** How its runtime is has changed, as the list of agents tells. */
  async look(): Promise<void> {
    if (!this.status) return;
    try {
      await this.#ask();
    } catch (error) {
      // Of a hub that is away the page speaks above everything else.
      if (!(error instanceof HubError)) throw error;
    }
  }

  async #ask(): Promise<void> {
    this.#know(await this.#hub.client.call("agent_status", { agent: this.#agent }));
  }

  #know(status: RuntimeStatus): void {
    this.status = status.driver === null ? undefined : status;
  }

  async #read(): Promise<void> {
    // What people want of it is told by the same resource.
    await Promise.all([this.#ask(), this.#readItems()]);
    this.loaded = true;
    this.problem = undefined;
  }

  async #readItems(): Promise<void> {
    if (this.#position === null) {
      const page = await this.#page({ newest: true });
      this.#from_id = page.has_more ? (page.items[0]?.id ?? null) : null;
      this.#position = page.last_id;
      this.#take(page.items);
      return;
    }
    for (let [more, from] = [true, this.#position]; more; ) {
      const page: Page = await this.#page({ changed_after: from });
      from = page.last_id ?? from;
      this.#position = from;
      for (const item of page.items) if (this.#isBeyond(item)) this.#passed.set(item.id, item);
      this.#take(page.items.filter((item) => !this.#isBeyond(item)));
      more = page.has_more;
    }
  }

  #isBeyond({ id }: Item): boolean {
    return this.#from_id !== null && isAfter(this.#from_id, id);
  }

  /** Each once, in order; what is as it was stays the same object, and is not drawn again. */
  #take(items: readonly Item[]): void {
    const news = items.filter(isDoing);
    const last = this.items.at(-1);
    if (news.length === 0) return;
    if (!last || news.every(({ id }, at) => isAfter(id, news[at - 1]?.id ?? last.id)))
      this.items = [...this.items, ...news];
    else this.#mix(news);
  }

  #mix(news: readonly Doing[]): void {
    const known = new Map(this.items.map((item) => [item.id, item]));
    let changed = false;
    for (const item of news) {
      if (JSON.stringify(known.get(item.id)) === JSON.stringify(item)) continue;
      known.set(item.id, item);
      changed = true;
    }
    if (changed) this.items = [...known.values()].sort((a, b) => Number(a.id) - Number(b.id));
  }

  #page(where: Partial<Tools["timeline_read"]["input"]>): Promise<Page> {
    return this.#hub.client.call("timeline_read", { agent: this.#agent, limit: PAGE, ...where });
  }
}

const isDoing = (item: Item): item is Doing => item.kind !== "UserMessage" && item.kind !== "AssistantMarkdown";
