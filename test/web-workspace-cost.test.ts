/** A workspace that has grown for months: what its pages ask for and draw does not grow with it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { type Speaker, WebHub } from "../src/testing/web.ts";

const TASKS = 5000;
const AT_ONCE = 500;
const NOTES = 1000;

let browser: Browser;
let hub: WebHub;
let page: Page;
let scout: Speaker;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser, { rate_limit: 1_000_000 });
  scout = await hub.agent("scout");
  const step = (at: number) => ({
    description: `Step ${at}`,
    dependencies: at % 5 === 0 ? [] : [at % 5 === 1 ? 0 : 1],
  });
  for (let from = 0; from < TASKS; from += AT_ONCE)
    await hub.call("add_tasks", { tasks: Array.from({ length: AT_ONCE }, (_, at) => step(at)) }, scout.token);
  for (let from = 0; from < NOTES; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        hub.call(
          "add_note",
          { content: `Finding ${from + at}. ${"It is so. ".repeat(20)}`, tags: ["found"] },
          scout.token,
        ),
      ),
    );
  ({ page } = await hub.signedIn({ reducedMotion: "reduce" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

/** What was asked of the hub until that was there, and how much of a page it made. */
async function opening(path: string, there: string): Promise<{ names: string[]; nodes: number }> {
  const names: string[] = [];
  // What the page before is still asking for is not asked by this one.
  await page.goto("about:blank");
  page.on("request", (request) => {
    if (request.url().endsWith("/mcp")) names.push(request.headers()["mcp-name"] ?? "listen");
  });
  await page.goto(`${hub.url}/workspace/${path}`);
  await page.getByText(there, { exact: true }).first().waitFor();
  page.removeAllListeners("request");
  return { names, nodes: await page.evaluate<number>("document.querySelectorAll('*').length") };
}

test("five thousand tasks of a plan and a thousand notes are drawn a page at a time, and asked for with six requests at most", async () => {
  for (const [path, there] of [
    ["plan", "Step 0"],
    ["plan?graph", "Step 0"],
    ["notes", "found"],
  ] as const) {
    const { names, nodes } = await opening(path, there);
    expect.soft(names.length, `${path}: ${names.join(" ")}`).toBeLessThanOrEqual(6);
    expect.soft(nodes, path).toBeLessThan(5000);
  }
});

test("more of it comes when it is asked for, and what is there already is not drawn again", async () => {
  await page.goto(`${hub.url}/workspace/plan`);
  const rows = page.getByRole("list", { name: "The plan" }).getByRole("listitem");
  await expect.poll(() => rows.count()).toBe(200);
  const first = await rows.first().elementHandle();
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => rows.count()).toBe(400);
  expect(await first?.evaluate((node) => node.isConnected)).toBe(true);
  await page.getByText("0 of 400 done, and more that is not shown").waitFor();
});
