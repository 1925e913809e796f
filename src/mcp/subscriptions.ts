import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { type FeedEvent, type Listener, listenTo } from "../feed/index.ts";
import type { Hub } from "../hub.ts";
import { type FeedPlace, isAt, type Watch } from "../resource.ts";
import { bareHint, type Hint, type Hints } from "./hints.ts";

interface Options {
  hub: Hub;
  hints: Hints;
  /** How many URIs at most. */
  most: number;
  tell: (uri: string, hint: Hint) => void;
}

export const tooManyUris = (most: number): ParleyError =>
  new ParleyError(
    "TOO_MANY_SUBSCRIPTIONS",
    `At most ${most} resources can be followed at once. Unsubscribe from some.`,
  );

const wantedAt = ({ topic, stream }: FeedPlace) =>
  new Map([[topic, { streams: stream === undefined ? null : [stream] }]]);

/** The resources one client follows. A URI is followed only if its principal may read it. */
export class Subscriptions implements Disposable {
  readonly #options: Options;
  readonly #followed = new Map<string, Promise<() => void>>();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  has(uri: string): boolean {
    return this.#followed.has(uri);
  }

  /** From the moment it resolves every hint is told. Throws for what is not there and what is not yours alike. */
  async add(actor: Actor, uri: string): Promise<void> {
    const { most } = this.#options;
    if (this.#closed) return;
    if (!this.#followed.has(uri) && this.#followed.size >= most) throw tooManyUris(most);
    const following = this.#followed.get(uri) ?? this.#follow(actor, uri);
    this.#followed.set(uri, following);
    try {
      await following;
    } catch (error) {
      this.#followed.delete(uri);
      throw error;
    }
  }

  remove(uri: string): void {
    const following = this.#followed.get(uri);
    this.#followed.delete(uri);
    following?.then(
      (stop) => stop(),
      // Then there is nothing to stop, and whoever asked for it was told why.
      () => {},
    );
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const uri of [...this.#followed.keys()]) this.remove(uri);
  }

  async #follow(actor: Actor, uri: string): Promise<() => void> {
    const { hub } = this.#options;
    const watch = await hub.resources.watch(actor, uri);
    using listening = new DisposableStack();
    for (const place of watch.places)
      listening.defer(
        await listenTo(
          hub.feed,
          { space_id: actor.space_id, wanted: wantedAt(place) },
          this.#listener(uri, watch, place),
        ),
      );
    const all = listening.move();
    return () => all.dispose();
  }

  #listener(uri: string, watch: Watch, place: FeedPlace): Listener {
    const { hints, tell } = this.#options;
    const hintOf = (event: FeedEvent): Hint | null =>
      this.#followed.has(uri) && isAt(place, event) ? hints.of(event, uri, watch) : null;
    if (!place.merged)
      return (event) => {
        const hint = hintOf(event);
        if (hint) tell(uri, hint);
      };
    const tellBare = (): void => {
      if (this.#followed.has(uri)) tell(uri, bareHint(uri));
    };
    return (event) => {
      if (hintOf(event)) hints.later(tellBare);
    };
  }
}
