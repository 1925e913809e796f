import { getContext, setContext } from "svelte";
import { isRecord, jsonOf } from "#lib/hub/contents.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Agent } from "#lib/hub/types.ts";

/** The agents of this space and how they are. */
export class Agents {
  list = $state.raw<readonly Agent[]>([]);
  known = $state(false);
  problem = $state<string>();
  readonly default = $derived(this.list.find((agent) => agent.default));
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    return this.#hub.follow("ui://agents", (data) => {
      if (data.error) {
        this.problem = data.message;
        return;
      }
      const json = jsonOf(data);
      if (!isRecord(json) || !Array.isArray(json.agents) || !json.agents.every(isAgent)) return;
      this.list = json.agents;
      this.problem = undefined;
      this.known = true;
    });
  }
}

const isAgent = (value: unknown): value is Agent =>
  isRecord(value) && typeof value.name === "string" && typeof value.lifecycle === "string";

const KEY = Symbol("agents");
export const provideAgents = (hub: Hub): Agents => setContext(KEY, new Agents(hub));
export const useAgents = (): Agents => getContext<Agents>(KEY);
