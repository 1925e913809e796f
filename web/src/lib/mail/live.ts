import type { Hub } from "#lib/hub/hub.svelte.ts";
import { HubError } from "$client/index.ts";

const AGAIN_MS = 1500;

export const inboxUri = (name: string): string => `parley://mail/${encodeURIComponent(name)}/inbox`;

/** The hub's sentence about what went wrong. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#read();
      } catch (error) {
        if (this.#stopped) break;
        if (error instanceof HubError && error.passing) await this.#pause();
        else this.#fail(sentenceOf(error));
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
