import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch } from "../src/testing/browser.ts";
import { composer, log, type Speaker, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const pill = (page: Page) => page.getByRole("button", { name: /new below|To the newest/ });

test("what comes while one reads above is counted, and does not move the page", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await many(scout, 60);
  const { page } = await hub.signedIn();
  await log(page).getByText("message 60 ").waitFor();
  await log(page).press("PageUp");
  await log(page).press("PageUp");
  await pill(page).waitFor();
  await steady(page);
  const before = await topRow(page);
  await scout.say("one");
  await scout.say("two");
  await page.getByRole("button", { name: "2 new below" }).waitFor();
  expect(await topRow(page)).toEqual(before);
  await page.getByRole("button", { name: "2 new below" }).click();
  await log(page).getByText("two", { exact: true }).waitFor();
  await pill(page).waitFor({ state: "detached" });
});

test("what came while one was away begins with a line that says so", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await scout.say("seen");
  const { page } = await hub.signedIn();
  await log(page).getByText("seen").waitFor();
  await page.goto("about:blank");
  await scout.say("not seen");
  await page.goto(`${hub.url}/chat/scout`);
  await log(page).getByText("not seen").waitFor();
  const rows = log(page).locator("[data-key]");
  expect(await rows.nth(0).getByText("New", { exact: true }).count()).toBe(0);
  expect(await rows.nth(1).getByText("New", { exact: true }).count()).toBe(1);
  await page.reload();
  await log(page).getByText("not seen").waitFor();
  expect(await log(page).getByText("New", { exact: true }).count()).toBe(0);
});

test("a chat of its own that one is not looking at is marked as new, in every tab until it was seen", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const mason = await hub.agent("mason");
  const { page } = await hub.signedIn();
  await composer(page).waitFor();
  await mason.say("look at this");
  const entry = page.getByRole("link", { name: /mason/ });
  await entry.getByText("New", { exact: true }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${hub.url}/chat/mason`);
  await log(other).getByText("look at this").waitFor();
  await entry.getByText("New", { exact: true }).waitFor({ state: "detached" });
  await other.getByRole("link", { name: /scout/ }).click();
  await other.getByRole("textbox", { name: "Message to scout" }).waitFor();
  expect(await other.getByRole("link", { name: /mason/ }).getByText("New", { exact: true }).count()).toBe(0);
});

for (const motion of ["no-preference", "reduce"] as const)
  test(`a chat opens at its newest message, however high its rows turn out to be, motion: ${motion}`, async () => {
    await using hub = await WebHub.open(browser);
    const scout = await hub.agent("scout");
    await many(scout, 12);
    await scout.say(Array.from({ length: 90 }, (_, at) => `step ${at}`).join("\n"), "text/plain");
    await scout.say("```\nsome\ncode\n```\nand the end");
    const { page } = await hub.signedIn({ reducedMotion: motion, viewport: { width: 375, height: 740 } });
    for (let time = 0; time < 4; time += 1) {
      await page.goto(`${hub.url}/chat/scout`);
      await composer(page).waitFor();
      await steady(page);
      expect(await page.evaluate(FROM_END)).toBeLessThan(2);
    }
  });

test("a link to a message far back finds it, also after a reload", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const ids = await many(scout, 400);
  const { page, complaints } = await hub.signedIn();
  await page.goto(`${hub.url}/chat/scout?m=${ids[20]}`);
  const target = log(page).locator(`[data-key="${ids[20]}"]`);
  await target.waitFor();
  await expect.poll(() => target.isVisible()).toBe(true);
  await expect.poll(() => inView(page, ids[20] ?? "")).toBe(true);
  await page.reload();
  await expect.poll(() => inView(page, ids[20] ?? "")).toBe(true);
  expect(complaints).toEqual([]);
});

test("a long chat is drawn in part, and read back to its first message without a gap", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const ids = await many(scout, 600);
  const { page } = await hub.signedIn();
  await log(page).getByText("message 600 ").waitFor();
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        for (const key of await keys(page)) seen.add(key);
        expect((await keys(page)).length).toBeLessThan(120);
        await log(page).press("PageUp");
        await steady(page, 2);
        return seen.has(ids[0] ?? "");
      },
      { timeout: 90_000, interval: 20 },
    )
    .toBe(true);
  expect(ids.filter((id) => !seen.has(id))).toEqual([]);
});

async function many(scout: Speaker, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 1; at <= count; at += 1) ids.push(await scout.say(`message ${at} ${"of some length ".repeat(at % 9)}`));
  return ids;
}

const FROM_END =
  "(({ scrollHeight: h, scrollTop: t, clientHeight: c }) => h - t - c)(document.querySelector('[role=log]'))";

const keys = (page: Page): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('[role=log] [data-key]')].map((row) => row.dataset.key)");

/** Which row is at the top of the view, and where. */
const TOP_ROW = `(() => {
  const top = document.querySelector("[role=log]")?.getBoundingClientRect().top;
  const row = [...document.querySelectorAll("[role=log] [data-key]")].find((r) => r.getBoundingClientRect().bottom > top);
  return row && [row.dataset.key, Math.round(row.getBoundingClientRect().top)];
})()`;
const topRow = (page: Page): Promise<[string, number]> => page.evaluate(TOP_ROW);

/** Resolves when that has stayed so for some frames. A busy machine draws few of them: time alone says nothing. */
const steady = (page: Page, frames = 6): Promise<void> =>
  page.evaluate(`new Promise((resolve) => {
    let [last, same] = ["", 0];
    const look = () => {
      const now = JSON.stringify(${TOP_ROW});
      same = now !== undefined && now === last ? same + 1 : 0;
      last = now;
      if (same >= ${frames}) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);

const inView = (page: Page, id: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const row = document.querySelector('[data-key="${id}"]')?.getBoundingClientRect();
    return row !== undefined && row.top >= 0 && row.top < innerHeight;
  })()`);
