import { getContext, setContext } from "svelte";
import type { Glance } from "#lib/live/glance.ts";

/** More than that nobody tells apart. */
const MOST_SHOWN = 999;

/** How many tasks were given up: on every page. */
export class Dead {
  count = $state(0);
  /** Whoever looks at the board reads it there. */
  #covered = false;

  constructor(glance: Pick<Glance, "add">) {
    glance.add("tasks", { take: ({ dead }) => this.hear(dead), heeds: () => !this.#covered });
  }

  /** The board is shown, which tells of it. Returns the way to stop. */
  cover(): () => void {
    this.#covered = true;
    return () => {
      this.#covered = false;
    };
  }

  hear(count: number): void {
    this.count = count;
  }

  /** For a badge: "3", "999+", or nothing. */
  get words(): string {
    if (this.count === 0) return "";
    return this.count > MOST_SHOWN ? `${MOST_SHOWN}+` : `${this.count}`;
  }
}

const KEY = Symbol("dead");
export const provideDead = (glance: Glance): Dead => setContext(KEY, new Dead(glance));
export const useDead = (): Dead => getContext<Dead>(KEY);
