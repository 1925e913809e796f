import ShieldCheck from "@lucide/svelte/icons/shield-check";
import type { Section } from "#lib/section.ts";

/** What agents may do by themselves. */
export const policy: Section = {
  name: "Policy",
  href: "/policy",
  route: "/policy",
  icon: ShieldCheck,
  keys: ["g", "p"],
};
