import { getContext, setContext } from "svelte";
import { isRecord, jsonOf } from "#lib/hub/contents.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { spoken } from "#lib/hub/sentence.ts";
import type { Agent } from "#lib/hub/types.ts";
import type { ResourceData } from "$client/index.ts";
import { followedOf, keepFollowed, recallFollowed } from "./followed.ts";

const URI = "ui://agents";
/** Whoever has gone without a word is known to have gone by the time that has passed, of which nobody is told. */
const LOOK_MS = 60_000;

/** What agents need of the hub. */
type AgentsHub = Pick<Hub, "follow" | "refresh" | "live" | "mine">;

/** The agents of this space and how they are. */
export class Agents {
  list = $state.raw<readonly Agent[]>([]);
  known = $state(false);
  problem = $state<string>();
  readonly default = $derived(this.list.find((agent) => agent.default));
  readonly #hub: AgentsHub;
  /** The names of those whose chats and mailboxes are followed; of the last time while they are not known yet. */
  readonly followed = $derived.by(() => {
    const { mine } = this.#hub;
    return this.known || mine === undefined ? followedOf(this.list) : recallFollowed(mine);
  });

  constructor(hub: AgentsHub) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const stop = this.#hub.follow(URI, (data) => this.#take(data));
    const look = (): void => {
      if (this.#hub.live && document.visibilityState === "visible") this.#hub.refresh(URI);
    };
    const timer = setInterval(look, LOOK_MS);
    addEventListener("visibilitychange", look);
    return () => {
      stop();
      clearInterval(timer);
      removeEventListener("visibilitychange", look);
    };
  }

  #take(data: ResourceData): void {
    if (data.error) {
      this.problem = spoken(data.code, data.message);
      return;
    }
    const json = jsonOf(data);
    if (!isRecord(json) || !Array.isArray(json.agents) || !json.agents.every(isAgent)) return;
    this.list = json.agents;
    this.problem = undefined;
    this.known = true;
    if (this.#hub.mine !== undefined) keepFollowed(this.#hub.mine, followedOf(this.list));
  }
}

const isAgent = (value: unknown): value is Agent =>
  isRecord(value) && typeof value.name === "string" && typeof value.lifecycle === "string";

const KEY = Symbol("agents");
export const provideAgents = (hub: Hub): Agents => setContext(KEY, new Agents(hub));
export const useAgents = (): Agents => getContext<Agents>(KEY);
