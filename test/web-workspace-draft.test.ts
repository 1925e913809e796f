/** The manuscript: what it was before, what has changed, in which order it stands, and how to take it along. */
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { type Speaker, WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
let scout: Speaker;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  scout = await hub.agent("scout");
  for (const [section_id, title] of Object.entries({ market: "Market", prices: "Prices", end: "What to do" }))
    await hub.call("write_draft_section", { section_id, title, content: `${title} as scout has it.` }, scout.token);
  ({ page } = await hub.signedIn({ reducedMotion: "reduce" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const open = (path: string) => page.goto(`${hub.url}/workspace/draft${path}`);
const contents = (): Promise<string[]> =>
  page.getByRole("navigation", { name: "Sections" }).last().locator(".title").allTextContents();

test("the history of a section says who wrote which version, and what each has changed word by word", async () => {
  await open("/market");
  const history = page.getByRole("region", { name: "History" });
  await history.getByText("version 1 · scout").waitFor();
  await hub.call("write_draft_section", { section_id: "market", content: "Market as ana has it.\n\nAnd more." });
  // It is there by itself, with the new text above it.
  await history.getByText("version 2 · admin").click();
  await page.getByText("And more.", { exact: true }).first().waitFor();
  const change = page.getByRole("region", { name: "What version 2 changed" });
  await change.waitFor();
  expect(await change.locator(".removed .line").allTextContents()).toEqual(["Market as scout has it."]);
  expect(await change.locator(".added .line").allTextContents()).toEqual(["Market as ana has it.", "", "And more."]);

  await hub.call("write_draft_section", { section_id: "prices", content: "Prices as everybody has it." }, scout.token);
  await open("/prices");
  await history.getByText("version 2 · scout").click();
  const words = page.getByRole("region", { name: "What version 2 changed" });
  await words.waitFor();
  expect(await words.locator("mark").allTextContents()).toEqual(["scout", "everybody"]);
  await history.getByText("version 2 · scout").click();
  await words.waitFor({ state: "detached" });
});

test("a section is moved by its buttons, and whoever looks sees it, as they see what others move", async () => {
  await open("/end");
  await expect.poll(contents).toEqual(["Market", "Prices", "What to do"]);
  const up = page.getByRole("button", { name: "Move up" });
  await up.click();
  await expect.poll(contents).toEqual(["Market", "What to do", "Prices"]);
  await up.click();
  await expect.poll(contents).toEqual(["What to do", "Market", "Prices"]);
  await expect.poll(() => up.isDisabled()).toBe(true);
  await hub.call("draft_move", { section_id: "end", place: 3 }, scout.token);
  await expect.poll(contents).toEqual(["Market", "Prices", "What to do"]);
  await expect.poll(() => page.getByRole("button", { name: "Move down" }).isDisabled()).toBe(true);
});

test("the whole draft is taken along as Markdown or as a page, in its order", async () => {
  await open("");
  for (const [name, file, heading] of [
    ["Export as Markdown", "draft.md", /^# Market$/m],
    ["Export as HTML", "draft.html", /<h1[^>]*>Market/],
  ] as const) {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    expect(download.suggestedFilename()).toBe(file);
    const text = await readFile(await download.path(), "utf8");
    expect(text).toMatch(heading);
    expect(text.indexOf("Prices")).toBeLessThan(text.indexOf("What to do"));
  }
});

test("on a phone the sections come when they are asked for, and a section leads back to them", async () => {
  await page.setViewportSize({ width: 375, height: 740 });
  await open("");
  const list = page.getByRole("button", { name: "3 sections" });
  await list.click();
  await page.getByRole("link", { name: /^What to do v1/ }).click();
  await page.getByRole("heading", { name: "What to do" }).waitFor();
  await list.waitFor({ state: "hidden" });
  await page.getByRole("link", { name: "All sections" }).click();
  await page.getByRole("heading", { name: "Market" }).waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("of a draft that is larger than one answer, a link leads to its last section, and the rest is read on request", async () => {
  const big = "A line of what was found in Prague.\n".repeat(12_000);
  for (const at of [1, 2, 3, 4]) {
    const section = { section_id: `big_${at}`, title: `Big ${at}`, content: big };
    await hub.call("write_draft_section", section, scout.token);
  }
  await hub.call("write_draft_section", { section_id: "last", title: "The last one", content: "Here." }, scout.token);
  await open("");
  const headings = page.getByRole("heading", { level: 2 });
  const last = headings.filter({ hasText: "The last one" });
  const more = page.getByRole("button", { name: "Show more" });
  await more.waitFor();
  expect(await last.count()).toBe(0);
  await expect
    .poll(async () => {
      if (await more.isVisible()) await more.click();
      return last.count();
    })
    .toBe(1);
  await open("/last");
  await last.waitFor();
});
