import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { newKey } from "$client/index.ts";

export type Need = Tools["need_list"]["output"]["needs"][number];

/** Whoever reads what waits for this person. */
interface Source {
  readonly needs: readonly Need[];
  readonly loaded: boolean;
  refresh(): Promise<void>;
}

/** What waits for a person's answer, the one that has waited longest first. */
export class Notices {
  readonly list = $derived.by(() => this.#source.needs.filter(({ tool }) => tool === "notice_settle").toReversed());
  readonly #hub: Hub;
  readonly #source: Source;

  constructor(hub: Hub, source: Source) {
    this.#hub = hub;
    this.#source = source;
  }

  get loaded(): boolean {
    return this.#source.loaded;
  }

  has(id: string): boolean {
    return this.list.some((notice) => notice.id === id);
  }

  /** Rejects with who was first where somebody was. */
  async settle(id: string, choice: string | undefined): Promise<void> {
    // Only about what is shown: what says more by now is looked at again.
    const digest = this.list.find((notice) => notice.id === id)?.digest ?? "";
    try {
      await this.#hub.client.call("notice_settle", { id, digest, ...(choice && { choice }) }, { key: newKey() });
    } finally {
      await this.#source.refresh();
    }
  }
}
