import type { IconName } from "#lib/ui/Icon.svelte";
import type { RouteId } from "$app/types";

export interface Section {
  href: string;
  route: RouteId;
  name: string;
  icon: IconName;
}

/** What the bar leads to. A new section is a folder in `lib/`, a route, and a line here. */
export const SECTIONS: readonly Section[] = [
  { href: "/chat", route: "/chat", name: "Chat", icon: "chat" },
  { href: "/mail", route: "/mail/[[box]]", name: "Mail", icon: "mail" },
  { href: "/settings", route: "/settings", name: "Settings", icon: "settings" },
];
