import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { looks } from "../src/testing/looks.ts";
import { define, unruly } from "../src/testing/runs.ts";
import { WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  ({ page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce", timezoneId: "Europe/Prague" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const shell = promisify(execFile);
const button = (name: string) => page.getByRole("button", { name, exact: true });

test("a schedule is made in words, and shows its next five runs in the reader's zone", async () => {
  await page.goto(`${hub.url}/triggers`);
  await page.getByRole("heading", { name: "No triggers yet" }).waitFor();
  await page.keyboard.press("c");
  await page.getByRole("textbox", { name: "Name" }).fill("report");
  await page.getByRole("textbox", { name: "Schedule" }).fill("0 9 * * MON-FRI");
  await page.getByText("Every weekday at 09:00, Europe/Prague").waitFor();
  await page.getByRole("textbox", { name: "Time zone" }).fill("Asia/Tokyo");
  await page.getByRole("textbox", { name: "What is asked" }).fill("Write the report of {{now}}.");
  await button("Make it").click();
  await page.getByRole("heading", { name: "Next runs" }).waitFor();
  await page.getByText("Every weekday at 09:00, Asia/Tokyo.").waitFor();
  const { next_runs } = await hub.call<{ next_runs: string[] }>("trigger_get", { name: "report" });
  const times = page.getByRole("region", { name: "Next runs" }).locator("time");
  await expect.poll(() => times.count()).toBe(5);
  expect(await times.evaluateAll((all) => all.map((one) => one.getAttribute("datetime")))).toEqual(next_runs);
  const first = new Date(next_runs[0] ?? "");
  const clock = new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone: "Europe/Prague" });
  expect(await times.first().textContent()).toMatch(new RegExp(`\\b0?${Number(clock.format(first))}:00`));

  await button("Run now").click();
  await page.getByText("Fired.").waitFor();
  await page.getByRole("link", { name: "Its task" }).waitFor();
  await hub.call("trigger_update", { name: "report", overlap: "skip" });
  await button("Run now").click();
  await page.getByText(/^Skipped: overlap: run \d+ was still going on\.$/).waitFor();
  await button("Switch off").click();
  await page.getByText("It no longer fires.").waitFor();
  await page.getByText("None while it is switched off.").waitFor();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByText("It fires from now on.").waitFor();
  await expect.poll(() => times.count()).toBe(5);

  await button("Edit").click();
  await page.getByRole("textbox", { name: "Schedule" }).fill("99 99 * * *");
  await button("Save").click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Schedule" }).fill("*/30 * * * *");
  await button("Save").click();
  await page.getByText("Every 30 minutes, Asia/Tokyo.").waitFor();
});

test("a webhook's curl line works as it stands, its deliveries come by themselves, are tried without effect and replayed", async () => {
  await hub.call("trigger_create", { name: "github", type: "webhook", prompt: "It says {{payload.hello}}." });
  await page.goto(`${hub.url}/triggers/github`);
  await page.getByText("No secret is set").waitFor();
  await button("Make a secret").click();
  await page.getByText("It is shown this once").waitFor();
  const line = (await page.locator("code", { hasText: "curl" }).textContent()) ?? "";
  const deliveries = page.getByRole("region", { name: "Last deliveries" });
  await shell("/bin/sh", ["-c", line.replace("X-Webhook-Secret: ", "X-Webhook-Secret: not-")]);
  await deliveries.getByText(/^Last refused .*: Its X-Webhook-Secret is another one\.$/).waitFor();
  // Typed as it is shown, into a shell.
  const { stdout } = await shell("/bin/sh", ["-c", line]);
  expect(JSON.parse(stdout), line).toMatchObject({ ok: true, trigger: "github" });
  const { runs } = await hub.call<{ runs: object[] }>("trigger_runs", { name: "github" });
  expect(runs).toMatchObject([{ trigger: "github", source: "webhook" }]);
  const { tasks } = await hub.call<{ tasks: { content: string; sender: string }[] }>("task_list", { limit: 100 });
  expect(tasks.filter(({ sender }) => sender === "trigger:github")).toMatchObject([
    { content: expect.stringContaining("world") },
  ]);

  await deliveries.getByText("by a delivery").waitFor();
  const before = await hub.call<{ total: number }>("inbox_stats");
  await deliveries.getByRole("button", { name: "What would it say now?" }).click();
  await page.getByRole("dialog").getByText(/world/).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  expect(await hub.call("inbox_stats")).toMatchObject({ total: before.total });
  await deliveries.getByRole("button", { name: "Replay" }).click();
  await expect.poll(() => deliveries.getByRole("listitem").count()).toBe(2);
  expect(await hub.call("inbox_stats")).toMatchObject({ total: before.total + 1 });
});

test("the pages of triggers are without a serious finding of axe at both widths and in both themes", async () => {
  for (const width of [375, 1440]) {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    for (const [name, path] of Object.entries({
      triggers: "/triggers",
      "trigger-cron": "/triggers/report",
      "trigger-webhook": "/triggers/github",
      "trigger-new": "/triggers?new",
    })) {
      await page.goto(hub.url + path);
      await page.locator("[data-trigger], section h2").first().waitFor({ state: "attached" });
      if (name === "trigger-new") await page.getByRole("dialog").waitFor();
      expect.soft(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name).toBe(true);
      for (const scheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        expect.soft(await findings(page), `${name} ${scheme} ${width}`).toEqual([]);
        await shoot(page, `${name}-${width}-${scheme}`);
      }
    }
  }
});

test("the runs say what will appear there, and the space is paused and resumed from the page", async () => {
  await page.goto(`${hub.url}/runs`);
  await page.getByRole("heading", { name: "Nothing was started yet" }).waitFor();
  await button("Pause").click();
  await page.getByText("Paused by admin").waitFor();
  expect(await hub.call("run_list")).toMatchObject({ paused_by: "admin" });
  expect(await findings(page)).toEqual([]);
  await hub.call("run_resume");
  await button("Pause").waitFor();
  expect(await page.getByText("Paused by admin").count()).toBe(0);
  await button("Pause").click();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByText("What has waited is started now.").waitFor();
  expect(await hub.call("run_list")).toMatchObject({ paused_at: null });
});

test("the end of what a run prints is seen while it runs, with how much came before, and it is stopped from the page", async () => {
  const program =
    "console.log('row\\n'.repeat(50_000)); console.log('line one'); setTimeout(() => console.log('line two'), 1500); setInterval(() => {}, 1000)";
  define(hub, { trigger: { argv: [process.execPath, "-e", program], cwd: hub.home } });
  await hub.call("trigger_create", { name: "builder", type: "manual", prompt: "Build it." });
  await page.goto(`${hub.url}/runs`);
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  // The hub looks now and then at what it may start.
  const becomes = async () => (await hub.call<{ becomes: string }>("trigger_test", { name: "builder" })).becomes;
  await expect.poll(becomes, { timeout: 60_000 }).toBe("run");
  await hub.call("trigger_run", { name: "builder" });
  await page.getByRole("link", { name: /For trigger builder/ }).click();
  await page.getByRole("log").getByText("line two").waitFor();
  expect(await page.getByRole("log").textContent()).toContain("line one\nline two");
  await page.getByText(/^Its end alone is shown: 13\d kB came before that\.$/).waitFor();
  const hidden = () => page.getByRole("log").evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  await expect.poll(hidden).toBeLessThan(2);
  expect.soft(await looks(page, "run")).toEqual([]);
  await button("Stop").click();
  await page.locator("header").getByText("Stopped").waitFor();
  const { runs } = await hub.call<{ runs: { state: string; stop_requested_by: string }[] }>("run_list");
  expect(runs).toMatchObject([{ state: "stopped", stop_requested_by: "admin" }]);
  await page.getByText(/^It took \d+ s\.$/).waitFor();
  await page.getByRole("link", { name: "Its trigger" }).click();
  await page.getByRole("heading", { name: "builder" }).waitFor();
});

test("what fails is counted in the sidebar and named above the runs, until it goes well", async () => {
  const program = (code: number) => ({ argv: [process.execPath, "-e", `process.exit(${code})`], cwd: hub.home });
  const line = page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: /^Runs/ });
  define(hub, { trigger: program(3) });
  await page.goto(`${hub.url}/triggers`);
  await hub.call("trigger_run", { name: "builder" });
  await expect.poll(() => line.textContent()).toMatch(/Runs\s*1\s+failing/);
  await line.click();
  const failing = page.getByRole("region", { name: "Failing" });
  await failing.getByText("failed the last time").waitFor();
  expect.soft(await looks(page, "runs-failing")).toEqual([]);
  define(hub, { trigger: program(0) });
  await hub.call("trigger_run", { name: "builder" });
  const last = async () => (await hub.call<{ runs: { state: string }[] }>("run_list", { limit: 1 })).runs;
  await expect.poll(last, { timeout: 60_000 }).toMatchObject([{ state: "done" }]);
  await failing.waitFor({ state: "detached" });
  await expect.poll(() => line.textContent()).not.toContain("failing");
});

test("what a trigger's runs cost and why they were started is seen with the trigger, in the runs and on the run's page", async () => {
  define(hub, { trigger: { ...unruly("cost:1.5"), client: "claude" } });
  await hub.call("trigger_run", { name: "builder" });
  const last = async () => (await hub.call<{ runs: { cost_usd: number | null }[] }>("run_list", { limit: 1 })).runs;
  await expect.poll(last, { timeout: 60_000 }).toMatchObject([{ state: "done", cost_usd: 1.5 }]);
  await page.goto(`${hub.url}/triggers/builder`);
  const fired = page.getByRole("listitem").filter({ hasText: "$1.50" });
  await fired.getByRole("button", { name: "Why?" }).click();
  await fired.getByText("Nothing is known to have led to it.").waitFor();
  expect.soft(await looks(page, "trigger-cost")).toEqual([]);
  await page.goto(`${hub.url}/runs`);
  const row = page.getByRole("listitem").filter({ hasText: "$1.50" });
  await row.getByRole("button", { name: /^Why\?/ }).click();
  await row.getByRole("listitem").filter({ hasText: "builder" }).waitFor();
  expect.soft(await looks(page, "runs-cost")).toEqual([]);
  // On a phone what was run keeps its name, whatever stands beside it.
  await page.setViewportSize({ width: 375, height: 740 });
  const isCut = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
    scrollWidth > clientWidth;
  expect.soft(await row.getByText("For trigger builder").evaluate(isCut)).toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByRole("link").click();
  await page.getByText("It cost $1.50.").waitFor();
  await button("Why?").click();
  await page.getByRole("listitem").filter({ hasText: "builder" }).waitFor();
});
