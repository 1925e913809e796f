import { Backoff, Pause } from "./backoff.ts";
import type { Client, ResourceContents } from "./client.ts";
import { guarded, HubError } from "./errors.ts";

export interface ResourceError {
  error: true;
  code: string;
  message: string;
}

export type ResourceData = (ResourceContents[] & { error?: undefined }) | ResourceError;

/** Gets what a resource holds each time it may have changed, or why it cannot be read. */
export type ResourceCallback = (data: ResourceData) => void;

export interface SubscriptionManager {
  /** Resolves once the callback was called for the first time. Returns the way to stop. */
  subscribe(uri: string, callback: ResourceCallback): Promise<() => void>;
  /** Reads it once more, for whoever is subscribed. For what changes with time, of which nobody hints. */
  refresh(uri: string): void;
}

/** Keeps callbacks up to date with resources. Hints say when to read; what is read is the truth. */
export function createSubscriptionManager(client: Client): SubscriptionManager {
  const subscriptions = new Map<string, Subscription>();
  return {
    subscribe: async (uri, callback) => {
      const subscription = subscriptions.get(uri) ?? new Subscription(client, uri);
      subscriptions.set(uri, subscription);
      // One that is subscribed twice is called twice and stopped one at a time.
      const own: ResourceCallback = (data) => callback(data);
      const stop = (): void => {
        if (!subscription.remove(own)) return;
        if (subscriptions.get(uri) === subscription) subscriptions.delete(uri);
      };
      await subscription.add(own);
      return stop;
    },
    refresh: (uri) => void subscriptions.get(uri)?.refresh(),
  };
}

class Subscription {
  readonly #client: Client;
  readonly #uri: string;
  readonly #callbacks = new Set<ResourceCallback>();
  readonly #unwatch: () => void;
  readonly #pause = new Pause();
  readonly #backoff: Backoff;
  #latest: ResourceData | undefined;
  #first = Promise.withResolvers<void>();
  #reading = false;
  #again = false;
  #stopped = false;

  constructor(client: Client, uri: string) {
    this.#client = client;
    this.#uri = uri;
    this.#backoff = new Backoff(client.pace);
    this.#unwatch = client.watch(uri, (error) => (error ? this.#deliver(errorOf(error)) : void this.refresh()));
  }

  /** The first one waits for the first read; later ones get what is known at once. */
  async add(callback: ResourceCallback): Promise<void> {
    this.#callbacks.add(callback);
    if (this.#latest) this.#tell(callback, this.#latest);
    else await this.#first.promise;
  }

  /** True for the last one. */
  remove(callback: ResourceCallback): boolean {
    if (!this.#callbacks.delete(callback) || this.#callbacks.size > 0) return false;
    this.#stopped = true;
    this.#unwatch();
    this.#pause.end();
    return true;
  }

  /** One read at a time, and another one after it if there was a hint meanwhile: an older one never replaces a newer. */
  async refresh(): Promise<void> {
    this.#again = true;
    this.#pause.end();
    if (this.#reading) return;
    this.#reading = true;
    for (let failures = 0; this.#again && !this.#stopped; ) {
      this.#again = false;
      const data = await this.#client.read(this.#uri).catch((error: unknown) => error);
      if (Array.isArray(data)) {
        failures = 0;
        this.#backoff.reset();
        this.#deliver(data);
        continue;
      }
      failures += 1;
      const passing = isPassing(data) && !this.#client.disposed;
      // One that fails once and succeeds the next moment is nobody's concern.
      if (!passing || failures > 1) this.#deliver(errorOf(data));
      if (!passing) continue;
      this.#again = true;
      await this.#pause.for(this.#backoff.next());
    }
    this.#reading = false;
  }

  #deliver(data: ResourceData): void {
    if (this.#stopped) return;
    this.#latest = data;
    for (const callback of [...this.#callbacks]) this.#tell(callback, data);
    this.#first.resolve();
  }

  #tell(callback: ResourceCallback, data: ResourceData): void {
    guarded(this.#client.report)(() => callback(data));
  }
}

/** Contents that make no sense may make sense the next time, and nobody else will hint at it. */
const isPassing = (error: unknown): boolean =>
  error instanceof HubError && (error.passing || error.code === "INVALID_CONTENTS");

const errorOf = (error: unknown): ResourceError =>
  error instanceof HubError
    ? { error: true, code: error.code, message: error.message }
    : { error: true, code: "INTERNAL", message: String(error) };
