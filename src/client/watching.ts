import { Backoff, type Pace, Pause } from "./backoff.ts";
import { type HubError, hubErrorOf, isObject, unreachable } from "./errors.ts";
import type { Notification, Protocol } from "./protocol.ts";

export type ClientState =
  | { state: "idle" | "connecting" | "online" }
  /** `since` is when it was last reachable by our own clock, `error` why it is not. */
  | { state: "offline"; since: number; error: HubError }
  /** The credential is no longer good: trying again by itself would not help. */
  | { state: "denied"; error: HubError };

/** Without an error: read now. With one: reading is of no use just now, and why. */
export type Hint = (error?: HubError) => void;

/** An open stream and the URIs it was asked for. */
interface Stream {
  uris: readonly string[];
  controller: AbortController;
  opened_at: number;
}

/** What the hub takes on one stream. */
const MOST_URIS = 100;
/** A stream that lived for so long was a good one: the next loss is a new one. */
const GOOD_MS = 2000;

/**
 * Everything one client watches, on as few streams as the hub allows. What is new gets a stream of its own, together
 * with smaller ones there are: those are closed once it is acknowledged, so nothing falls in between. When a stream
 * breaks another one takes its place, and whoever was on it is hinted: what happened meanwhile can only be found by reading.
 */
export class Watching implements Disposable {
  readonly #protocol: Protocol;
  readonly #report: (error: unknown) => void;
  readonly #pace: Pace;
  readonly #backoff: Backoff;
  readonly #pause = new Pause();
  readonly #hints = new Map<string, Set<Hint>>();
  /** Which stream tells of a URI. */
  readonly #carriers = new Map<string, Stream>();
  /** What the hub does not know, or not for us; with false once it is to be asked again, as it is now and then. */
  readonly #unknown = new Map<string, boolean>();
  readonly #listeners = new Set<(state: ClientState) => void>();
  #state: ClientState = { state: "idle" };
  #tending = false;
  #lost_at: number | undefined;
  #opening: AbortController | undefined;
  #askAgain: ReturnType<typeof setTimeout> | undefined;

  constructor(protocol: Protocol, { pace, report }: { pace: Pace; report: (error: unknown) => void }) {
    this.#protocol = protocol;
    this.#report = report;
    this.#pace = pace;
    this.#backoff = new Backoff(pace);
  }

  add(uri: string, hint: Hint): () => void {
    const hints = this.#hints.get(uri) ?? new Set();
    this.#hints.set(uri, hints.add(hint));
    // Listened to already, there is only the reading left to do.
    if (this.#carriers.has(uri) || this.#unknown.get(uri)) this.#soon(hints, hint);
    else this.#tend();
    // It may take a while until the next attempt.
    if (this.#state.state === "offline") this.#soon(hints, hint, this.#state.error);
    return () => this.#remove(uri, hint);
  }

  onState(listener: (state: ClientState) => void): () => void {
    this.#listeners.add(listener);
    this.#guarded(() => listener(this.#state));
    return () => void this.#listeners.delete(listener);
  }

  /** Tries at once instead of waiting: somebody knows that it may work now. */
  retry(): void {
    this.#backoff.reset();
    this.#pause.end();
    this.#tend();
  }

  [Symbol.dispose](): void {
    this.#hints.clear();
    this.#rest();
    this.#listeners.clear();
  }

  #remove(uri: string, hint: Hint): void {
    const hints = this.#hints.get(uri);
    if (!hints?.delete(hint) || hints.size > 0) return;
    this.#hints.delete(uri);
    this.#unknown.delete(uri);
    const stream = this.#carriers.get(uri);
    this.#carriers.delete(uri);
    // A URI too many on a stream costs a hint that nobody hears; a stream for nobody costs a connection.
    if (stream && !stream.uris.some((uri) => this.#carriers.get(uri) === stream)) stream.controller.abort();
    if (this.#hints.size === 0) this.#rest();
  }

  #rest(): void {
    for (const stream of new Set(this.#carriers.values())) stream.controller.abort();
    this.#carriers.clear();
    this.#unknown.clear();
    clearTimeout(this.#askAgain);
    this.#askAgain = undefined;
    this.#lost_at = undefined;
    this.#opening?.abort();
    this.#pause.end();
    this.#enter({ state: "idle" });
  }

  #tend(): void {
    if (this.#tending) return;
    this.#tending = true;
    void this.#listenToAll().finally(() => {
      this.#tending = false;
      // Somebody came in between the last look and now.
      if (this.#state.state !== "denied" && this.#missing().length > 0) this.#tend();
    });
  }

  async #listenToAll(): Promise<void> {
    // Let everybody who comes in this turn be part of it.
    await Promise.resolve();
    if (this.#missing().length > 0 && !("error" in this.#state)) this.#enter({ state: "connecting" });
    if (this.#lost_at !== undefined) await this.#pause.for(this.#backoff.next());
    for (let uris = this.#missing(); uris.length > 0; uris = this.#missing())
      try {
        await this.#open(uris.slice(0, MOST_URIS));
      } catch (error) {
        const known = hubErrorOf(error);
        this.#fail(known, uris);
        if (!known.passing) return;
        await this.#pause.for(this.#backoff.next());
      }
    this.#lost_at = undefined;
    if (this.#hints.size > 0) this.#enter({ state: "online" });
  }

  #missing(): string[] {
    return [...this.#hints.keys()].filter((uri) => !this.#carriers.has(uri) && !this.#unknown.get(uri));
  }

  #fail(error: HubError, uris: readonly string[]): void {
    this.#lost_at ??= Date.now();
    this.#enter(error.passing ? { state: "offline", since: this.#lost_at, error } : { state: "denied", error });
    for (const uri of uris) this.#hint(uri, error);
  }

  async #open(fresh: readonly string[]): Promise<void> {
    const merged = this.#mergeable(fresh.length);
    const uris = [...fresh, ...merged.flatMap((stream) => this.#carriedBy(stream))];
    const stream: Stream = { uris, controller: new AbortController(), opened_at: performance.now() };
    this.#opening = stream.controller;
    const honoured = await this.#acknowledged(stream);
    this.#opening = undefined;
    // Still unknown, it reads as it did.
    const news = fresh.filter((uri) => honoured.has(uri) || !this.#unknown.has(uri));
    for (const uri of uris)
      if (!this.#hints.has(uri)) continue;
      else if (honoured.has(uri)) this.#carry(uri, stream);
      else this.#leaveOut(uri);
    for (const old of merged) old.controller.abort();
    if (this.#carriedBy(stream).length === 0) stream.controller.abort();
    for (const uri of news) this.#hint(uri);
  }

  /**
   * Streams to take into a new one, smallest first: as long as they are not much larger than what they join, each URI
   * is asked for a few times at most, however many come one after another.
   */
  #mergeable(fresh: number): Stream[] {
    const sizes = [...new Set(this.#carriers.values())].map((stream) => ({
      stream,
      size: this.#carriedBy(stream).length,
    }));
    const merged: Stream[] = [];
    let total = fresh;
    for (const { stream, size } of sizes.sort((a, b) => a.size - b.size)) {
      if (size > 2 * total || total + size > MOST_URIS) break;
      merged.push(stream);
      total += size;
    }
    return merged;
  }

  #carriedBy(stream: Stream): string[] {
    return stream.uris.filter((uri) => this.#carriers.get(uri) === stream);
  }

  #carry(uri: string, stream: Stream): void {
    this.#carriers.set(uri, stream);
    this.#unknown.delete(uri);
  }

  #leaveOut(uri: string): void {
    this.#carriers.delete(uri);
    this.#unknown.set(uri, true);
    this.#askAgain ??= setTimeout(() => this.#askAboutUnknown(), this.#pace.most_ms);
  }

  #askAboutUnknown(): void {
    clearTimeout(this.#askAgain);
    this.#askAgain = undefined;
    for (const uri of this.#unknown.keys()) this.#unknown.set(uri, false);
    this.#tend();
  }

  /** Resolves with what the hub listens to; goes on reading in the background. */
  #acknowledged(stream: Stream): Promise<ReadonlySet<string>> {
    return new Promise((resolve, reject) => {
      void this.#read(stream, resolve)
        .then(() => unreachable("the stream ended"), hubErrorOf)
        .then((error) => {
          reject(error);
          this.#ended(stream);
        });
    });
  }

  async #read(stream: Stream, acknowledged: (uris: ReadonlySet<string>) => void): Promise<void> {
    const { uris, controller } = stream;
    const params = { notifications: { resourceSubscriptions: uris } };
    await this.#protocol.stream({ method: "subscriptions/listen", params, controller }, (told) => {
      if (told.method === "notifications/subscriptions/acknowledged") acknowledged(honouredOf(told));
      else if (told.method === "notifications/resources/updated") this.#hint(String(told.params.uri));
    });
  }

  #ended(stream: Stream): void {
    const lost = this.#carriedBy(stream);
    if (lost.length === 0) return;
    for (const uri of lost) this.#carriers.delete(uri);
    this.#lost_at ??= Date.now();
    if (performance.now() - stream.opened_at > GOOD_MS) this.#backoff.reset();
    // What was unknown to that hub may be known to the one that comes back.
    this.#askAboutUnknown();
  }

  #hint(uri: string, error?: HubError): void {
    for (const hint of [...(this.#hints.get(uri) ?? [])]) this.#guarded(() => hint(error));
  }

  #soon(hints: ReadonlySet<Hint>, hint: Hint, error?: HubError): void {
    queueMicrotask(() => hints.has(hint) && this.#guarded(() => hint(error)));
  }

  /** Whoever throws disturbs nobody else. */
  #guarded(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#report(error);
    }
  }

  #enter(state: ClientState): void {
    if (state.state === this.#state.state && state.state !== "offline") return;
    this.#state = state;
    for (const listener of [...this.#listeners]) this.#guarded(() => listener(state));
  }
}

function honouredOf({ params }: Notification): ReadonlySet<string> {
  const { resourceSubscriptions } = isObject(params.notifications) ? params.notifications : {};
  return new Set(Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map(String) : []);
}
