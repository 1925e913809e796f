import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { HubError } from "$client/index.ts";

const AGAIN_MS = 1500;
/** So often a trouble that may pass is tried again before it is told. */
const QUIET_TRIES = 3;

/** So long the first read waits to be listened to, so that it need not be read twice. */
const FIRST_MS = 1000;

/**
 * Reads once it is listened to and whenever one of the resources may have changed. One read at a time, and another one after it if there was
 * a hint meanwhile: an older answer never replaces a newer one.
 */
export class Live {
  readonly #read: () => Promise<void>;
  readonly #fail: (sentence: string) => void;
  readonly #unwatches: (() => void)[];
  readonly #first: ReturnType<typeof setTimeout>;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** Ends the pause before another try. */
  #wake: (() => void) | undefined;

  /** `skips` where somebody else reads what has changed there; without a URI, what may have changed anywhere. */
  constructor(
    hub: Pick<Hub, "client">,
    uris: readonly string[],
    read: () => Promise<void>,
    fail: (sentence: string) => void,
    skips: (uri?: string) => boolean = () => false,
  ) {
    this.#read = read;
    this.#fail = fail;
    // Where the hub is away the page says so, and the hint comes when it is back.
    this.#unwatches = uris.map((uri) =>
      hub.client.watch(uri, (error, anew) => {
        if (!error && !skips(anew ? undefined : uri)) void this.refresh();
      }),
    );
    // Where nothing can be listened to there is something to be seen all the same.
    this.#first = setTimeout(() => {
      if (!skips()) void this.refresh();
    }, FIRST_MS);
  }

  /** Resolves once what was true when it was called has been read, however often that takes, or was refused. */
  refresh(): Promise<void> {
    clearTimeout(this.#first);
    this.#again = true;
    this.#wake?.();
    this.#running ??= this.#run();
    return this.#running;
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
      this.#again = false;
      try {
        await this.#read();
        tries = 0;
      } catch (error) {
        if (this.#stopped) break;
        tries += 1;
        const passing = error instanceof HubError && error.passing ? error : undefined;
        // That the hub is away, the page says above everything else.
        const quiet = passing && (passing.code === "HUB_UNREACHABLE" || tries < QUIET_TRIES);
        if (!quiet) this.#fail(sentenceOf(error));
        if (passing) await this.#pause();
      }
    }
    // In the same turn as the last look at what is wanted: a refresh that is asked for later begins another run.
    this.#running = undefined;
  }

  async #pause(): Promise<void> {
    this.#again = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, AGAIN_MS);
    });
    this.#wake = undefined;
  }
}
