import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
let worker: string;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  worker = await tokenOf("mason");
  ({ page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const tokenOf = async (name: string): Promise<string> =>
  (await hub.call<{ token: string }>("token_create", { role: "worker", name })).token;
const make = (content: string, more: object = {}) => hub.call<{ id: string }>("task_create", { content, ...more });
const claim = async (token = worker, more: object = {}): Promise<{ id: string; content: string }> =>
  (await hub.call<{ next_task: { id: string; content: string } }>("get_next_task", more, token)).next_task;
const complete = (task_id: string, token = worker) =>
  hub.call("task_complete", { task_id, response_summary: "All done." }, token);
const column = (name: string) => page.getByRole("region", { name, exact: true });
const card = (name: string, text: string) => column(name).getByRole("link").filter({ hasText: text });
const openBoard = () => page.goto(`${hub.url}/tasks`);

test("an empty board says what will appear, and a task is added, taken, kept and done while it is looked at", async () => {
  await openBoard();
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  await page.keyboard.press("c");
  await page.getByRole("textbox", { name: "What is to be done" }).fill("Sort the **letters**");
  await page.getByRole("button", { name: "Add the task" }).click();
  await page.getByRole("region", { name: "Task", exact: true }).locator("strong", { hasText: "letters" }).waitFor();
  await card("Waiting", "Sort the").waitFor();

  const { id } = await claim();
  await card("Working", "Sort the").getByText("mason").waitFor();
  await card("Working", "Sort the")
    .getByText(/lease 0:\d\d|lease 1 min/)
    .waitFor();
  const pane = page.getByRole("region", { name: "Task", exact: true });
  await pane.getByText("Attempt 1").waitFor();
  await complete(id);
  await card("Done", "Sort the").waitFor();
  await pane.getByText("All done.").waitFor();
  expect(await card("Working", "Sort the").count()).toBe(0);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.url()).toBe(`${hub.url}/tasks`);
});

test("each reason a task waits for is seen on the board, and leaves it when it is no longer so", async () => {
  await openBoard();
  const gpu = await tokenOf("gpu-worker");
  const rich = await tokenOf("rich-worker");

  // Its time.
  const later = await make("Not yet", { run_at: "1h" });
  await card("Held back", "Not yet")
    .getByText(/^Not before/)
    .waitFor();
  expect(await claim()).toBeNull();
  await hub.pass(3_600_000);
  await card("Waiting", "Not yet").waitFor();
  expect(await card("Held back", "Not yet").count()).toBe(0);
  expect((await claim()).id).toBe(later.id);
  await complete(later.id);

  // Its turn.
  const first = await make("First of the repository", { concurrency_key: "repo" });
  const second = await make("Second of the repository", { concurrency_key: "repo" });
  await card("Held back", "Second of").getByText("only one of “repo” at a time").waitFor();
  // A key that nothing breaks makes no card wider than its column.
  const long = "the-repository-of-".repeat(8);
  const wide = [await make("Wide", { concurrency_key: long }), await make("Wider", { concurrency_key: long })];
  await card("Held back", "Wider").waitFor();
  const list = `document.querySelector('section[aria-label="Held back"] ul')`;
  expect(await page.evaluate(`${list}.scrollWidth - ${list}.clientWidth`)).toBe(0);
  for (const { id } of wide) await hub.call("task_cancel", { task_id: id });
  expect((await claim()).id).toBe(first.id);
  await card("Working", "First of").waitFor();
  await card("Held back", "Second of").waitFor();
  await complete(first.id);
  await card("Waiting", "Second of").waitFor();
  expect((await claim()).id).toBe(second.id);
  await complete(second.id);

  // What it needs.
  await make("Train the model", { needs: ["gpu"] });
  await card("Held back", "Train").getByText("No worker offers gpu").waitFor();
  const train = await claim(gpu, { offers: ["gpu"] });
  await card("Working", "Train").waitFor();
  await complete(train.id, gpu);

  // A quota.
  await make("Ask the model", { account: "acme" });
  const asked = await claim(rich);
  await hub.call("task_fail", { task_id: asked.id, error: "429", throttled_until: "2h" }, rich);
  await card("Held back", "Ask the model").getByText("The quota of “acme” is used up until").waitFor();
  await hub.call("throttle_set", { account: "acme" });
  await card("Waiting", "Ask the model").waitFor();

  // A budget.
  await hub.call("budget_set", { scope: "space", per_day: { tasks: 0 } });
  await card("Held back", "Ask the model").getByText("Today’s budget of this space is used up").waitFor();
  await hub.call("budget_set", { scope: "space", per_day: {} });
  await card("Waiting", "Ask the model").waitFor();
  await complete((await claim(rich)).id, rich);
});

test("what failed too often is dead with its whole history, is tried again alone, and can be cancelled by keys", async () => {
  await openBoard();
  await make("Reach the printer", { max_attempts: 1 });
  const { id } = await claim();
  await hub.call("task_fail", { task_id: id, error: "No route to host" }, worker);
  await card("Dead", "Reach the printer").click();
  const pane = page.getByRole("region", { name: "Task", exact: true });
  await pane.getByText("Attempt 1").waitFor();
  await pane.getByText("No route to host").first().waitFor();
  await pane.getByText("Given up: too many attempts failed").waitFor();
  await pane.getByRole("button", { name: "Try it again" }).click();
  await page.getByText("It is tried again.", { exact: true }).waitFor();
  await card("Waiting", "Reach the printer").waitFor();
  await page.keyboard.press("#");
  await page.getByRole("textbox", { name: "Reason" }).fill("no printer any more");
  await page.getByRole("button", { name: "Cancel the task" }).click();
  await page.getByText("The task is cancelled.").waitFor();
  await card("Done", "Reach the printer").getByText("Cancelled").waitFor();
});

test("how many tasks are dead stands in the sidebar of every page, and goes with them", async () => {
  const line = page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: /^Tasks/ });
  await page.goto(`${hub.url}/settings`);
  await make("Water the plants", { max_attempts: 1 });
  const { id } = await claim();
  await hub.call("task_fail", { task_id: id, error: "No water" }, worker);
  await expect.poll(() => line.textContent()).toMatch(/Tasks\s*1\s+dead/);
  await line.click();
  await card("Dead", "Water the plants").waitFor();
  // On the board it is read with the board.
  await hub.call("task_requeue", { task_id: id });
  await expect.poll(() => line.textContent()).not.toContain("dead");
  await hub.call("task_cancel", { task_id: id });
});

test("dead tasks are looked through, tried again at a rate that was chosen, and stopped", async () => {
  for (const at of [1, 2, 3]) {
    await make(`Call number ${at}`, { max_attempts: 1 });
    const { id } = await claim();
    await hub.call("task_fail", { task_id: id, error: at === 3 ? "Busy" : "Nobody there" }, worker);
  }
  await page.goto(`${hub.url}/tasks?column=dead`);
  await page.getByRole("textbox", { name: "Error contains" }).fill("Nobody");
  await page.getByRole("combobox", { name: "Speed" }).selectOption("6");
  await page.getByRole("button", { name: "Look which ones" }).click();
  await page.getByText("2 dead tasks fit").waitFor();
  await page.getByRole("button", { name: "Try these 2 again" }).click();
  await page.getByText("1 of 2").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Look which ones" }).waitFor();
  const { by_status } = await hub.call<{ by_status: Record<string, number> }>("inbox_stats");
  expect(by_status.dead).toBe(2);
});

test("the board is without a serious finding of axe at both widths and in both themes", async () => {
  await make("A long brief. ".repeat(30), { priority: 10 });
  await make("Later today", { run_at: "4h" });
  await make("On a graphics card", { needs: ["gpu-xl"] });
  const { id } = await claim();
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    for (const [name, path] of Object.entries({
      tasks: "/tasks",
      "tasks-one": `/tasks/${id}`,
      "tasks-dead": "/tasks?column=dead",
      "tasks-new": "/tasks?new",
    })) {
      await page.goto(hub.url + path);
      await page.locator("[data-task], .scroll").first().waitFor({ state: "attached" });
      if (name === "tasks-new") await page.getByRole("dialog").waitFor();
      expect.soft(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name).toBe(true);
      for (const scheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        expect.soft(await findings(page), `${name} ${scheme} ${width}`).toEqual([]);
        await shoot(page, `${name}-${width}-${scheme}`);
      }
    }
  }
});
