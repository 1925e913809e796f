import { setImmediate } from "node:timers/promises";
import type { Committed, Database } from "../db/database.ts";
import { hit } from "../failpoints.ts";
import { Turns } from "../turns.ts";
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
  /** Everything up to here has been told, or is in `untold`. */
  head: number;
  /** Everything up to here is known to be durable, told or not. */
  durable: number;
  /** By topic, and by topic and stream. */
  listeners: Map<string, Set<Listener>>;
  count: number;
  /** What listeners are being told of, when there are so many that it takes more than one turn of the event loop. */
  untold: FeedEvent[];
  /** Set while events are being read that another node wrote. */
  catching_up: Promise<void> | undefined;
  behind: boolean;
}

const PAGE = 500;
/** What is kept of a space to be told: beyond it events are read again when their turn comes. */
const MOST_UNTOLD = 1000;
const keyOf = ({ topic, stream }: { topic: string; stream?: string | undefined }): string =>
  stream === undefined ? topic : `${topic}\n${stream}`;

/**
 * Tells whoever listens what became durable, in order and once a listener, a few of them at a time. What this node
 * wrote is told straight from the commit; what other nodes wrote is read from the database
 * when the doorbell rings, or when this node's own commit turns out to follow one it did not see.
 */
export class Feed {
  readonly #database: Database;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #report: (error: unknown) => void;
  readonly #turns = new Turns<Channel>();

  constructor(database: Database, report: (error: unknown) => void) {
    this.#database = database;
    this.#report = report;
    database.onCommit((committed) => void this.#told(committed).catch(report));
    database.onRemote((space_id, last_id) => void this.#rung(space_id, last_id).catch(report));
  }

  /**
   * From the moment this resolves the listener is told of every event, after it is durable:
   * at once, or where many listen soon after. It must not block. Returns the way to stop.
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
      untold: [],
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
    if (previous_id !== channel.head || channel.catching_up || channel.untold.length >= MOST_UNTOLD)
      return this.#catchUp(space_id, channel);
    this.#publish(channel, last_id, events);
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
        while (channel.untold.length >= MOST_UNTOLD) await setImmediate();
        const { durable } = channel;
        await hit("notify.before");
        const events = await listEventsSince(this.#database, { space_id, after_id: channel.head, limit: PAGE });
        const last_id = events.at(-1)?.id ?? channel.head;
        if (events.length === PAGE) channel.behind = true;
        // Positions without an event are passed too, or we would look for them for ever.
        this.#publish(channel, channel.behind ? last_id : Math.max(last_id, durable), events);
      }
    } catch (error) {
      // Whoever rang for something that is still missing rings again.
      this.#report(error);
    } finally {
      // In one go with the last look at `behind`: whoever comes now starts a new reading.
      channel.catching_up = undefined;
    }
  }

  /** In one go: a position is never passed without telling what lies before it. */
  #publish(channel: Channel, head: number, events: readonly FeedEvent[]): void {
    channel.head = head;
    if (channel.count === 0) return;
    for (const event of events) channel.untold.push(event);
    if (!this.#turns.isBusy(channel)) this.#turns.begin(channel, this.#tellAll(channel));
  }

  *#tellAll({ untold, listeners }: Channel): Generator<void> {
    for (let event = untold[0]; event; event = untold[0]) {
      for (const key of [event.topic, keyOf(event)])
        for (const listener of listeners.get(key) ?? []) {
          this.#tell(listener, event);
          yield;
        }
      untold.shift();
    }
  }

  /** One that throws makes no other miss the event. */
  #tell(listener: Listener, event: FeedEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#report(error);
    }
  }
}
