import { getContext, setContext } from "svelte";
import type { GlanceParts } from "#lib/hub/types.ts";
import type { Glance } from "#lib/live/glance.ts";

type Streak = NonNullable<GlanceParts["runs"]["streaks"]>[number];

/** What fails, until a run of it goes well: how much on every page, and which on its own. */
export class Failing {
  count = $state(0);
  streaks = $state.raw<readonly Streak[]>([]);
  /** Whether its page is shown. */
  #open = false;
  #known = false;
  readonly #glance: Pick<Glance, "refresh">;

  constructor(glance: Pick<Glance, "add" | "refresh">) {
    this.#glance = glance;
    glance.add("runs", { take: (part) => this.#take(part), full: () => this.#open });
  }

  /** Its page is shown. Returns the way to stop. */
  open(): () => void {
    this.#open = true;
    // Where nothing was read yet, all of it is.
    if (this.#known) void this.#glance.refresh("runs");
    return () => {
      this.#open = false;
      this.streaks = [];
    };
  }

  #take({ failing, streaks }: GlanceParts["runs"]): void {
    this.count = failing;
    this.#known = true;
    if (this.#open && streaks) this.streaks = streaks;
  }
}

const KEY = Symbol("failing");
export const provideFailing = (glance: Glance): Failing => setContext(KEY, new Failing(glance));
export const useFailing = (): Failing => getContext<Failing>(KEY);
