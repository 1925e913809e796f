import { Backoff, type Pace, Pause } from "./backoff.ts";
import { Carriers, MOST_URIS, type Stream } from "./carriers.ts";
import { guarded, hubErrorOf } from "./errors.ts";
import { listenTo } from "./listening.ts";
import type { Protocol } from "./protocol.ts";
import { type ClientState, State } from "./state.ts";
import { Unknown } from "./unknown.ts";
import { type Hint, Watchers } from "./watchers.ts";

/** A stream that lived for so long was a good one: the next loss is a new one. */
const GOOD_MS = 2000;
/** Why a stream ended that nobody wants any more. */
const CLOSED = "closed";

/**
 * Everything one client watches, on as few streams as the hub allows. What is new gets a stream of its own, together
 * with smaller ones there are, which are closed once it is acknowledged. When a stream breaks another one takes its
 * place. Whoever gets another stream is hinted: what the old one did not tell can only be found by reading.
 */
export class Watching implements Disposable {
  readonly #protocol: Protocol;
  readonly #backoff: Backoff;
  readonly #pause = new Pause();
  readonly #watchers: Watchers;
  readonly #carriers = new Carriers();
  readonly #unknown: Unknown;
  readonly #state: State;
  #tending = false;
  #asleep = false;
  #listens_once = false;
  #opening: AbortController | undefined;

  constructor(protocol: Protocol, { pace, report }: { pace: Pace; report: (error: unknown) => void }) {
    this.#protocol = protocol;
    this.#backoff = new Backoff(pace);
    const guard = guarded(report);
    this.#watchers = new Watchers(guard);
    this.#state = new State(guard);
    this.#unknown = new Unknown(pace.most_ms, () => this.#tend());
  }

  add(uri: string, hint: Hint): () => void {
    this.#watchers.add(uri, hint);
    // Listened to already, there is only the reading left to do.
    if (this.#carriers.has(uri) || this.#unknown.isSettled(uri)) this.#watchers.soon(uri, hint);
    else this.#tend();
    const state = this.#state.now;
    // It may take a while until the next attempt.
    if (state.state === "offline") this.#watchers.soon(uri, hint, state.error);
    return () => this.#remove(uri, hint);
  }

  onState(listener: (state: ClientState) => void): () => void {
    return this.#state.on(listener);
  }

  /** Tries at once instead of waiting: somebody knows that it may work now. */
  retry(): void {
    this.#backoff.reset();
    this.#pause.end();
    this.#tend();
  }

  /** Closes the streams and opens none; what is watched stays watched. */
  sleep(): void {
    this.#listens_once = false;
    if (this.#asleep) return;
    this.#asleep = true;
    this.#close();
  }

  /** Listens again and hints at everything: it may have changed meanwhile. */
  wake(): void {
    this.#listens_once = false;
    if (!this.#asleep) return;
    this.#asleep = false;
    this.#backoff.reset();
    this.#unknown.ask();
  }

  /** Wakes until everything was listened to once. */
  look(): void {
    this.wake();
    this.#listens_once = true;
    this.#tend();
  }

  [Symbol.dispose](): void {
    this.#watchers.clear();
    this.#rest();
    this.#state[Symbol.dispose]();
  }

  #remove(uri: string, hint: Hint): void {
    if (!this.#watchers.remove(uri, hint)) return;
    this.#unknown.delete(uri);
    this.#carriers.drop(uri);
    if (this.#watchers.isEmpty) this.#rest();
  }

  #rest(): void {
    this.#close();
    this.#unknown.clear();
    this.#state.settle("idle");
  }

  #close(): void {
    this.#carriers.closeAll();
    this.#opening?.abort(CLOSED);
    this.#pause.end();
  }

  #tend(): void {
    if (this.#tending) return;
    this.#tending = true;
    void this.#listenToAll().finally(() => {
      this.#tending = false;
      // Somebody came in between the last look and now.
      if (this.#state.now.state !== "denied" && this.#missing().length > 0) this.#tend();
      else if (this.#listens_once) this.sleep();
    });
  }

  async #listenToAll(): Promise<void> {
    // Let everybody who comes in this turn be part of it.
    await Promise.resolve();
    if (this.#missing().length > 0) this.#state.connect();
    if (this.#state.isLost) await this.#pause.for(this.#backoff.next());
    for (let uris = this.#missing(); uris.length > 0; uris = this.#missing())
      try {
        await this.#open(uris.slice(0, MOST_URIS));
      } catch (error) {
        // Closed by ourselves: the hub has nothing to do with it.
        if (this.#opening?.signal.reason === CLOSED) continue;
        const known = hubErrorOf(error);
        this.#state.fail(known);
        for (const uri of uris) this.#watchers.tell(uri, known);
        if (!known.passing) return;
        await this.#pause.for(this.#backoff.next());
      }
    // How the hub is, nobody knows who does not ask.
    if (!this.#asleep) this.#state.settle(this.#watchers.isEmpty ? "idle" : "online");
  }

  #missing(): string[] {
    if (this.#asleep) return [];
    return this.#watchers.uris.filter((uri) => !this.#carriers.has(uri) && !this.#unknown.isSettled(uri));
  }

  async #open(fresh: readonly string[]): Promise<void> {
    const merged = this.#carriers.mergeable(fresh.length);
    const uris = [...fresh, ...merged.flatMap((stream) => this.#carriers.urisOf(stream))];
    const stream: Stream = { uris, controller: new AbortController(), opened_at: performance.now() };
    this.#opening = stream.controller;
    const honoured = await listenTo(this.#protocol, stream, {
      updated: (uri, about) => this.#watchers.tell(uri, undefined, false, about),
      ended: () => this.#ended(stream),
    });
    this.#opening = undefined;
    this.#take(stream, honoured);
    for (const old of merged) old.controller.abort();
  }

  /** Puts on the stream what the hub listens to, and tells who has not been on it before. */
  #take(stream: Stream, honoured: ReadonlySet<string>): void {
    const news: { uri: string; anew: boolean }[] = [];
    for (const uri of stream.uris.filter((uri) => this.#watchers.has(uri))) {
      // What is still unknown reads as it did. On the stream before there may be a hint that has not arrived.
      if (honoured.has(uri) || !this.#unknown.has(uri)) news.push({ uri, anew: !this.#carriers.has(uri) });
      if (honoured.has(uri)) this.#carry(uri, stream);
      else this.#leaveOut(uri);
    }
    this.#carriers.closeUnused(stream);
    for (const { uri, anew } of news) this.#watchers.tell(uri, undefined, anew);
  }

  #carry(uri: string, stream: Stream): void {
    this.#carriers.carry(uri, stream);
    this.#unknown.delete(uri);
  }

  #leaveOut(uri: string): void {
    this.#carriers.drop(uri);
    this.#unknown.add(uri);
  }

  #ended(stream: Stream): void {
    if (this.#carriers.lose(stream).length === 0) return;
    this.#state.lose();
    if (performance.now() - stream.opened_at > GOOD_MS) this.#backoff.reset();
    // What was unknown to that hub may be known to the one that comes back.
    this.#unknown.ask();
  }
}
