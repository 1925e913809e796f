import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import { useGlance } from "#lib/live/glance.ts";
import type { Section } from "#lib/section.ts";
import { provideFailing } from "./failing.svelte.ts";

/** Programs that the hub starts. */
export const runs: Section = {
  name: "Runs",
  href: "/runs",
  route: "/runs/[[id]]",
  icon: SquareTerminal,
  keys: ["g", "u"],
  start: (hub) => {
    const failing = provideFailing(useGlance());
    return {
      counts: "failing",
      tone: "failed",
      badge: () => (failing.count === 0 ? "" : `${failing.count}${failing.count >= MOST_COUNTED ? "+" : ""}`),
      entries: () => import("./entries.ts").then(({ recentRuns }) => recentRuns(hub)),
    };
  },
};

/** The hub counts no further. */
const MOST_COUNTED = 100;
