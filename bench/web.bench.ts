import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import type { Browser, Request } from "playwright-core";
import { launch } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { Child } from "./support/child.ts";
import { fresh, rowsOfOne, signedIn, timed } from "./support/pages.ts";
import { figure, interleaved, type Pair } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const FEW = 200;
const SIZES = {
  full: { rounds: 10, scrolls: 10, many: 10_000, steps: 180, quality: constants.BROTLI_MAX_QUALITY },
  moment: { rounds: 0, scrolls: 1, many: 250, steps: 12, quality: constants.BROTLI_MIN_QUALITY },
};
type Sizes = (typeof SIZES)["full"];
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
    const sizes = SIZES[effort];
    await using child = new Child("web");
    await child.ready;
    await child.ask("say", { times: FEW });
    const browser = await launch();
    try {
      const { bytes, usable } = await firstViews(browser, child, sizes);
      await child.ask("say", { times: sizes.many });
      const { frames, rows } = await scrolls(browser, child, sizes);
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
async function firstViews(
  browser: Browser,
  child: Child,
  { rounds, quality }: Sizes,
): Promise<{ bytes: number; usable: Pair[] }> {
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
  const fixed = await child.ask<string>("serve", { files: fixedFiles(drawn, data), quality });
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

/** From the newest message to the first one and back, and then one more message. */
async function scrolls(browser: Browser, child: Child, sizes: Sizes): Promise<{ frames: number[]; rows: number[] }> {
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
    for (let round = 0; round < sizes.scrolls; round += 1) {
      frames.push(await page.evaluate<number>(scroll(sizes.steps)));
      rows.push(await rowsOfOne(page, () => child.ask("say_one")));
    }
    return { frames, rows };
  });
}

/** The longest time between two frames while the list is moved a screen at a time, then in leaps. */
const scroll = (steps: number): string => `new Promise((resolve) => {
  const log = document.querySelector("[role=log]");
  log.scrollTop = 0;
  let last, longest = 0, step = 0;
  const frame = (now) => {
    if (last !== undefined && step > 2) longest = Math.max(longest, now - last);
    last = now;
    step += 1;
    if (step > ${steps} * 4 / 3) { log.scrollTop = log.scrollHeight; return setTimeout(() => resolve(longest), 200); }
    log.scrollTop += step <= ${steps} ? log.clientHeight * 0.9 : log.scrollHeight / 60;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;
