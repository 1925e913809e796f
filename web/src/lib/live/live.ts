import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { HubError } from "$client/index.ts";

const AGAIN_MS = 1500;
/** So often a trouble that may pass is tried again before it is told. */
const QUIET_TRIES = 3;

/** So long the first read waits to be listened to, so that it need not be read twice. */
const FIRST_MS = 1000;

export interface LiveHint {
  /** Undefined where nothing could be listened to: anything may have changed. */
  uri?: string;
  /** It was not listened to before. */
  anew: boolean;
  /** What the hub says of it, as far as it does. */
  about: Record<string, unknown>;
}

export interface LiveOptions {
  /** What says that it may have changed. */
  uris: readonly string[];
  read: () => Promise<void>;
  fail: (sentence: string) => void;
  /** False where somebody else reads what has changed there. */
  heeds?: (hint: LiveHint) => boolean;
  /** So long a read waits for what else happens, and at most so often there is one: for what is told of often. */
  gather?: { first_ms: number; next_ms: number };
}

/**
 * Reads once it is listened to and whenever one of the resources may have changed. One read at a time, and another one
 * after it if there was a hint meanwhile: an older answer never replaces a newer one.
 */
export class Live {
  readonly #options: LiveOptions;
  readonly #unwatches: (() => void)[];
  readonly #first: ReturnType<typeof setTimeout>;
  #running: Promise<void> | undefined;
  #again = false;
  /** Somebody waits for it. */
  #asked = false;
  #failed = false;
  #stopped = false;
  #read_at = Number.NEGATIVE_INFINITY;
  /** Ends the pause before another try. */
  #wake: (() => void) | undefined;

  constructor(hub: Pick<Hub, "client">, options: LiveOptions) {
    this.#options = options;
    const heeds = (hint: LiveHint): boolean => options.heeds?.(hint) ?? true;
    // Where the hub is away the page says so, and the hint comes when it is back.
    this.#unwatches = options.uris.map((uri) =>
      hub.client.watch(uri, (error, anew = false, about = {}) => {
        if (!error && heeds({ uri, anew, about })) this.#soon();
      }),
    );
    // Where nothing can be listened to there is something to be seen all the same.
    this.#first = setTimeout(() => {
      if (heeds({ anew: true, about: {} })) void this.refresh();
    }, FIRST_MS);
  }

  /** Resolves once what was true when it was called has been read, however often that takes, or was refused. */
  refresh(): Promise<void> {
    this.#asked = true;
    this.#soon();
    this.#wake?.();
    return this.#running ?? Promise.resolve();
  }

  #soon(): void {
    clearTimeout(this.#first);
    this.#again = true;
    // What failed may work now. What is gathered is not to be hurried.
    if (this.#failed) this.#wake?.();
    this.#running ??= this.#run();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#first);
    this.#wake?.();
    for (const unwatch of this.#unwatches) unwatch();
  }

  async #run(): Promise<void> {
    // Let whoever asks in this turn be part of it.
    await Promise.resolve();
    let tries = 0;
    while (this.#again && !this.#stopped) {
      await this.#gathered();
      if (this.#stopped) break;
      this.#again = false;
      try {
        await this.#options.read();
        tries = 0;
      } catch (error) {
        if (this.#stopped) break;
        tries += 1;
        const passing = error instanceof HubError && error.passing ? error : undefined;
        // That the hub is away, the page says above everything else.
        const quiet = passing && (passing.code === "HUB_UNREACHABLE" || tries < QUIET_TRIES);
        if (!quiet) this.#options.fail(sentenceOf(error));
        if (passing) await this.#pause();
      }
    }
    // In the same turn as the last look at what is wanted: a refresh that is asked for later begins another run.
    this.#running = undefined;
  }

  async #pause(): Promise<void> {
    this.#again = true;
    this.#failed = true;
    await this.#wait(AGAIN_MS);
    this.#failed = false;
  }

  async #gathered(): Promise<void> {
    const { first_ms, next_ms } = this.#options.gather ?? { first_ms: 0, next_ms: 0 };
    const wait_ms = Math.max(first_ms, this.#read_at + next_ms - performance.now());
    if (wait_ms > 0 && !this.#asked) await this.#wait(wait_ms);
    this.#asked = false;
    this.#read_at = performance.now();
  }

  async #wait(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
