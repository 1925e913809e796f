import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Live } from "#lib/live/live.ts";
import { newKey } from "$client/index.ts";
import type { Run } from "./types.ts";

export const RUNS_URI = "parley://runs";
const SHOWN = 50;

/** What was started, or is to be, and whether anything is. */
export class Runs {
  loaded = $state(false);
  problem = $state<string>();
  list = $state.raw<readonly Run[]>([]);
  pause = $state.raw<Tools["run_pause"]["output"]>({ paused_at: null, paused_by: null });
  #live: Live | undefined;
  readonly #hub: Pick<Hub, "client">;

  constructor(hub: Pick<Hub, "client">) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const live = new Live(this.#hub, {
      uris: [RUNS_URI],
      read: () => this.#read(),
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

  /** From now on nothing is started, or everything that has waited. */
  async setPaused(paused: boolean): Promise<void> {
    try {
      const { client } = this.#hub;
      const options = { key: newKey() };
      this.pause = await (paused ? client.call("run_pause", {}, options) : client.call("run_resume", {}, options));
    } finally {
      void this.refresh();
    }
  }

  async #read(): Promise<void> {
    const { runs, paused_at, paused_by } = await this.#hub.client.call("run_list", { limit: SHOWN });
    this.list = runs;
    this.pause = { paused_at, paused_by };
    this.problem = undefined;
    this.loaded = true;
  }
}
