import type { IconName } from "#lib/ui/Icon.svelte";

export interface Section {
  href: string;
  name: string;
  icon: IconName;
}

/** What the bar leads to. A new section is a folder in `lib/`, a route, and a line here. */
export const SECTIONS: readonly Section[] = [
  { href: "/chat", name: "Chat", icon: "chat" },
  { href: "/mail", name: "Mail", icon: "mail" },
  { href: "/settings", name: "Settings", icon: "settings" },
];
