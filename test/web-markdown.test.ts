/** What markdown looks like in the page. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { log, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const WIDE = [
  "| Service | Responsible | Measurement | Recommendation | Rollback |",
  "|:--|:-:|--:|---|---|",
  "| authentication | infrastructure | 12,345.67 | postpone indefinitely | straightforward |",
  "| notifications | communications | 9.1 | reimplement asynchronously | unrecoverable |",
].join("\n");
const TASKS = "- [x] measured\n- [ ] decided\n  - [ ] announced\n- plain";
const NOTE = "It is faster[^1].\n\n[^1]: On one machine, *once*.";

test("in a narrow window a table keeps its words and alignment and is scrolled, and tasks and notes are what they are", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await scout.say(`${WIDE}\n\n${TASKS}\n\n${NOTE}`);
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, complaints } = await hub.signedIn({
      at: "/chat/scout",
      viewport: { width: 375, height: 800 },
      colorScheme,
    });
    const cell = log(page).getByRole("cell", { name: "authentication" });
    await cell.waitFor();
    const [lines, box, hidden, sideways] = await page.evaluate<[number, string, boolean, boolean]>(`(() => {
      const cell = [...document.querySelectorAll("td")].find((td) => td.textContent === "authentication");
      const range = document.createRange();
      range.selectNodeContents(cell);
      const wide = cell.closest(".wide");
      return [
        range.getClientRects().length,
        getComputedStyle(wide).overflowX,
        wide.scrollWidth > wide.clientWidth,
        document.documentElement.scrollWidth > innerWidth,
      ];
    })()`);
    expect([lines, box, hidden, sideways]).toEqual([1, "auto", true, false]);
    const aligned = `[...document.querySelectorAll("th")].map((cell) => getComputedStyle(cell).textAlign).slice(0, 3)`;
    expect(await page.evaluate(aligned)).toEqual(["left", "center", "right"]);
    await shoot(page, `markdown-table-375-${colorScheme}`);

    const boxes = `[...document.querySelectorAll("[role=log] li > input:disabled")].map((box) => box.checked)`;
    expect(await page.evaluate(boxes)).toEqual([true, false, false]);
    expect(await log(page).locator("sup").textContent()).toBe("1");
    await log(page).locator("ol.notes").getByText("On one machine, once.").scrollIntoViewIfNeeded();
    await shoot(page, `markdown-tasks-375-${colorScheme}`);
    expect(complaints).toEqual([]);
    await page.close();
  }
});
