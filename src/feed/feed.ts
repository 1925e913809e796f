import type { Committed, Database } from "../db/database.ts";
import { hit } from "../failpoints.ts";
import type { FeedEvent } from "./event.ts";
import { findHead, listEventsSince } from "./store.ts";

export type Listener = (event: FeedEvent) => void;

export interface Where {
  space_id: string;
  topic: string;
  /** Leave out for every stream of the topic. */
  stream?: string | undefined;
}

interface Channel {
  /** Everything up to here has been told. */
  head: number;
  /** Everything up to here is known to be durable, told or not. */
  durable: number;
  /** By topic, and by topic and stream. */
  listeners: Map<string, Set<Listener>>;
  count: number;
  /** Set while events are being read that another node wrote. */
  catching_up: Promise<void> | undefined;
  behind: boolean;
}

const PAGE = 500;
const keyOf = ({ topic, stream }: { topic: string; stream?: string | undefined }): string =>
  stream === undefined ? topic : `${topic}\n${stream}`;

/**
 * Tells whoever listens what became durable, in order and once a listener. What this node
 * wrote is told straight from the commit; what other nodes wrote is read from the database
 * when the doorbell rings, or when this node's own commit turns out to follow one it did not see.
 */
export class Feed {
  readonly #database: Database;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #report: (error: unknown) => void;

  constructor(database: Database, report: (error: unknown) => void) {
    this.#database = database;
    this.#report = report;
    database.onCommit((committed) => void this.#told(committed).catch(report));
    database.onRemote((space_id, last_id) => void this.#rung(space_id, last_id).catch(report));
  }

  /**
   * From the moment this resolves the listener is told of every event, after it is durable,
   * synchronously: it must not throw and not block. Returns the way to stop.
   */
  async listen(where: Where, listener: Listener): Promise<() => void> {
    const channel = await this.#openChannel(where.space_id);
    const key = keyOf(where);
    const listeners = channel.listeners.get(key) ?? new Set();
    channel.listeners.set(key, listeners.add(listener));
    channel.count += 1;
    return () => {
      if (!listeners.delete(listener)) return;
      channel.count -= 1;
      if (listeners.size === 0) channel.listeners.delete(key);
      if (channel.count === 0) this.#close(where.space_id);
    };
  }

  async #openChannel(space_id: string): Promise<Channel> {
    for (;;) {
      const opening = this.#channel(space_id);
      const channel = await opening;
      // Its last listener may have left, and the channel with it, while we waited.
      if (this.#channels.get(space_id) === opening) return channel;
    }
  }

  #channel(space_id: string): Promise<Channel> {
    const known = this.#channels.get(space_id);
    if (known) return known;
    const opening = findHead(this.#database, space_id).then((head) => ({
      head,
      durable: head,
      listeners: new Map<string, Set<Listener>>(),
      count: 0,
      catching_up: undefined,
      behind: false,
    }));
    this.#channels.set(space_id, opening);
    opening.catch(() => this.#close(space_id));
    this.#watch();
    return opening;
  }

  #close(space_id: string): void {
    this.#channels.delete(space_id);
    this.#watch();
  }

  #watch(): void {
    this.#database.watch([...this.#channels.keys()]);
  }

  async #told({ space_id, previous_id, last_id, events }: Committed): Promise<void> {
    const channel = await this.#opened(space_id);
    await hit("notify.before");
    if (!channel || last_id <= channel.head) return;
    if (previous_id !== channel.head || channel.catching_up) return this.#catchUp(space_id, channel);
    publish(channel, last_id, events);
  }

  async #rung(space_id: string, last_id: number | undefined): Promise<void> {
    const channel = await this.#opened(space_id);
    if (!channel || (last_id !== undefined && last_id <= channel.head)) return;
    channel.durable = Math.max(channel.durable, last_id ?? 0);
    await this.#catchUp(space_id, channel);
  }

  /** Undefined where nobody listens, and where opening fails: who wanted to listen is told that. */
  #opened(space_id: string): Promise<Channel | undefined> | undefined {
    return this.#channels.get(space_id)?.catch(() => undefined);
  }

  /** Reads on from the head until there is nothing more; called again meanwhile, it reads once more. */
  #catchUp(space_id: string, channel: Channel): Promise<void> {
    channel.behind = true;
    channel.catching_up ??= this.#readOn(space_id, channel);
    return channel.catching_up;
  }

  async #readOn(space_id: string, channel: Channel): Promise<void> {
    try {
      while (channel.behind) {
        channel.behind = false;
        const { durable } = channel;
        await hit("notify.before");
        const events = await listEventsSince(this.#database, { space_id, after_id: channel.head, limit: PAGE });
        const last_id = events.at(-1)?.id ?? channel.head;
        if (events.length === PAGE) channel.behind = true;
        // Positions without an event are passed too, or we would look for them for ever.
        publish(channel, channel.behind ? last_id : Math.max(last_id, durable), events);
      }
    } catch (error) {
      // Whoever rang for something that is still missing rings again.
      this.#report(error);
    } finally {
      // In one go with the last look at `behind`: whoever comes now starts a new reading.
      channel.catching_up = undefined;
    }
  }
}

/** In one go: a position is never passed without telling what lies before it. */
function publish(channel: Channel, head: number, events: readonly FeedEvent[]): void {
  channel.head = head;
  for (const event of events) {
    for (const listener of channel.listeners.get(event.topic) ?? []) listener(event);
    for (const listener of channel.listeners.get(keyOf(event)) ?? []) listener(event);
  }
}
