import type { HubError } from "./errors.ts";

/**
 * Without an error: read now. With one: reading is of no use just now, and why. `anew` when the hub has just begun to
 * listen for us: it may be another one than before, or the same with less in it. `about` is what the hub says of it along
 * with the hint, which may be nothing.
 */
export type Hint = (error?: HubError, anew?: boolean, about?: Record<string, unknown>) => void;

/** Who wants to be told of which URI. */
export class Watchers {
  readonly #guarded: (tell: () => void) => void;
  readonly #hints = new Map<string, Set<Hint>>();

  constructor(guarded: (tell: () => void) => void) {
    this.#guarded = guarded;
  }

  get uris(): string[] {
    return [...this.#hints.keys()];
  }

  get isEmpty(): boolean {
    return this.#hints.size === 0;
  }

  has(uri: string): boolean {
    return this.#hints.has(uri);
  }

  add(uri: string, hint: Hint): void {
    this.#hints.set(uri, (this.#hints.get(uri) ?? new Set()).add(hint));
  }

  /** True for the last one of a URI. */
  remove(uri: string, hint: Hint): boolean {
    const hints = this.#hints.get(uri);
    if (!hints?.delete(hint) || hints.size > 0) return false;
    return this.#hints.delete(uri);
  }

  tell(uri: string, ...told: Parameters<Hint>): void {
    for (const hint of [...(this.#hints.get(uri) ?? [])]) this.#guarded(() => hint(...told));
  }

  /** Tells one alone, not before it knows how to stop. */
  soon(uri: string, hint: Hint, error?: HubError): void {
    queueMicrotask(() => this.#hints.get(uri)?.has(hint) && this.#guarded(() => hint(error)));
  }

  clear(): void {
    this.#hints.clear();
  }
}
