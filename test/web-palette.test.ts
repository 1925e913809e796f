/** What lies in tasks, triggers, runs and the workspace, by its name from every page. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { define } from "../src/testing/runs.ts";
import { WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  ({ page } = await hub.signedIn({ reducedMotion: "reduce" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const path = () => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

/** Opens the palette on a page that has nothing to do with it, and takes what it finds of that kind. */
async function find(text: string, group: string): Promise<void> {
  await page.goto(`${hub.url}/settings`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "What to do, or where to go" }).fill(text);
  await page.getByRole("option").filter({ hasText: group }).first().click();
}

test("a task, a trigger and a run are found by their words, and opened", async () => {
  await hub.call("run_pause");
  define(hub, { trigger: { argv: [process.execPath, "-e", "0"], cwd: hub.home } });
  await hub.call("trigger_create", { name: "nightly-report", type: "manual", prompt: "Write it." });
  await expect.poll(() => hub.call("trigger_test", { name: "nightly-report" })).toMatchObject({ becomes: "run" });
  const { run_id } = await hub.call<{ run_id: string }>("trigger_run", { name: "nightly-report" });
  const task = await hub.call<{ id: string }>("task_create", { content: "Water the plants on the roof" });

  await find("water the plants", "Task · Waiting");
  await expect.poll(path).toBe(`/tasks/${task.id}`);
  await page.getByRole("region", { name: "Task", exact: true }).getByText("Water the plants").first().waitFor();
  await find("nightly-report", "nightly-report Trigger");
  await expect.poll(path).toBe("/triggers/nightly-report");
  await page.getByRole("heading", { name: "nightly-report" }).waitFor();
  await find("nightly", "Run · Waiting");
  await expect.poll(path).toBe(`/runs/${run_id}`);
});

test("the parts of the workspace are gone to by their names, and what is begun there is begun", async () => {
  for (const [text, where] of Object.entries({
    questions: "/workspace/questions",
    "plan as a graph": "/workspace/plan?graph",
    "begin a section": "/workspace/draft?new",
  })) {
    await find(text, "Workspace");
    await expect.poll(path).toBe(where);
  }
  await page.getByRole("textbox", { name: "Title" }).waitFor();
  await find("add a note", "Workspace");
  const finding = page.getByRole("textbox", { name: "A finding" });
  await expect.poll(() => finding.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
});
