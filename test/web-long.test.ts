/** A chat of ten thousand messages: as quick to open at either end, or in the middle, as a short one. */
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { composer, log, type Speaker, say, WebHub } from "../src/testing/web.ts";

const COUNT = 10_000;
const AT_ONCE = 50;

let browser: Browser;
let hub: WebHub;
let scout: Speaker;
/** In the hub's order. */
let ids: string[];
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser, { rate_limit: 1_000_000 });
  scout = await hub.agent("scout");
  ids = [];
  for (let at = 0; at < COUNT; at += AT_ONCE)
    ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => scout.say(textOf(at + n))))));
  ids.sort((a, b) => Number(a) - Number(b));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const textOf = (at: number): string => `message ${at} ${"of some length ".repeat(at % 9)}`;
const id = (at: number): string => ids.at(at) ?? "";
const row = (page: Page, id: string) => log(page).locator(`[data-key="${id}"]`);
const pill = (page: Page) => page.getByRole("button", { name: /new below|To the newest/ });

/** The keys of the rows that are drawn: few, and without a gap. */
async function drawn(page: Page): Promise<string[]> {
  const keys = await page.evaluate<string[]>(
    "[...document.querySelectorAll('[role=log] [data-key]')].map((row) => row.dataset.key)",
  );
  expect(keys.length).toBeLessThan(100);
  const begin = ids.indexOf(keys[0] ?? "");
  expect(keys).toEqual(ids.slice(begin, begin + keys.length));
  return keys;
}

const isInView = (page: Page, id: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const row = document.querySelector('[data-key="${id}"]')?.getBoundingClientRect();
    return row !== undefined && row.top >= 0 && row.bottom <= innerHeight;
  })()`);

/** How many pages of messages are read. */
function reads(page: Page): () => number {
  let count = 0;
  page.on("request", (request: Request) => {
    if (/chat_read_(before|since)/.test(request.headers()["mcp-name"] ?? "")) count += 1;
  });
  return () => count;
}

test("it opens at its newest message", async () => {
  const { page } = await hub.signedIn();
  await expect.poll(() => isInView(page, id(-1))).toBe(true);
  expect(await drawn(page)).toContain(id(-1));
  await composer(page).waitFor();
});

test("a link to its first message, or one in the middle, is there after a few reads, and so is the newest", async () => {
  const { page, complaints } = await hub.signedIn();
  const count = reads(page);
  for (const at of [0, COUNT / 2]) {
    await page.goto(`${hub.url}/chat/scout?m=${id(at)}`);
    await expect.poll(() => isInView(page, id(at))).toBe(true);
    await drawn(page);
  }
  expect(count()).toBeLessThan(20);
  await shoot(page, "linked-1440-light");
  await expect.poll(() => pill(page).isVisible()).toBe(true);
  await pill(page).click();
  await expect.poll(() => isInView(page, id(-1))).toBe(true);
  await pill(page).waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("from a message in the middle one reads on in both directions without a gap", async () => {
  const { page } = await hub.signedIn({ reducedMotion: "reduce" });
  const middle = 7000;
  await page.goto(`${hub.url}/chat/scout?m=${id(middle)}`);
  await row(page, id(middle)).waitFor();
  await page.evaluate(NOTE_ROWS);
  for (const [key, to] of [
    ["PageUp", middle - 250],
    ["PageDown", middle + 350],
  ] as const)
    await expect
      .poll(
        async () => {
          await drawn(page);
          await log(page).press(key);
          await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
          return (await page.evaluate<string[]>("[...noted]")).includes(id(to));
        },
        { timeout: 90_000, interval: 20 },
      )
      .toBe(true);
  const noted = new Set(await page.evaluate<string[]>("[...noted]"));
  expect(ids.slice(middle - 250, middle + 350).filter((each) => !noted.has(each))).toEqual([]);
  expect(await pill(page).innerText()).toBe("To the newest");
});

/** Every row that was ever drawn from now on, whether somebody looked just then or not. */
const NOTE_ROWS = `(() => {
  const noted = new Set();
  const note = () => document.querySelectorAll("[role=log] [data-key]").forEach(({ dataset }) => noted.add(dataset.key));
  note();
  new MutationObserver(note).observe(document.querySelector("[role=log]"), { childList: true, subtree: true });
  Object.assign(globalThis, { noted });
})()`;

test("a stretch far back reaches the newest messages in the end, and what was said meanwhile is there", async () => {
  const { page } = await hub.signedIn({ at: `/chat/scout?m=${id(-400)}` });
  await row(page, id(-400)).waitFor();
  const said = await scout.say("meanwhile");
  ids.push(said);
  await page.getByRole("button", { name: "1 new below" }).waitFor();
  await expect
    .poll(
      async () => {
        await drawn(page);
        await log(page).press("PageDown");
        return isInView(page, said);
      },
      { timeout: 90_000, interval: 20 },
    )
    .toBe(true);
  await pill(page).waitFor({ state: "detached" });
  ids.push(await scout.say("and now"));
  await expect.poll(() => isInView(page, id(-1))).toBe(true);
});

test("whoever says something far back sees it said, at the end", async () => {
  const { page } = await hub.signedIn({ at: `/chat/scout?m=${id(1000)}` });
  await row(page, id(1000)).waitFor();
  await say(page, "from far back");
  await log(page).getByText("from far back").waitFor();
  await expect.poll(() => isInView(page, id(-1))).toBe(true);
  expect(await log(page).getByText("from far back").count()).toBe(1);
});

test("a link to a message that is not there says so, and shows what is", async () => {
  const { page, complaints } = await hub.signedIn();
  // Those of one batch follow each other without a hole.
  const before = ids.slice(5000).find((each, at) => Number(ids[5001 + at]) > Number(each) + 1);
  const gone = String(Number(before) + 1);
  for (const link of [gone, "1", "9007199254740991", "nonsense"]) {
    await page.goto(`${hub.url}/chat/scout?m=${link}`);
    await page.getByText("That is no longer here.").waitFor();
    await composer(page).waitFor();
  }
  await shoot(page, "gone-1440-light");
  await page.setViewportSize({ width: 375, height: 740 });
  await shoot(page, "gone-375-light");
  await page.getByRole("link", { name: "Close" }).click();
  await page.getByText("That is no longer here.").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});
