import NotebookText from "@lucide/svelte/icons/notebook-text";
import type { Command } from "#lib/keys/commands.svelte.ts";
import type { Section } from "#lib/section.ts";
import { goto } from "$app/navigation";
import { hrefOf, PARTS } from "./address.ts";

export const workspace: Section = {
  name: "Workspace",
  href: "/workspace",
  route: "/workspace/[[part]]/[[name]]",
  icon: NotebookText,
  keys: ["g", "w"],
  start: () => ({
    commands: () => [
      ...Object.entries(PARTS).map(([part, words]) => to(words, hrefOf(part))),
      to("Add a note", `${hrefOf("notes")}?new`),
      to("Begin a section of the draft", `${hrefOf("draft")}?new`),
      to("The plan as a graph", `${hrefOf("plan")}?graph`),
    ],
  }),
};

const to = (words: string, href: string): Command => ({ group: "Workspace", words, run: () => void goto(href) });
