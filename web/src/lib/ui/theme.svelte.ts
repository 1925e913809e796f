import { keep, onKept, recall } from "#lib/hub/kept.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const themeOf = (text: string | null): Theme => (text === "light" || text === "dark" ? text : "system");

/** The chosen theme, the same in every tab. `static/first.js` sets it before the page is drawn. */
export class ThemeChoice {
  current = $state<Theme>(themeOf(recall("theme")));

  choose(theme: Theme): void {
    keep("theme", theme === "system" ? null : theme);
    this.#show(theme);
  }

  /** Returns the way to stop. */
  follow(): () => void {
    return onKept((name, value) => {
      if (name === "theme") this.#show(themeOf(value));
    });
  }

  #show(theme: Theme): void {
    this.current = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}
