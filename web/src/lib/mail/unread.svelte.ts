import { getContext, setContext } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Live } from "#lib/live/live.ts";
import { inboxUri } from "./address.ts";

interface Count {
  unread: number;
  unread_more: boolean;
}

/** How much unread mail there is, in one's own mailbox and in those of agents: one read for all of them. */
export class Unread {
  #counts = $state.raw<ReadonlyMap<string, Count>>(new Map());
  /** The mailbox that is looked at: whoever reads it hands over what is unread everywhere. */
  #covered: string | undefined;
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(names: readonly string[]): () => void {
    // Who looks at a mailbox reads at the beginning, after an interruption, and when something happens there.
    const skips = (uri?: string): boolean =>
      this.#covered !== undefined && (uri === undefined || uri === inboxUri(this.#covered));
    // A mailbox that cannot be read has no number: none is better than a wrong one.
    const forget = (): void => {
      this.#counts = new Map();
    };
    const live = new Live(this.#hub, names.map(inboxUri), () => this.#read(), forget, skips);
    return () => live.stop();
  }

  /** That mailbox is read by somebody who tells of it. Returns the way to stop. */
  cover(name: string): () => void {
    this.#covered = name;
    return () => {
      if (this.#covered === name) this.#covered = undefined;
    };
  }

  take(mailboxes: Tools["mail_counts"]["output"]["mailboxes"]): void {
    this.#counts = new Map(mailboxes.map((count) => [count.agent, count]));
  }

  /** For a badge: "3", "1000+", or nothing. */
  words(name: string): string {
    const count = this.#counts.get(name);
    return count && count.unread > 0 ? `${count.unread}${count.unread_more ? "+" : ""}` : "";
  }

  async #read(): Promise<void> {
    const { mailboxes } = await this.#hub.client.call("mail_counts", {});
    this.take(mailboxes);
  }
}

const KEY = Symbol("unread");
export const provideUnread = (hub: Hub): Unread => setContext(KEY, new Unread(hub));
export const useUnread = (): Unread => getContext<Unread>(KEY);
