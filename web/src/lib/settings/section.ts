import Settings from "@lucide/svelte/icons/settings";
import { KeysChoice } from "#lib/keys/keys-choice.svelte.ts";
import type { Section } from "#lib/section.ts";
import { THEMES, type Theme, ThemeChoice } from "#lib/ui/theme.svelte.ts";

const THEME_WORDS: Record<Theme, string> = {
  system: "Look: as the system",
  light: "Look: light",
  dark: "Look: dark",
};

export const settings: Section = {
  name: "Settings",
  href: "/settings",
  route: "/settings",
  icon: Settings,
  start: () => ({
    commands: () => {
      const keys = new KeysChoice();
      return [
        ...THEMES.map((theme) => ({
          group: "Page",
          words: THEME_WORDS[theme],
          run: () => new ThemeChoice().choose(theme),
        })),
        {
          group: "Page",
          words: keys.on ? "Switch single keys off" : "Switch single keys on",
          run: () => keys.choose(!keys.on),
        },
      ];
    },
  }),
};
