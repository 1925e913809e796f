import type { Page } from "playwright-core";
import { launch } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { Child } from "./support/child.ts";
import { fresh, rowsOfOne, signedIn, timed } from "./support/pages.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const FEW = 100;
const SIZES = { full: { rounds: 10, many: 100_000 }, moment: { rounds: 0, many: 150 } };

const bounds = { opened: { on: "ratio", at_most: 1.3 }, rows: { on: "ours", at_most: 1 } } as const;

export const scenario: Scenario = {
  name: "web-timeline",
  measures: "a timeline of 100,000 items opened in Chromium, against one of 100; and what is drawn for a new item",
  bounds,
  async run(effort) {
    const { rounds, many } = SIZES[effort];
    await using child = new Child("web");
    const { url } = (await child.ready) as { url: string };
    await child.ask("say", { times: 1 });
    for (const [agent, calls] of Object.entries({ brief: FEW, long: many }))
      await child.ask("work", { agent, calls, ends: true });
    const browser = await launch();
    try {
      const state = await signedIn(browser, child);
      const opened = (agent: string) => fresh(browser, state, (page) => timed(page, `${url}/chat/${agent}`, DRAWN));
      const pairs = await interleaved(
        rounds,
        () => opened("long"),
        () => opened("brief"),
      );
      const drawn = await fresh(browser, state, async (page: Page) => {
        await page.goto(`${url}/chat/long`);
        await until(() => page.evaluate(DRAWN));
        const rows: number[] = [];
        for (let round = 0; round <= rounds; round += 1)
          rows.push(await rowsOfOne(page, () => child.ask("work", { agent: "long", calls: 1, ends: false })));
        return rows;
      });
      return [
        figure("opened", pairs, { unit: "ms", bound: bounds.opened }),
        figure(
          "rows drawn for one new item",
          drawn.map((rows) => ({ ours: rows, reference: rows })),
          { unit: "rows", bound: bounds.rows },
        ),
      ];
    } finally {
      await browser.close();
    }
  },
};

/** The end of the turn is the last of the list and in view, and everything from there up to the top of the view is drawn. */
const DRAWN = `(() => {
  const log = document.querySelector("[role=log]");
  const rows = [...(log?.querySelectorAll("[data-key]") ?? [])];
  const [first, last] = [rows[0], rows.at(-1)];
  if (!rows.some((row) => row.textContent.includes("files_read"))) return false;
  const view = log.getBoundingClientRect();
  const end = last.getBoundingClientRect().bottom;
  return first.getBoundingClientRect().top <= view.top && end > view.top && end <= view.bottom;
})()`;
