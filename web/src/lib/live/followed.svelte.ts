import type { Hub } from "#lib/hub/hub.svelte.ts";
import { Live, type LiveOptions } from "./live.ts";

/** Agents write in bursts: what they wrote within a moment is read together. */
export const IN_BURSTS = { first_ms: 0, next_ms: 300 };

/** What a page shows of the hub: read once it is listened to, and again whenever it may have changed. */
export abstract class Followed {
  loaded = $state(false);
  problem = $state<string>();
  #live: Live | undefined;
  protected readonly hub: Pick<Hub, "client">;
  readonly #when: Pick<LiveOptions, "uris" | "gather">;

  constructor(hub: Pick<Hub, "client">, when: Pick<LiveOptions, "uris" | "gather">) {
    this.hub = hub;
    this.#when = when;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const live = new Live(this.hub, {
      ...this.#when,
      read: async () => {
        await this.read();
        this.problem = undefined;
        this.loaded = true;
      },
      fail: (sentence) => {
        this.problem = sentence;
      },
    });
    this.#live = live;
    return () => {
      live.stop();
      this.#live = undefined;
    };
  }

  refresh(): Promise<void> {
    return this.#live?.refresh() ?? Promise.resolve();
  }

  protected get followed(): boolean {
    return this.#live !== undefined;
  }

  /** Whether it worked or not, what is shown is read again. */
  protected async doing<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      void this.refresh();
    }
  }

  protected abstract read(): Promise<void>;
}
