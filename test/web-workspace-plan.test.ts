/** The plan as a list and as a graph of what depends on what, as it changes under whoever looks at it. */
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
  ({ page } = await hub.signedIn({ reducedMotion: "reduce" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const open = (path: string) => page.goto(`${hub.url}/workspace/plan${path}`);
const rows = () => page.getByRole("list", { name: "The plan" }).getByRole("listitem");
const row = (words: string) => rows().filter({ has: page.getByText(words, { exact: true }) });
const node = (words: string) =>
  page.getByRole("region", { name: "What depends on what" }).getByRole("listitem", { name: words, exact: true });
const idOf = async (description: string): Promise<string> => {
  const { plan } = await hub.call<{ plan: { id: string; description: string }[] }>("read_plan");
  return plan.find((task) => task.description === description)?.id ?? "";
};

test("what is added, and what an agent completes, is seen in the list: then what waited for it can be started", async () => {
  await open("");
  await page.getByRole("textbox", { name: "What is to be done" }).fill("Analyse the market");
  await page.getByRole("textbox", { name: "Who does it" }).fill("scout");
  await page.getByRole("button", { name: "Add to the plan" }).click();
  await row("Analyse the market").getByText("Can be started").waitFor();
  const first = await idOf("Analyse the market");
  await hub.call("add_tasks", { tasks: [{ description: "Write it down", dependencies: [first] }] }, scout.token);
  await row("Write it down").getByText("after “Analyse the market”").waitFor();

  // What cannot be started yet says why, and stays what it was.
  const status = page.getByRole("combobox", { name: "Status of Write it down" });
  await status.selectOption("in_progress");
  await page.getByRole("alert").getByText("not completed so far. Nothing was changed.").waitFor();
  await expect.poll(() => status.inputValue()).toBe("todo");

  await hub.call("update_task", { task_id: first, status: "completed", summary: "412 cafés" }, scout.token);
  await row("Analyse the market").getByText("412 cafés").waitFor();
  await row("Write it down").getByText("Can be started").waitFor();
  await page.getByText("1 of 2 done").waitFor();
  await status.selectOption("in_progress");
  await expect
    .poll(() => hub.call("read_plan"))
    .toMatchObject({ plan: [{ status: "completed" }, { status: "in_progress" }] });
});

test("in the graph each task stands right of what it depends on, joined by a line, and changes as the plan does", async () => {
  await open("");
  await page.getByRole("tab", { name: "Graph" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("?graph");
  await node("Analyse the market").getByText("Done · scout").waitFor();
  const left = async (words: string): Promise<number> => (await node(words).boundingBox())?.x ?? 0;
  expect(await left("Write it down")).toBeGreaterThan(await left("Analyse the market"));
  const lines = page.locator("path.edge");
  expect(await lines.count()).toBe(1);
  const second = await idOf("Write it down");
  await hub.call("add_tasks", { tasks: [{ description: "Print it", dependencies: [second] }] }, scout.token);
  await node("Print it").getByText("after Write it down").waitFor({ state: "attached" });
  expect(await left("Print it")).toBeGreaterThan(await left("Write it down"));
  await expect.poll(() => lines.count()).toBe(2);
  await hub.call("update_task", { task_id: second, status: "blocked", summary: "The printer" }, scout.token);
  await node("Write it down").getByText("Blocked").waitFor();
});

test("a graph that is wider than the window is scrolled in its place, by keys too", async () => {
  const chain = Array.from({ length: 12 }, (_, at) => ({
    description: `Link ${at}`,
    ref: `l${at}`,
    dependencies: at === 0 ? [] : [`l${at - 1}`],
  }));
  await hub.call("add_tasks", { tasks: chain }, scout.token);
  await open("?graph");
  await node("Link 11").waitFor();
  const graph = page.getByRole("region", { name: "What depends on what" });
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  await graph.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => graph.evaluate((it) => it.scrollLeft)).toBeGreaterThan(0);
});
