import Zap from "@lucide/svelte/icons/zap";
import type { Section } from "#lib/section.ts";
import { goto } from "$app/navigation";

export const triggers: Section = {
  name: "Triggers",
  href: "/triggers",
  route: "/triggers/[[name]]",
  icon: Zap,
  keys: ["g", "r"],
  start: (hub) => ({
    commands: () => [{ group: "Triggers", words: "Make a trigger", run: () => void goto("/triggers?new") }],
    entries: () => import("./entries.ts").then(({ triggersByName }) => triggersByName(hub)),
  }),
};
