import type { Page } from "playwright-core";
import { findings } from "./axe.ts";
import { shoot } from "./browser.ts";

const SCHEMES = ["light", "dark"] as const;

/** What reaches beyond the window and is not scrolled in a place of its own. */
const TOO_WIDE = `[...document.querySelectorAll("main *")].filter((node) => {
  const box = node.getBoundingClientRect();
  return box.width > 1 && box.right > innerWidth + 1 && node.checkVisibility({ contentVisibilityAuto: true }) &&
    !node.closest("pre, .wide, bdi, .graph, [role=tablist], [role=log]");
}).map((node) => "too wide: " + node.outerHTML.slice(0, 120))`;

/**
 * What is wrong with the page as it is now, in every width and theme: what axe finds serious or critical, and what has
 * to be scrolled sideways. Pictures of it are kept under that name. Leaves it wide and light.
 */
export async function looks(page: Page, name: string): Promise<string[]> {
  const wrong: string[] = [];
  const note = (all: readonly string[], where: string) => wrong.push(...all.map((one) => `${name} ${where}: ${one}`));
  for (const width of [320, 375, 1440]) {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    note(await page.evaluate<string[]>(TOO_WIDE), `${width}`);
    const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (beyond > 0) note([`${beyond} px have to be scrolled sideways`], `${width}`);
    // Narrower than a phone is a page that is zoomed in: it looks the same.
    for (const scheme of width === 320 ? [] : SCHEMES) {
      // What is still turning from one colour to the other is neither.
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      note(await findings(page), `${width} ${scheme}`);
      await shoot(page, `${name}-${width}-${scheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
  return wrong;
}
