import CircleAlert from "@lucide/svelte/icons/circle-alert";
import { useGlance } from "#lib/live/glance.ts";
import type { Section } from "#lib/section.ts";
import { provideNeeds } from "./needs.svelte.ts";

/** What waits for a person, whatever module it is of. */
export const needs: Section = {
  name: "Needs you",
  href: "/needs",
  route: "/needs",
  icon: CircleAlert,
  keys: ["g", "n"],
  start: (hub) => {
    const needs = provideNeeds(hub, useGlance());
    return {
      counts: "waiting",
      badge: () => needs.counted,
      attention: () => needs.count,
    };
  },
};
