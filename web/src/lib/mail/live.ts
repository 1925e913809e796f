import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { HubError } from "$client/index.ts";

const AGAIN_MS = 1500;
/** So often a trouble that may pass is tried again before it is told. */
const QUIET_TRIES = 3;

export const inboxUri = (name: string): string => `parley://mail/${encodeURIComponent(name)}/inbox`;

/**
 * Reads at once and whenever the resource may have changed. One read at a time, and another one after it if there was
 * a hint meanwhile: an older answer never replaces a newer one.
 */
export class Live {
  readonly #read: () => Promise<void>;
  readonly #fail: (sentence: string) => void;
  readonly #unwatch: () => void;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** Ends the pause before another try. */
  #wake: (() => void) | undefined;

  constructor(hub: Hub, uri: string, read: () => Promise<void>, fail: (sentence: string) => void) {
    this.#read = read;
    this.#fail = fail;
    // Where the hub is away the page says so, and the hint comes when it is back.
    this.#unwatch = hub.client.watch(uri, (error) => {
      if (!error) void this.refresh();
    });
    void this.refresh();
  }

  /** Resolves once what was true when it was called has been read, however often that takes, or was refused. */
  refresh(): Promise<void> {
    this.#again = true;
    this.#wake?.();
    this.#running ??= this.#run();
    return this.#running;
  }

  stop(): void {
    this.#stopped = true;
    this.#wake?.();
    this.#unwatch();
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
