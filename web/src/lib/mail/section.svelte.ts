import Mail from "@lucide/svelte/icons/mail";
import { useAgents } from "#lib/agents/agents.svelte.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Command } from "#lib/keys/commands.svelte.ts";
import { useGlance } from "#lib/live/glance.ts";
import type { Running, Section } from "#lib/section.ts";
import { goto } from "$app/navigation";
import { FOLDER_WORDS, FOLDERS, folderHref, hrefOf } from "./address.ts";
import { provideUnread } from "./unread.svelte.ts";

export const mail: Section = {
  name: "Mail",
  href: "/mail",
  route: "/mail/[[box]]",
  icon: Mail,
  keys: ["g", "i"],
  start,
};

const GROUP = "Your mail";
const MOST_THREADS = 100;
const NEW = { box: undefined, folder: "inbox", q: "", thread: undefined, compose: true, to: "" } as const;

/** How much is unread in every mailbox, and what waits for the hub: it goes from every page. */
function start(hub: Hub): Running {
  const agents = useAgents();
  const unread = provideUnread(useGlance());
  return {
    counts: "unread",
    badge: () => (hub.mine === undefined ? "" : unread.words(hub.mine)),
    commands: () => [
      ...FOLDERS.map((folder) => to(GROUP, FOLDER_WORDS[folder], folderHref(undefined, folder))),
      to(GROUP, "Write a mail", hrefOf(NEW)),
      ...agents.list.flatMap(({ name }) => [
        to("Agents", `Mail of ${name}`, folderHref(name, "inbox")),
        to("Agents", `Write to ${name}`, hrefOf({ ...NEW, to: name })),
      ]),
    ],
    entries: () => recentThreads(hub),
    find: (text) => to(GROUP, `Search mail for “${text}”`, hrefOf({ ...NEW, compose: false, q: text })),
    load: () => import("./letters.svelte.ts").then(({ waitingOf }) => waitingOf(hub)),
  };
}

/** The threads of one's own inbox, each once, the newest first. Older ones are found by searching. */
async function recentThreads(hub: Hub): Promise<Command[]> {
  const { messages } = await hub.client.call("mail_inbox", { limit: MOST_THREADS });
  const threads = new Map(messages.toReversed().map((mail) => [mail.thread_id, mail]));
  return [...threads.values()].reverse().map(({ thread_id, from, subject }) => ({
    ...to(`Thread · ${from}`, subject, hrefOf({ ...NEW, compose: false, thread: thread_id })),
    key: `thread ${thread_id}`,
  }));
}

const to = (group: string, words: string, href: string): Command => ({ group, words, run: () => void goto(href) });
