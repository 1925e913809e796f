import type { Hub } from "#lib/hub/hub.svelte.ts";
import { Followed, IN_BURSTS } from "#lib/live/followed.svelte.ts";
import type { Approval } from "./types.ts";

/** How people decide is seen from as many as well. */
const PAGE = 50;
/** What one page of a download asks for. */
const MOST = 100;

type State = Approval["state"];

/** What agents asked and what became of it, newest first. */
export class Decisions extends Followed {
  list = $state.raw<readonly Approval[]>([]);
  /** The newest, whatever is chosen: how people decide is seen from them. */
  newest = $state.raw<readonly Approval[]>([]);
  next = $state<string | null>(null);
  /** Empty for all. */
  state = $state("");
  agent = $state("");
  #pages = 1;

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: ["parley://approvals"], gather: IN_BURSTS });
  }

  /** Others are chosen. */
  choose(): Promise<void> {
    this.#pages = 1;
    return this.refresh();
  }

  more(): Promise<void> {
    this.#pages += 1;
    return this.refresh();
  }

  /** Everything that is chosen, however much that is. */
  async everything(): Promise<Approval[]> {
    return (await this.#read(Number.POSITIVE_INFINITY, MOST)).approvals;
  }

  protected override async read(): Promise<void> {
    const { approvals, next } = await this.#read(this.#pages, PAGE);
    this.list = approvals;
    this.next = next;
    this.newest = this.narrowed ? await this.#newest() : approvals.slice(0, PAGE);
  }

  get narrowed(): boolean {
    return this.state !== "" || this.agent.trim() !== "";
  }

  async #newest(): Promise<Approval[]> {
    return (await this.hub.client.call("approval_list", { limit: PAGE })).approvals;
  }

  async #read(pages: number, limit: number): Promise<{ approvals: Approval[]; next: string | null }> {
    const approvals: Approval[] = [];
    for (let page = 1, before: string | undefined; ; page += 1) {
      const { approvals: some, next } = await this.#page(before, limit);
      approvals.push(...some);
      if (next === null || page >= pages) return { approvals, next };
      before = next;
    }
  }

  #page(before: string | undefined, limit: number) {
    // One of those that are offered.
    const state = this.state === "" ? {} : { state: this.state as State };
    const agent = this.agent.trim() === "" ? {} : { agent: this.agent.trim() };
    return this.hub.client.call("approval_list", {
      limit,
      ...state,
      ...agent,
      ...(before !== undefined && { before }),
    });
  }
}
