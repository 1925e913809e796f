import type { HubError } from "./errors.ts";

export type ClientState =
  | { state: "idle" | "connecting" | "online" }
  /** `since` is when it was last reachable by our own clock, `error` why it is not. */
  | { state: "offline"; since: number; error: HubError }
  /** The credential is no longer good: trying again by itself would not help. */
  | { state: "denied"; error: HubError };

/** How the hub is for us, and who wants to know. */
export class State {
  readonly #guarded: (tell: () => void) => void;
  readonly #listeners = new Set<(state: ClientState) => void>();
  #now: ClientState = { state: "idle" };
  #lost_at: number | undefined;

  constructor(guarded: (tell: () => void) => void) {
    this.#guarded = guarded;
  }

  get now(): ClientState {
    return this.#now;
  }

  /** Whether something was lost that has not been found again, told yet or not. */
  get isLost(): boolean {
    return this.#lost_at !== undefined;
  }

  on(listener: (state: ClientState) => void): () => void {
    this.#listeners.add(listener);
    this.#guarded(() => listener(this.#now));
    return () => void this.#listeners.delete(listener);
  }

  /** A stream broke: it may be there again the next moment. */
  lose(): void {
    this.#lost_at ??= Date.now();
  }

  fail(error: HubError): void {
    this.#lost_at ??= Date.now();
    this.#enter(error.passing ? { state: "offline", since: this.#lost_at, error } : { state: "denied", error });
  }

  /** Whoever knows that something is wrong is not told that all is being tried. */
  connect(): void {
    if (!("error" in this.#now)) this.#enter({ state: "connecting" });
  }

  settle(state: "idle" | "online"): void {
    this.#lost_at = undefined;
    this.#enter({ state });
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
  }

  #enter(state: ClientState): void {
    if (state.state === this.#now.state && state.state !== "offline") return;
    this.#now = state;
    for (const listener of [...this.#listeners]) this.#guarded(() => listener(state));
  }
}
