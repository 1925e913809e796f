import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Approval } from "./types.ts";

const PAGE = 50;
/** What is looked at for how people decide, and what one page of a download asks for. */
const MOST = 100;

type State = Approval["state"];

/** What agents asked and what became of it, newest first. */
export class Decisions {
  list = $state.raw<readonly Approval[]>([]);
  /** The newest, whatever is chosen: how people decide is seen from them. */
  newest = $state.raw<readonly Approval[]>([]);
  next = $state<string | null>(null);
  loaded = $state(false);
  problem = $state<string>();
  /** Empty for all. */
  state = $state("");
  agent = $state("");
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  load = (): Promise<void> =>
    this.#trying(async () => {
      const [{ approvals, next }, newest] = await Promise.all([this.#page(undefined, PAGE), this.#all(MOST)]);
      this.list = approvals;
      this.next = next;
      this.newest = newest;
      this.loaded = true;
    });

  more = (): Promise<void> =>
    this.#trying(async () => {
      const { approvals, next } = await this.#page(this.next ?? undefined, PAGE);
      this.list = [...this.list, ...approvals];
      this.next = next;
    });

  /** Everything that is chosen, however much that is. */
  async everything(): Promise<Approval[]> {
    const all: Approval[] = [];
    let before: string | undefined;
    for (;;) {
      const { approvals, next } = await this.#page(before, MOST);
      all.push(...approvals);
      if (next === null) return all;
      before = next;
    }
  }

  async #all(limit: number): Promise<Approval[]> {
    return (await this.#hub.client.call("approval_list", { limit })).approvals;
  }

  #page(before: string | undefined, limit: number) {
    // One of those that are offered.
    const state = this.state === "" ? {} : { state: this.state as State };
    const agent = this.agent.trim() === "" ? {} : { agent: this.agent.trim() };
    return this.#hub.client.call("approval_list", {
      limit,
      ...state,
      ...agent,
      ...(before !== undefined && { before }),
    });
  }

  async #trying(run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.problem = undefined;
    } catch (error) {
      this.problem = sentenceOf(error);
    }
  }
}
