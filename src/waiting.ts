import type { Actor } from "./context.ts";
import { ParleyError } from "./errors.ts";
import { type Feed, type FeedEvent, listenTo } from "./feed/index.ts";
import type { Streams } from "./streams.ts";

/** Why a wait ended: something happened, the time is over, or nobody is to be answered any more. */
export type Woken = "event" | "time" | "stopping";

/** Is told of every event from the moment it was made: make it, read, then wait, and nothing falls between. */
export interface Waiter extends Disposable {
  /** Resolves at once if something happened since the last call. Throws once the caller may not wait any longer. */
  next(most_ms: number): Promise<Woken>;
  /** Ends a wait from outside, as an event would. */
  wake(): void;
  /** Nobody is there any more to be told or shown anything. */
  gone(): boolean;
}

interface WaitedFor {
  topic: string;
  stream?: string;
  /** Of several that wait for the same, whether this one is to be woken for an event; without it each is. */
  wakes?: (event: FeedEvent) => boolean;
}

/** For tools that wait: hears of what happens on streams of the actor's space, of as many topics. */
export type Wait = (where: WaitedFor, ...also: readonly WaitedFor[]) => Promise<Waiter>;

/** Each that waits reads when it is woken: many on one stream would make every event there cost that often. */
const MOST_ON_ONE_STREAM = 32;

interface Parts {
  feed: Feed;
  streams: Streams;
  actor: Actor;
  /** Aborted when whoever asked has gone. */
  signal: AbortSignal | undefined;
  longest_wait_ms?: number | undefined;
  onwait?: (() => void) | undefined;
}

export const createWait =
  ({ feed, streams, actor, signal, longest_wait_ms = Number.POSITIVE_INFINITY, onwait }: Parts): Wait =>
  async (where, ...also) => {
    const state = new State();
    const until = performance.now() + longest_wait_ms;
    const on = `${actor.space_id} ${where.topic} ${where.stream ?? ""}`;
    refuseMany(streams, actor, on);
    using opened = new DisposableStack();
    const close = (why: string): void => (why === "stopping" ? state.end("stopping") : state.end(ended(why)));
    opened.defer(streams.add({ kind: "wait", actor, on, close }));
    const places = new Map([where, ...also].map((place) => [place.topic, place]));
    const wanted = new Map(
      [...places].map(([topic, { stream }]) => [topic, { streams: stream === undefined ? null : [stream] }]),
    );
    opened.defer(
      await listenTo(feed, { space_id: actor.space_id, wanted }, (event) => {
        if (places.get(event.topic)?.wakes?.(event) ?? true) state.wake();
      }),
    );
    const leave = (): void => state.end("stopping");
    signal?.addEventListener("abort", leave);
    opened.defer(() => signal?.removeEventListener("abort", leave));
    if (signal?.aborted) leave();
    const all = opened.move();
    return {
      next: (most_ms) => {
        if (most_ms > 0) onwait?.();
        return state.next(Math.min(most_ms, until - performance.now()));
      },
      wake: () => state.wake(),
      gone: () => signal?.aborted ?? false,
      [Symbol.dispose]: () => all.dispose(),
    };
  };

function refuseMany(streams: Streams, actor: Actor, on: string): void {
  if (streams.countOf(actor, on) < MOST_ON_ONE_STREAM) return;
  throw new ParleyError(
    "TOO_MANY_WAITS",
    `${MOST_ON_ONE_STREAM} of your calls wait for the same already. End one, or give your waits a name so that a new one takes the old one's place.`,
  );
}

const ended = (why: string): ParleyError =>
  new ParleyError("UNAUTHENTICATED", `This wait is over: the token or the space is no longer there (${why}).`);

class State {
  #happened = false;
  #end: "stopping" | ParleyError | undefined;
  #resolve: ((woken: Woken) => void) | undefined;
  #reject: ((error: ParleyError) => void) | undefined;

  wake(): void {
    this.#happened = true;
    this.#settle();
  }

  end(how: "stopping" | ParleyError): void {
    this.#end ??= how;
    this.#settle();
  }

  next(most_ms: number): Promise<Woken> {
    return new Promise((resolve, reject) => {
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          // Whoever wakes it from now on wakes the next wait: this one is over.
          this.#resolve = undefined;
          this.#reject = undefined;
          settle(value);
        };
      const timer = setTimeout(() => this.#resolve?.("time"), Math.max(0, most_ms));
      this.#resolve = settled(resolve);
      this.#reject = settled(reject);
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#end instanceof ParleyError) this.#reject?.(this.#end);
    else if (this.#end) this.#resolve?.(this.#end);
    else if (this.#happened && this.#resolve) {
      this.#happened = false;
      this.#resolve("event");
    }
  }
}
