import { getContext, setContext } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { inboxUri, Live } from "./live.ts";

interface Count {
  unread: number;
  more: boolean;
}

/** How much unread mail there is, in one's own mailbox and in those of agents. */
export class Unread {
  #counts = $state.raw<ReadonlyMap<string, Count>>(new Map());
  /** Several may follow one mailbox: it is read once for all of them. */
  readonly #lives = new Map<string, { live: Live; followers: number }>();
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(names: readonly string[]): () => void {
    for (const name of names) this.#add(name);
    return () => {
      for (const name of names) this.#remove(name);
    };
  }

  /** For a badge: "3", "1000+", or nothing. */
  words(name: string): string {
    const count = this.#counts.get(name);
    return count && count.unread > 0 ? `${count.unread}${count.more ? "+" : ""}` : "";
  }

  #add(name: string): void {
    const known = this.#lives.get(name);
    if (known) known.followers += 1;
    else {
      const read = (): Promise<void> => this.#read(name);
      const live = new Live(this.#hub, inboxUri(name), read, () => this.#forget(name));
      this.#lives.set(name, { live, followers: 1 });
    }
  }

  #remove(name: string): void {
    const known = this.#lives.get(name);
    if (!known) return;
    known.followers -= 1;
    if (known.followers > 0) return;
    known.live.stop();
    this.#lives.delete(name);
  }

  async #read(name: string): Promise<void> {
    const { unread, unread_more } = await this.#hub.client.call("mail_inbox", { agent: name, unread: true, limit: 1 });
    this.#counts = new Map(this.#counts).set(name, { unread, more: unread_more });
  }

  /** A mailbox that cannot be read has no number: none is better than a wrong one. */
  #forget(name: string): void {
    const counts = new Map(this.#counts);
    counts.delete(name);
    this.#counts = counts;
  }
}

const KEY = Symbol("unread");
export const provideUnread = (hub: Hub): Unread => setContext(KEY, new Unread(hub));
export const useUnread = (): Unread => getContext<Unread>(KEY);
