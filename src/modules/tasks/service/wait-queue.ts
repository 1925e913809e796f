/**
 * Workers of a space that wait on this node for something to claim. A task wakes one of them, not all of them: each that is
 * woken asks the database, and all but one would ask in vain.
 */
import type { Ctx } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import type { Waiter, Woken } from "../../../waiting.ts";
import { needsIn } from "./events.ts";
import { isAnyReady } from "./giving.ts";
import { needsOf } from "./wire.ts";

const QUEUES = new WeakMap<Database, Map<string, WaitQueue>>();

function queueOf({ database, actor: { space_id } }: Ctx): WaitQueue {
  const spaces = QUEUES.get(database) ?? new Map<string, WaitQueue>();
  QUEUES.set(database, spaces);
  const queue = spaces.get(space_id) ?? new WaitQueue(() => spaces.delete(space_id));
  spaces.set(space_id, queue);
  return queue;
}

class WaitQueue {
  readonly #places = new Set<QueuedWorker>();
  readonly #onempty: () => void;
  /** The newest task that was told of, and whether somebody was woken for it. */
  event_id = 0;
  #isGiven = false;

  constructor(onempty: () => void) {
    this.#onempty = onempty;
  }

  add(place: QueuedWorker): void {
    this.#places.add(place);
  }

  remove(place: QueuedWorker): void {
    this.#places.delete(place);
    if (this.#places.size === 0) this.#onempty();
  }

  /** True for the first who asks after that event. */
  take({ id }: FeedEvent): boolean {
    if (id !== this.event_id) [this.event_id, this.#isGiven] = [id, false];
    const isFirst = !this.#isGiven;
    this.#isGiven = true;
    return isFirst;
  }

  /** Those who wait and have not looked since. */
  untried(): QueuedWorker[] {
    return [...this.#places].filter((place) => place.isIdle && place.tried !== this.event_id);
  }
}

/** In the queue of the actor's space, until it is disposed of. */
export class QueuedWorker implements Disposable {
  readonly #ctx: Ctx;
  readonly #offers: readonly string[];
  readonly #queue: WaitQueue;
  #waiter: Waiter | undefined;
  /** Told of something that it has not looked for. */
  #isTold = false;
  isIdle = false;
  /** Up to which event it has looked. */
  tried = -1;

  constructor(ctx: Ctx, offers: readonly string[]) {
    this.#ctx = ctx;
    this.#offers = offers;
    this.#queue = queueOf(ctx);
    this.#queue.add(this);
  }

  covers(needs: readonly string[]): boolean {
    return needs.every((need) => this.#offers.includes(need));
  }

  /** Whether an event is for this one. Each place is asked, the one that came first at first. */
  isFor(event: FeedEvent): boolean {
    const needs = needsIn(event);
    // Whoever looks just now may have looked too early for it; and what is no task may concern all of them.
    const isOwn = !this.isIdle || needs === undefined || (this.covers(needs) && this.#queue.take(event));
    if (isOwn) this.#tell();
    return isOwn;
  }

  /** Looks whether there is something. Woken in vain, it sees to it that nobody misses what was not for this one. */
  async look<T>(claim: () => Promise<T | undefined>): Promise<T | undefined> {
    const isWoken = this.#isTold;
    this.#isTold = false;
    this.tried = this.#queue.event_id;
    try {
      const given = await claim();
      if (given === undefined && isWoken) await this.#leaveToOthers();
      return given;
    } catch (error) {
      this.#isTold = true;
      throw error;
    }
  }

  async wait(waiter: Waiter, most_ms: number): Promise<Woken> {
    this.#waiter = waiter;
    this.isIdle = true;
    try {
      return await waiter.next(most_ms);
    } finally {
      this.isIdle = false;
    }
  }

  [Symbol.dispose](): void {
    this.#queue.remove(this);
    if (this.#isTold) this.#passOn();
  }

  #tell(): void {
    this.#isTold = true;
    this.isIdle = false;
  }

  #passOn(): void {
    const [next] = this.#queue.untried();
    if (!next) return;
    next.#tell();
    next.#waiter?.wake();
  }

  async #leaveToOthers(): Promise<void> {
    const others = this.#queue.untried();
    if (others.length === 0) return;
    if (await isAnyReady(this.#ctx, (lane) => others.some((place) => place.covers(needsOf(lane))))) this.#passOn();
  }
}
