import ListChecks from "@lucide/svelte/icons/list-checks";
import type { Command } from "#lib/keys/commands.svelte.ts";
import { useGlance } from "#lib/live/glance.ts";
import type { Section } from "#lib/section.ts";
import { goto } from "$app/navigation";
import { hrefOf, NOWHERE } from "./address.ts";
import { provideDead } from "./dead.svelte.ts";

export const tasks: Section = {
  name: "Tasks",
  href: "/tasks",
  route: "/tasks/[[id]]",
  icon: ListChecks,
  keys: ["g", "t"],
  start: (hub) => {
    const dead = provideDead(useGlance());
    return {
      counts: "dead",
      tone: "failed",
      badge: () => dead.words,
      commands: () => [
        to("Add a task", hrefOf(NOWHERE, { adding: true })),
        to("Dead tasks", hrefOf(NOWHERE, { column: "dead" })),
      ],
      entries: () => import("./entries.ts").then(({ tasksOnTheBoard }) => tasksOnTheBoard(hub)),
    };
  },
};

const to = (words: string, href: string): Command => ({ group: "Tasks", words, run: () => void goto(href) });
