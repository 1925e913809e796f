import type { Browser, Page } from "playwright-core";
import { visitor } from "../../src/testing/browser.ts";
import { until } from "../../src/testing/process.ts";
import type { Child } from "./child.ts";

/**
 * By the page's own clock, which begins when it was gone to. Errors keep no stack: while a debugger is attached, as here,
 * one that is made as a script is loaded has the whole script parsed once more, to know where.
 */
export async function timed(page: Page, url: string, done: string): Promise<number> {
  await page.addInitScript(`(() => {
    Error.stackTraceLimit = 0;
    const look = () => { if (${done}) window.done_ms ??= performance.now(); else requestAnimationFrame(look); };
    look();
  })()`);
  await page.goto(url, { waitUntil: "commit" });
  return until(() => page.evaluate<number | undefined>("window.done_ms"));
}

export type State = Awaited<ReturnType<Awaited<ReturnType<typeof visitor>>["storageState"]>>;

export async function signedIn(browser: Browser, child: Child): Promise<State> {
  const context = await visitor(browser);
  const page = await context.newPage();
  await page.goto(await child.ask<string>("link"));
  await page.locator("#composer").waitFor();
  await page.locator("[role=log] [data-key]").last().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

export async function fresh<T>(
  browser: Browser,
  state: State | undefined,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await visitor(browser, state ? { storageState: state } : {});
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** How many rows of the list were touched in any way when one thing happened. */
export async function rowsOfOne(page: Page, happen: () => Promise<unknown>): Promise<number> {
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
  await happen();
  await until(() =>
    page.evaluate("[...document.querySelectorAll('[role=log] [data-key]')].at(-1)?.dataset.key !== window.newest"),
  );
  return page.evaluate<number>(
    "new Promise((r) => setTimeout(() => { window.observer.disconnect(); r(window.touched.size); }, 200))",
  );
}
