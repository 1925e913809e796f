import { setImmediate } from "node:timers/promises";
import type { Reader } from "../db/database.ts";
import { Few } from "../few.ts";
import type { FeedEvent } from "./event.ts";
import type { Feed, Listener } from "./feed.ts";
import { eventsOf, findHead, listRowsOf } from "./store.ts";

/** Rows of the feed that a page goes through at most, whoever's they are: half a millisecond. */
export const MOST_SCANNED = 2000;
/** Rows of a page that are wanted. */
const MOST_WANTED = 200;
/** For so long others wait at most. */
const MOST_MS = 2;
/** Those that read a page at the same time: a thousand whose sockets have room again at once would keep everybody waiting. */
const reading = new Few(2);

/** Which events: of a topic some streams, or with null all of them. */
export type Wanted = ReadonlyMap<string, { streams: readonly string[] | null }>;

/** Hears every event of these from the moment it resolves, as `Feed.listen` has it. Returns the way to stop. */
export async function listenTo(
  feed: Feed,
  { space_id, wanted }: { space_id: string; wanted: Wanted },
  listener: Listener,
): Promise<() => void> {
  using listening = new DisposableStack();
  for (const [topic, { streams }] of wanted)
    for (const stream of streams ?? [undefined])
      listening.defer(await feed.listen({ space_id, topic, stream }, listener));
  const all = listening.move();
  return () => all.dispose();
}

interface Options {
  feed: Feed;
  db: Reader;
  space_id: string;
  wanted: Wanted;
  /** False when there is no room for more: then nothing is told before `resume`. */
  tell: (event: FeedEvent) => boolean;
  /** Everything there is has been told, or there is no room for more of it. */
  onrest: () => void;
  onfail: (error: unknown) => void;
}

/**
 * Follows some topics of a space from a position on. At the head it tells each event as it becomes durable. Behind it,
 * or after it was told that there is no room, it reads on from its own position, so nothing is queued and nothing left
 * out. However much of others' lies between, it reads a page at a time and lets everybody else do something in between.
 */
export class Following implements Disposable {
  readonly #options: Options;
  #stop: () => void = () => {};
  #position = 0;
  #reading = false;
  #behind = false;
  /** Until `resume`: also before the first, so that nothing is told before whoever follows is ready. */
  #paused = true;
  #closed = false;

  /** From `after` on, or from now. What is written from here on lies behind its position. */
  static async open(options: Options, after: number | undefined): Promise<Following> {
    const following = new Following(options);
    const { feed, db, space_id } = options;
    following.#stop = await listenTo(feed, options, (event) => following.#hear(event));
    try {
      // Only now: what is written from here on either is told or lies behind this position.
      following.#position = after ?? (await findHead(db, space_id));
    } catch (error) {
      following[Symbol.dispose]();
      throw error;
    }
    return following;
  }

  private constructor(options: Options) {
    this.#options = options;
  }

  /** Everything wanted up to here has been told. */
  get position(): number {
    return this.#position;
  }

  /** There is room, for the first time or again. */
  resume(): void {
    this.#paused = false;
    this.#behind = true;
    // Reading already, it sees that there is more to do.
    if (!this.#reading) void this.#readOn();
  }

  get reading(): boolean {
    return this.#reading;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#stop();
  }

  #hear(event: FeedEvent): void {
    if (event.id <= this.#position) return;
    if (this.#reading || this.#paused) this.#behind = true;
    else this.#tell(event);
  }

  #tell(event: FeedEvent): boolean {
    this.#position = event.id;
    const streams = this.#options.wanted.get(event.topic)?.streams;
    if (streams && !streams.includes(event.stream)) return true;
    if (!this.#options.tell(event)) this.#paused = true;
    return !this.#paused;
  }

  /** From the position to the head; stops when there is no room. */
  async #readOn(): Promise<void> {
    const { onfail, onrest } = this.#options;
    this.#reading = true;
    try {
      while (this.#behind && !this.#paused && !this.#closed) {
        this.#behind = false;
        if (await reading.run(() => this.#readPage())) this.#behind = true;
        if (this.#behind) await setImmediate();
      }
    } catch (error) {
      onfail(error);
    } finally {
      // In one go with the last look at `#behind`: what is heard from now on is told at once.
      this.#reading = false;
      if (!this.#closed) onrest();
    }
  }

  /** Whether there is more. */
  async #readPage(): Promise<boolean> {
    const { db, space_id, wanted } = this.#options;
    const after_id = this.#position;
    const topics = [...wanted.keys()];
    const limits = { scanned: MOST_SCANNED, wanted: MOST_WANTED };
    const { rows, last_id, more } = await listRowsOf(db, { space_id, topics, after_id, limits });
    let started = performance.now();
    for (const row of rows) {
      if (performance.now() - started > MOST_MS) {
        await setImmediate();
        started = performance.now();
      }
      for (const event of eventsOf(row)) if (event.id > after_id && !(this.#closed || this.#tell(event))) return true;
    }
    this.#position = Math.max(this.#position, last_id);
    return more;
  }
}
