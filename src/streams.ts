import type { Actor } from "./context.ts";

export type StreamKind = "events" | "listen" | "session" | "sse" | "wait";

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
  #closings: Closing[] = [];
  readonly #changed: (kind: StreamKind, change: 1 | -1) => void;

  constructor(changed: (kind: StreamKind, change: 1 | -1) => void = () => {}) {
    this.#changed = changed;
  }

  /** Call the result when the stream has ended by itself. */
  add(stream: OpenStream): () => void {
    this.#open.add(stream);
    this.#changed(stream.kind, 1);
    const late = this.#closings.find(({ which }) => which(stream.actor));
    // Not at once: whoever adds it has not been told yet how to take it away again.
    if (late) queueMicrotask(() => this.#open.has(stream) && stream.close(late.why));
    return () => {
      if (this.#open.delete(stream)) this.#changed(stream.kind, -1);
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

  count(which: (stream: OpenStream) => boolean): number {
    let count = 0;
    for (const stream of this.#open) if (which(stream)) count += 1;
    return count;
  }
}
