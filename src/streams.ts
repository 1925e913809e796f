import type { Actor } from "./context.ts";

export type StreamKind = "events" | "listen" | "session" | "sse";

export interface OpenStream {
  kind: StreamKind;
  actor: Actor;
  /** Ends the response. `revoked` and `dropped` at once, `stopping` with the protocol's goodbye. */
  close: (why: "revoked" | "dropped" | "stopping" | "expired") => void;
}

/** Every long-lived response of this node. */
export class Streams {
  readonly #open = new Set<OpenStream>();
  readonly #changed: (kind: StreamKind, change: 1 | -1) => void;

  constructor(changed: (kind: StreamKind, change: 1 | -1) => void = () => {}) {
    this.#changed = changed;
  }

  /** Call the result when the stream has ended by itself. */
  add(stream: OpenStream): () => void {
    this.#open.add(stream);
    this.#changed(stream.kind, 1);
    return () => {
      if (this.#open.delete(stream)) this.#changed(stream.kind, -1);
    };
  }

  close(which: (actor: Actor) => boolean, why: Parameters<OpenStream["close"]>[0]): void {
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
