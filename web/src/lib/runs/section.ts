import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import type { Section } from "#lib/section.ts";

/** Programs that the hub starts. */
export const runs: Section = {
  name: "Runs",
  href: "/runs",
  route: "/runs/[[id]]",
  icon: SquareTerminal,
  keys: ["g", "u"],
};
