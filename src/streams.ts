import type { Actor } from "./context.ts";

export type StreamKind = "events" | "listen" | "session" | "socket" | "sse" | "wait";

export interface OpenStream {
  kind: StreamKind;
  actor: Actor;
  /** What it waits for, where one may only hold so many open for the same. */
  on?: string;
  /** Ends the response. `revoked` and `dropped` at once, `stopping` with the protocol's goodbye. */
  close: (why: Why) => void;
}

type Why = "revoked" | "dropped" | "stopping" | "expired";

/** For how long a request that was let in before its token was revoked may take to open its stream. */
const REMEMBERED_MS = 30_000;

interface Closing {
  which: (actor: Actor) => boolean;
  why: Why;
  at: number;
}

/** Every long-lived response of this node. */
export class Streams {
  readonly #open = new Set<OpenStream>();
  /** How many a principal has, and how many of them for the same. */
  readonly #counts = new Map<string, number>();
  #closings: Closing[] = [];
  readonly #changed: (kind: StreamKind, change: 1 | -1) => void;

  constructor(changed: (kind: StreamKind, change: 1 | -1) => void = () => {}) {
    this.#changed = changed;
  }

  /** Call the result when the stream has ended by itself. */
  add(stream: OpenStream): () => void {
    this.#open.add(stream);
    this.#count(stream, 1);
    const late = this.#closings.find(({ which }) => which(stream.actor));
    // Not at once: whoever adds it has not been told yet how to take it away again.
    if (late) queueMicrotask(() => this.#open.has(stream) && stream.close(late.why));
    return () => {
      if (this.#open.delete(stream)) this.#count(stream, -1);
    };
  }

  /** Ends those there are, and those that a request is just about to open. */
  close(which: (actor: Actor) => boolean, why: Why): void {
    const at = performance.now();
    this.#closings = [...this.#closings.filter((closing) => closing.at > at - REMEMBERED_MS), { which, why, at }];
    for (const stream of [...this.#open]) if (which(stream.actor)) stream.close(why);
  }

  /** One for each token and space that has a stream open. */
  actors(): Iterable<Actor> {
    return new Map([...this.#open].map(({ actor }) => [`${actor.token_id} ${actor.space_id}`, actor])).values();
  }

  /** Open ones of a principal; with `on`, those that wait for that. Costs the same however many there are. */
  countOf({ principal_id }: Pick<Actor, "principal_id">, on?: string): number {
    return this.#counts.get(keyOf(principal_id, on)) ?? 0;
  }

  /** For tests: goes through all of them. */
  count(which: (stream: OpenStream) => boolean): number {
    let count = 0;
    for (const stream of this.#open) if (which(stream)) count += 1;
    return count;
  }

  #count({ kind, actor, on }: OpenStream, change: 1 | -1): void {
    this.#changed(kind, change);
    for (const key of new Set([keyOf(actor.principal_id, undefined), keyOf(actor.principal_id, on)])) {
      const count = (this.#counts.get(key) ?? 0) + change;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }
}

const keyOf = (principal_id: string, on: string | undefined): string =>
  on === undefined ? principal_id : `${principal_id}\n${on}`;
