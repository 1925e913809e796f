import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page, Request } from "playwright-core";
import { launch, visitor } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { Child } from "./support/child.ts";
import { figure, interleaved, type Pair } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const FEW = 200;
const SIZES = { full: { rounds: 10, many: 10_000 }, moment: { rounds: 1, many: 300 } };
const BUILD = fileURLToPath(new URL("../web/build", import.meta.url));

const bounds = {
  bytes: { on: "ours", at_most: 160 },
  usable: { on: "ratio", at_most: 2 },
  frame: { on: "ours", at_most: 100 },
  rows: { on: "ours", at_most: 1 },
} as const;

export const scenario: Scenario = {
  name: "web",
  measures: "the page in Chromium: its first view, a chat of 10,000 messages scrolled, one new message",
  bounds,
  async run(effort) {
    const { rounds, many } = SIZES[effort];
    await using child = new Child("web");
    await child.ready;
    await child.ask("say", { times: FEW });
    const browser = await launch();
    try {
      const { bytes, usable } = await firstViews(browser, child, rounds);
      await child.ask("say", { times: many });
      const { frames, rows } = await scrolls(browser, child, rounds);
      return [
        figure("JavaScript of the first view, gzipped", [pair(bytes / 1024)], { unit: "KB", bound: bounds.bytes }),
        figure("usable, against a fixed page of the same bytes", usable, { unit: "ms", bound: bounds.usable }),
        figure("longest frame of a scroll", frames.map(pair), { unit: "ms", bound: bounds.frame }),
        figure("rows drawn for one new message", rows.map(pair), { unit: "rows", bound: bounds.rows }),
      ];
    } finally {
      await browser.close();
    }
  },
};

/** There is nothing to compare it with: the bound is on the amount. */
const pair = (ours: number): Pair => ({ ours, reference: ours });

const built = (): string[] =>
  readdirSync(BUILD, { recursive: true, encoding: "utf8" }).filter((path) => /\.(js|css|html|svg)$/.test(path));

const packed = (path: string): number => gzipSync(readFileSync(join(BUILD, path))).length;

/**
 * The bytes of the scripts that are loaded, and the milliseconds from going there until it can be used, in a browser that
 * is signed in and has none of it in its cache.
 */
async function firstViews(browser: Browser, child: Child, rounds: number): Promise<{ bytes: number; usable: Pair[] }> {
  const state = await signedIn(browser, child);
  const { url } = await child.ready.then((told) => told as { url: string });
  const { bytes, drawn, data } = await fresh(browser, state, async (page) => {
    const answered: Request[] = [];
    const scripts = new Set<string>();
    page.on("requestfinished", (request) => request.url() === `${url}/mcp` && answered.push(request));
    page.on("request", (request) => request.url().endsWith(".js") && scripts.add(request.url().slice(url.length)));
    await page.goto(`${url}/chat/scout`);
    await until(() => page.evaluate(USABLE));
    const texts = [...answered].map(async (request) => (await request.response())?.text() ?? "");
    const bytes = [...scripts].reduce((sum, path) => sum + packed(path), 0);
    return { bytes, drawn: await page.content(), data: (await Promise.all(texts)).join("") };
  });
  const fixed = await child.ask<string>("serve", { files: fixedFiles(drawn, data) });
  const usable = await interleaved(
    rounds,
    () => fresh(browser, state, (page) => timed(page, `${url}/chat/scout`, USABLE)),
    () => fresh(browser, undefined, (page) => timed(page, fixed, "document.readyState === 'complete'")),
  );
  return { bytes, usable };
}

/**
 * The composer takes text, the last 50 messages are in the list, the newest one is at its end and in view, and
 * everything from there up to the top of the view is drawn. The list draws no more than that of them.
 */
const USABLE = `(() => {
  const log = document.querySelector("[role=log]");
  if (document.querySelector("#composer")?.disabled !== false || !(log?.dataset.count >= 50)) return false;
  const rows = [...log.querySelectorAll("[data-key]")];
  const [first, last] = [rows[0], rows.at(-1)];
  if (!last?.textContent.includes("Message ${FEW}:")) return false;
  const view = log.getBoundingClientRect();
  const end = last.getBoundingClientRect().bottom;
  return first.getBoundingClientRect().top <= view.top && end > view.top && end <= view.bottom;
})()`;

/**
 * The page as it was drawn, with the same style, scripts of the same length that do nothing, and what was read to draw
 * it. A second hub serves it, packed as the page is.
 */
function fixedFiles(drawn: string, data: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const path of built()) {
    const text = readFileSync(join(BUILD, path), "utf8");
    files[path] = path.endsWith(".js") ? `/*${text.replaceAll("*/", "* ").slice(4)}*/` : text;
  }
  files["index.html"] = `${drawn}<!--${data.replaceAll("-", " ")}-->`;
  return files;
}

/**
 * By the page's own clock, which begins when it was gone to. Errors keep no stack: while a debugger is attached, as here,
 * one that is made as a script is loaded has the whole script parsed once more, to know where.
 */
async function timed(page: Page, url: string, done: string): Promise<number> {
  await page.addInitScript(`(() => {
    Error.stackTraceLimit = 0;
    const look = () => { if (${done}) window.done_ms ??= performance.now(); else requestAnimationFrame(look); };
    look();
  })()`);
  await page.goto(url, { waitUntil: "commit" });
  return until(() => page.evaluate<number | undefined>("window.done_ms"));
}

type State = Awaited<ReturnType<Awaited<ReturnType<typeof visitor>>["storageState"]>>;

async function signedIn(browser: Browser, child: Child): Promise<State> {
  const context = await visitor(browser);
  const page = await context.newPage();
  await page.goto(await child.ask<string>("link"));
  await page.locator("#composer").waitFor();
  await page.locator("[role=log] [data-key]").last().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

async function fresh<T>(browser: Browser, state: State | undefined, work: (page: Page) => Promise<T>): Promise<T> {
  const context = await visitor(browser, state ? { storageState: state } : {});
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** From the newest message to the first one and back, and then one more message. */
async function scrolls(browser: Browser, child: Child, rounds: number): Promise<{ frames: number[]; rows: number[] }> {
  const state = await signedIn(browser, child);
  const { url } = await child.ready.then((told) => told as { url: string });
  return fresh(browser, state, async (page) => {
    await page.goto(`${url}/chat/scout`);
    await page.locator("[role=log] [data-key]").first().waitFor();
    await page.evaluate(`(async () => {
      const log = document.querySelector("[role=log]");
      for (let still = 0; still < 20; ) {
        const before = log.scrollHeight;
        log.scrollTop = 0;
        await new Promise((resolve) => setTimeout(resolve, 25));
        still = log.scrollHeight === before && !log.ariaBusy.includes("true") ? still + 1 : 0;
      }
    })()`);
    const frames: number[] = [];
    const rows: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      frames.push(await page.evaluate<number>(SCROLL));
      rows.push(await rowsOfOne(page, child));
    }
    return { frames, rows };
  });
}

/** The longest time between two frames while the list is moved a screen at a time, then in leaps. */
const SCROLL = `new Promise((resolve) => {
  const log = document.querySelector("[role=log]");
  log.scrollTop = 0;
  let last, longest = 0, step = 0;
  const frame = (now) => {
    if (last !== undefined && step > 2) longest = Math.max(longest, now - last);
    last = now;
    step += 1;
    if (step > 240) { log.scrollTop = log.scrollHeight; return setTimeout(() => resolve(longest), 200); }
    log.scrollTop += step <= 180 ? log.clientHeight * 0.9 : log.scrollHeight / 60;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

/** How many rows of the list were touched in any way when one message came. */
async function rowsOfOne(page: Page, child: Child): Promise<number> {
  await page.evaluate(`(() => {
    const log = document.querySelector("[role=log]");
    log.scrollTop = log.scrollHeight;
    window.touched = new Set();
    window.newest = [...log.querySelectorAll("[data-key]")].at(-1)?.dataset.key;
    window.observer = new MutationObserver((records) => {
      for (const { target, addedNodes } of records)
        for (const node of [target, ...addedNodes]) {
          const row = (node.nodeType === 1 ? node : node.parentElement)?.closest("[data-key]");
          if (row?.isConnected) window.touched.add(row.dataset.key);
        }
    });
    return new Promise((resolve) => setTimeout(() => {
      window.observer.observe(log, { subtree: true, childList: true, characterData: true, attributes: true });
      resolve();
    }, 300));
  })()`);
  await child.ask("say_one");
  await until(() =>
    page.evaluate("[...document.querySelectorAll('[role=log] [data-key]')].at(-1)?.dataset.key !== window.newest"),
  );
  return page.evaluate<number>(
    "new Promise((r) => setTimeout(() => { window.observer.disconnect(); r(window.touched.size); }, 200))",
  );
}
