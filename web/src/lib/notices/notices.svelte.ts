import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Live } from "#lib/mail/live.ts";
import { newKey } from "$client/index.ts";

export type Notice = Tools["notice_list"]["output"]["notices"][number];

const MOST = 100;

/** What waits for a person's answer, the one that has waited longest first. */
export class Notices {
  list = $state.raw<readonly Notice[]>([]);
  loaded = $state(false);
  problem = $state<string>();
  #live: Live | undefined;
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const fail = (sentence: string): void => {
      this.problem = sentence;
      this.loaded = true;
    };
    const live = new Live(this.#hub, "parley://notices", () => this.#read(), fail);
    this.#live = live;
    return () => live.stop();
  }

  refresh(): void {
    this.problem = undefined;
    void this.#live?.refresh();
  }

  has(id: string): boolean {
    return this.list.some((notice) => notice.id === id);
  }

  /** Rejects with who was first where somebody was. */
  async settle(id: string, choice: string | undefined): Promise<Notice> {
    try {
      return await this.#hub.client.call("notice_settle", { id, ...(choice && { choice }) }, { key: newKey() });
    } finally {
      await this.#live?.refresh();
    }
  }

  async #read(): Promise<void> {
    const { notices } = await this.#hub.client.call("notice_list", { open: true, limit: MOST });
    this.list = notices.toReversed();
    this.problem = undefined;
    this.loaded = true;
  }
}
