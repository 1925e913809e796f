import Bot from "@lucide/svelte/icons/bot";
import { untrack } from "svelte";
import { useAgents } from "#lib/agents/agents.svelte.ts";
import { provideGlances } from "#lib/agents/glances.svelte.ts";
import { provideMarks } from "#lib/agents/marks.svelte.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { useGlance } from "#lib/live/glance.ts";
import type { Running, Section } from "#lib/section.ts";
import { goto } from "$app/navigation";
import { provideOutbox } from "./outbox.svelte.ts";

export const chat: Section = {
  name: "Fleet",
  href: "/chat",
  route: "/chat",
  icon: Bot,
  inner: "/chat/[agent]",
  keys: ["g", "a"],
  start,
};

/** What was said and read in all chats, and what this tab has still to say. */
function start(hub: Hub): Running {
  const agents = useAgents();
  const glance = useGlance();
  const marks = provideMarks(hub, glance.first);
  provideGlances(glance, marks);
  const outbox = provideOutbox(hub);
  let wasLive = true;

  // Before any chat is drawn, which begins where it was read to.
  $effect.pre(() => {
    if (hub.mine !== undefined) return untrack(() => marks.follow());
  });
  $effect(() => {
    if (hub.live && !wasLive) untrack(() => marks.refresh());
    wasLive = hub.live;
  });
  $effect(() => {
    if (hub.live && hub.mine !== undefined) void untrack(() => outbox.flush());
  });
  return {
    commands: () =>
      agents.list.map(({ name }) => ({
        group: "Agents",
        words: `Chat with ${name}`,
        run: () => void goto(`/chat/${encodeURIComponent(name)}`),
      })),
  };
}
