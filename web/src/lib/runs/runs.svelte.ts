import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Followed } from "#lib/live/followed.svelte.ts";
import { newKey } from "$client/index.ts";
import type { Run } from "./types.ts";

export const RUNS_URI = "parley://runs";
const SHOWN = 50;

/** What was started, or is to be, and whether anything is. */
export class Runs extends Followed {
  /** The newest, read anew whenever something happens. */
  #newest = $state.raw<readonly Run[]>([]);
  /** Those behind them, as they were when somebody went there. */
  #older = $state.raw<readonly Run[]>([]);
  readonly list = $derived(joined(this.#newest, this.#older));
  /** Where those begin that are not shown; null where there are none. */
  next = $state<string | null>(null);
  pause = $state.raw<Tools["run_pause"]["output"]>({ paused_at: null, paused_by: null });

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: [RUNS_URI] });
  }

  async showMore(): Promise<void> {
    if (this.next === null) return;
    const { runs, next } = await this.hub.client.call("run_list", { limit: SHOWN, before: this.next });
    this.#older = joined(this.#older, runs);
    this.next = next;
  }

  /** From now on nothing is started, or everything that has waited. */
  async setPaused(paused: boolean): Promise<void> {
    const { client } = this.hub;
    const options = { key: newKey() };
    this.pause = await this.doing(
      paused ? client.call("run_pause", {}, options) : client.call("run_resume", {}, options),
    );
  }

  protected override async read(): Promise<void> {
    const { runs, paused_at, paused_by, next } = await this.hub.client.call("run_list", { limit: SHOWN });
    // What the newest no longer has room for stays where it was.
    if (this.#older.length > 0) this.#older = joined(this.#newest, this.#older);
    else this.next = next;
    this.#newest = runs;
    this.pause = { paused_at, paused_by };
  }
}

/** Each once, the newest first; where one stands in both, as the first has it. */
function joined(some: readonly Run[], more: readonly Run[]): readonly Run[] {
  const all = new Map([...more, ...some].map((run) => [run.id, run]));
  return [...all.values()].sort((one, other) => Number(other.id) - Number(one.id));
}
