import { setTimeout as pause } from "node:timers/promises";
import { Backoff } from "../../client/backoff.ts";
import { type Followed, Unsupported } from "../resources.ts";
import type { ServerResources } from "./server.ts";

interface Parts {
  name: string;
  pace: { first_ms: number; most_ms: number };
  /** The mount is over. */
  signal: AbortSignal;
  /** What a subscription is has become another. */
  changed: () => void;
  /** While it was not followed it may have changed. */
  missed: (uri: string) => void;
}

type State = Pick<Followed, "present" | "active" | "last_error">;

/** What is followed of one server: wanted for as long as nobody ends it, and taken up again whenever the server is back. */
export class FollowedResources {
  readonly #parts: Parts;
  readonly #states = new Map<string, State>();
  /** What the server may tell of already, though it has not said that it will. */
  readonly #beginning = new Set<string>();
  #resources: ServerResources | undefined;
  /** One at a time takes up what is missing. */
  #loop = new AbortController();

  constructor(parts: Parts, uris: Iterable<string>) {
    this.#parts = parts;
    for (const uri of uris) this.#states.set(uri, away("It was not there yet."));
  }

  get all(): Followed[] {
    return [...this.#states].map(([uri, state]) => ({ server: this.#parts.name, uri, ...state }));
  }

  /** The server is there. */
  attach(resources: ServerResources | undefined): void {
    this.#resources = resources;
    this.#takeUp();
  }

  detach(why: string): void {
    this.#resources = undefined;
    this.#loop.abort();
    for (const uri of this.#states.keys()) this.#states.set(uri, away(why));
  }

  /** It is there, and tells nothing any more. */
  lost(why: string): void {
    for (const [uri, { present }] of this.#states)
      this.#states.set(uri, { present, active: false, last_error: why.slice(0, 500) });
    this.#parts.changed();
    this.#takeUp();
  }

  /** From elsewhere, such as from before a restart. */
  want(uri: string): void {
    if (this.#states.has(uri)) return;
    this.#states.set(uri, away("It was not there yet."));
    this.#takeUp();
  }

  async add(uri: string, signal: AbortSignal): Promise<void> {
    const { name } = this.#parts;
    const resources = this.#resources;
    if (!resources?.can_follow) throw new Unsupported(`${name} does not tell when its resources change.`);
    this.#beginning.add(uri);
    try {
      await resources.follow(uri, signal);
      this.#states.set(uri, FOLLOWED);
    } finally {
      this.#beginning.delete(uri);
    }
  }

  /** A part of something, too: servers may tell of those. */
  isWanted(uri: string): boolean {
    return [...this.#states.keys(), ...this.#beginning].some((one) => isPartOf(uri, one));
  }

  /** Whatever the server says to it: from here on nobody wants it. */
  async remove(uri: string, signal: AbortSignal): Promise<void> {
    this.#states.delete(uri);
    await this.#resources?.unfollow(uri, signal).catch(() => signal.throwIfAborted());
  }

  #takeUp(): void {
    this.#loop.abort();
    this.#loop = new AbortController();
    void this.#untilTaken(AbortSignal.any([this.#loop.signal, this.#parts.signal]));
  }

  /** With growing pauses, as long as the server is there and something is missing that it might have again. */
  async #untilTaken(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#parts.pace);
    while (!signal.aborted) {
      const open = [...this.#states].filter(([, { active }]) => !active);
      const resources = this.#resources;
      if (open.length === 0 || !resources) return;
      for (const [uri] of open) if (!signal.aborted) await this.#take(resources, uri);
      this.#parts.changed();
      if (!resources.can_follow) return;
      await pause(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }

  async #take(resources: ServerResources, uri: string): Promise<void> {
    const { signal, missed } = this.#parts;
    const state = await follow(resources, uri, signal);
    // Ended, or the server gone, while it was asked.
    if (!this.#states.has(uri) || this.#resources !== resources) return;
    this.#states.set(uri, state);
    if (state.active) missed(uri);
  }
}

const isPartOf = (uri: string, whole: string): boolean =>
  uri.startsWith(whole) &&
  (uri.length === whole.length || whole.endsWith("/") || /^[/?#]/.test(uri.slice(whole.length)));

const FOLLOWED: State = { present: true, active: true, last_error: null };
const away = (why: string): State => ({ present: false, active: false, last_error: why.slice(0, 500) });

async function follow(resources: ServerResources, uri: string, signal: AbortSignal): Promise<State> {
  if (!resources.can_follow) return { ...away("It no longer tells when its resources change."), present: true };
  try {
    await resources.follow(uri, signal);
    return FOLLOWED;
  } catch (error) {
    return away(error instanceof Error ? error.message : String(error));
  }
}
