import { FOLDER_WORDS, FOLDERS, folderHref, hrefOf } from "#lib/mail/address.ts";
import { KeysChoice } from "#lib/mail/keys-choice.svelte.ts";
import { SECTIONS } from "#lib/sections.ts";
import { THEMES, type Theme, ThemeChoice } from "#lib/ui/theme.svelte.ts";
import { goto } from "$app/navigation";
import type { Entry } from "./palette.svelte.ts";

const THEME_WORDS: Record<Theme, string> = {
  system: "Look: as the system",
  light: "Look: light",
  dark: "Look: dark",
};
const NEW_MAIL = { box: undefined, folder: "inbox", q: "", thread: undefined, compose: true } as const;

/** What there is on every page: where to go, whom to write to, and how the page looks. */
export const places = (agents: readonly string[]): Entry[] => [
  ...SECTIONS.map(({ name, href }) => to("Go to", name, href)),
  ...FOLDERS.map((folder) => to("Your mail", FOLDER_WORDS[folder], folderHref(undefined, folder))),
  to("Your mail", "Write a mail", hrefOf({ ...NEW_MAIL, to: "" })),
  ...agents.flatMap((name) => [
    to("Agents", `Chat with ${name}`, `/chat/${encodeURIComponent(name)}`),
    to("Agents", `Mail of ${name}`, folderHref(name, "inbox")),
    to("Agents", `Write to ${name}`, hrefOf({ ...NEW_MAIL, to: name })),
  ]),
  ...THEMES.map((theme) => ({ group: "Page", words: THEME_WORDS[theme], run: () => new ThemeChoice().choose(theme) })),
  keysSwitch(),
];

/** For what is none of them: it may stand in a mail. */
export const searchFor = (text: string): Entry =>
  to("Your mail", `Search mail for “${text}”`, hrefOf({ ...NEW_MAIL, compose: false, to: "", q: text }));

const to = (group: string, words: string, href: string): Entry => ({ group, words, run: () => void goto(href) });

function keysSwitch(): Entry {
  const choice = new KeysChoice();
  const words = choice.on ? "Switch single keys off" : "Switch single keys on";
  return { group: "Page", words, run: () => choice.choose(!choice.on) };
}
