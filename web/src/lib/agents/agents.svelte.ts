import { getContext, setContext } from "svelte";
import { isRecord } from "#lib/hub/contents.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Agent } from "#lib/hub/types.ts";
import type { Glance } from "#lib/live/glance.ts";
import { byName } from "#lib/names.ts";

/** Whoever has gone without a word is known to have gone by the time that has passed, of which nobody is told. */
const LOOK_MS = 60_000;

/** The agents of this space by their names, and how they are. */
export class Agents {
  list = $state.raw<readonly Agent[]>([]);
  known = $state(false);
  problem = $state<string>();
  readonly default = $derived(this.list.find((agent) => agent.default));
  readonly #hub: Pick<Hub, "live">;
  readonly #glance: Pick<Glance, "refresh">;

  constructor(hub: Pick<Hub, "live">, glance: Pick<Glance, "add" | "refresh">) {
    this.#hub = hub;
    this.#glance = glance;
    glance.add("agents", {
      take: ({ agents }) => {
        // What makes no sense leaves what was known.
        if (!Array.isArray(agents) || !agents.every(isAgent)) return;
        this.list = agents.toSorted((one, other) => byName(one.name, other.name));
        this.problem = undefined;
        this.known = true;
      },
      fail: (sentence) => {
        this.problem = sentence;
      },
    });
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const look = (): void => {
      if (this.#hub.live && document.visibilityState === "visible") void this.#glance.refresh("agents");
    };
    const timer = setInterval(look, LOOK_MS);
    addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      removeEventListener("visibilitychange", look);
    };
  }
}

const isAgent = (value: unknown): value is Agent =>
  isRecord(value) && typeof value.name === "string" && typeof value.lifecycle === "string";

const KEY = Symbol("agents");
export const provideAgents = (hub: Hub, glance: Glance): Agents => setContext(KEY, new Agents(hub, glance));
export const useAgents = (): Agents => getContext<Agents>(KEY);
