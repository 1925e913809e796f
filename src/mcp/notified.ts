import { randomBytes } from "node:crypto";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { type FeedEvent, Following, findHead, resumeAt } from "../feed/index.ts";
import type { Outlet } from "../http/outlet.ts";
import type { Hub } from "../hub.ts";
import type { Notification } from "../module.ts";
import { isAt } from "../resource.ts";
import { type Notifications, resyncFrame } from "./notifications.ts";
import type { Seats } from "./seats.ts";

interface Options {
  hub: Hub;
  notifications: Notifications;
  seats: Seats;
  actor: Actor;
  /** What `_meta` of each holds, by the id of the event; without it there is none. */
  meta?: (event_id: string) => object;
  /** Ends whoever this is for: somebody else needs the room, and it has had no stream for long. */
  leave?: () => void;
}

interface Subscription {
  wanted: readonly Notification[];
  /** Nothing is told that happened before it was made, unless the client says by itself how far it got. */
  since: number;
}

/**
 * What one client is told by name, and how far it has been told. While it has a stream it follows the feed; without one
 * it keeps its position and nothing else.
 */
export class Notified implements Disposable {
  readonly #options: Options;
  readonly #subscriptions = new Map<string, Subscription>();
  #outlet: Outlet | undefined;
  #following: Promise<Following> | undefined;
  #position: number | undefined;
  #without_since = performance.now();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Everything up to here has been told, or happened before anything was asked for. */
  get position(): number {
    return this.#position ?? 0;
  }

  /** For how long it has had no stream, in milliseconds. */
  get idle(): number {
    return this.#outlet ? 0 : performance.now() - this.#without_since;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  leave(): void {
    this.#options.leave?.();
  }

  /** From the moment it resolves everything wanted is told. */
  async subscribe(wanted: readonly Notification[]): Promise<string> {
    const { hub, seats, actor } = this.#options;
    const tools = new Set(wanted.flatMap(({ given_by }) => given_by));
    await hub.checkReads(hub.ctx(actor), [...tools], {});
    seats.take(actor.space_id, this);
    const id = `sub_${randomBytes(12).toString("base64url")}`;
    // Holds its seat while we ask.
    const subscription: Subscription = { wanted: [], since: 0 };
    this.#subscriptions.set(id, subscription);
    try {
      subscription.since = await findHead(hub.database, actor.space_id);
      subscription.wanted = wanted;
      this.#position ??= subscription.since;
      if (this.#outlet && !this.#following) await this.#follow(this.#outlet);
    } catch (error) {
      this.unsubscribe(id);
      throw error;
    }
    return id;
  }

  /** False for what there is not. */
  unsubscribe(id: string): boolean {
    if (!this.#subscriptions.delete(id)) return false;
    if (this.size > 0) return true;
    this.#options.seats.giveBack(this.#options.actor.space_id, this);
    this.#stop();
    this.#position = undefined;
    return true;
  }

  /** From now on what is to be told goes there, beginning after `after`, or where it stopped. */
  async attach(outlet: Outlet, after?: string | undefined): Promise<void> {
    try {
      await this.#begin(outlet, after);
    } catch (error) {
      // The client opens another one, and says how far it got.
      this.#options.hub.log.warn("a stream of notifications could not begin", { error });
      outlet.destroy();
    }
  }

  detach(outlet: Outlet): void {
    if (this.#outlet !== outlet) return;
    this.#outlet = undefined;
    this.#without_since = performance.now();
    this.#stop();
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#outlet = undefined;
    for (const id of [...this.#subscriptions.keys()]) this.unsubscribe(id);
  }

  async #begin(outlet: Outlet, after: string | undefined): Promise<void> {
    const { actor, meta } = this.#options;
    const { from, lost } = await this.#resumeAt(after);
    if (outlet.closed || this.#closed) return;
    this.#outlet = outlet;
    if (this.size === 0) return;
    if (from !== undefined) this.#rewind(from);
    if (lost !== undefined) outlet.write(resyncFrame(this.position, lost, { space_id: actor.space_id, meta }));
    await this.#follow(outlet);
  }

  /** Whatever a client says that it last heard: what means nothing here is a position that is lost. */
  async #resumeAt(after: string | undefined): Promise<{ from?: number; lost?: string }> {
    const { hub, actor } = this.#options;
    try {
      const { from, lost } = await resumeAt(hub.ctx(actor), after);
      if (lost === undefined) return from === undefined ? {} : { from };
      return { from: await findHead(hub.database, actor.space_id), lost };
    } catch (error) {
      if (!(error instanceof ParleyError && error.kind === "invalid")) throw error;
      return { from: await findHead(hub.database, actor.space_id), lost: "WATERMARK_INVALID" };
    }
  }

  #rewind(position: number): void {
    this.#position = position;
    for (const subscription of this.#subscriptions.values())
      subscription.since = Math.min(subscription.since, position);
  }

  async #follow(outlet: Outlet): Promise<void> {
    const { hub, actor } = this.#options;
    const opening = Following.open(
      {
        feed: hub.feed,
        db: hub.database,
        space_id: actor.space_id,
        wanted: this.#topics(),
        tell: (event) => this.#tell(event, outlet),
        onrest: () => {},
        onfail: (error) => {
          // Whoever it was comes back with its last position.
          hub.log.warn("a stream of notifications could not read on", { error });
          outlet.destroy();
        },
      },
      this.#position,
    );
    this.#following = opening;
    const following = await opening.catch((error: unknown) => {
      if (this.#following === opening) this.#following = undefined;
      throw error;
    });
    if (this.#following !== opening) return;
    outlet.ondrain = () => following.resume();
    following.resume();
  }

  /** All of what may be asked for: a later subscription then needs no other stream. */
  #topics(): ReadonlyMap<string, { streams: null }> {
    const all = this.#options.notifications.choose(this.#options.actor, { events: [] });
    return new Map(all.map(({ place }) => [place.topic, { streams: null }]));
  }

  #tell(event: FeedEvent, outlet: Outlet): boolean {
    if (this.#outlet !== outlet) return false;
    this.#position = event.id;
    const wanted = this.#wantedOf(event);
    if (!wanted) return true;
    const { notifications, actor, meta } = this.#options;
    const frame = notifications.frame(event, wanted, { space_id: actor.space_id, meta });
    return frame === null || outlet.write(frame);
  }

  /** Once, however many of its subscriptions ask for it. */
  #wantedOf(event: FeedEvent): Notification | undefined {
    for (const { wanted, since } of this.#subscriptions.values()) {
      if (event.id <= since) continue;
      const found = wanted.find(({ place }) => isAt(place, event));
      if (found) return found;
    }
    return undefined;
  }

  #stop(): void {
    const following = this.#following;
    this.#following = undefined;
    following?.then(
      (open) => open[Symbol.dispose](),
      // Then there is nothing to stop, and whoever opened it was told why.
      () => {},
    );
  }
}
