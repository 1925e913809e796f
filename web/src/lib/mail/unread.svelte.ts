import { getContext, setContext } from "svelte";
import type { GlanceParts } from "#lib/hub/types.ts";
import type { Glance } from "#lib/live/glance.ts";

interface Count {
  unread: number;
  unread_more: boolean;
}

/** How much unread mail there is, in one's own mailbox and in those of agents: one read for all of them. */
export class Unread {
  #counts = $state.raw<ReadonlyMap<string, Count>>(new Map());
  /** The mailbox that is looked at: whoever reads it hands over what is unread everywhere. */
  #covered: string | undefined;

  constructor(glance: Pick<Glance, "add">) {
    glance.add("mail", {
      take: ({ mailboxes }) => this.take(mailboxes),
      // A mailbox that cannot be read has no number: none is better than a wrong one.
      fail: () => {
        this.#counts = new Map();
      },
      // Who looks at a mailbox reads at the beginning, after an interruption, and when something happens there.
      heeds: ({ anew, about }) => this.#covered === undefined || !(anew || about.agent === this.#covered),
    });
  }

  /** That mailbox is read by somebody who tells of it. Returns the way to stop. */
  cover(name: string): () => void {
    this.#covered = name;
    return () => {
      if (this.#covered === name) this.#covered = undefined;
    };
  }

  take(mailboxes: GlanceParts["mail"]["mailboxes"]): void {
    this.#counts = new Map(mailboxes.map((count) => [count.agent, count]));
  }

  /** For a badge: "3", "1000+", or nothing. */
  words(name: string): string {
    const count = this.#counts.get(name);
    return count && count.unread > 0 ? `${count.unread}${count.unread_more ? "+" : ""}` : "";
  }
}

const KEY = Symbol("unread");
export const provideUnread = (glance: Glance): Unread => setContext(KEY, new Unread(glance));
export const useUnread = (): Unread => getContext<Unread>(KEY);
