/** Every part of `lib/ui` in every state, as those see it who work on the app. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot, visitor } from "../src/testing/browser.ts";
import { freePort } from "../src/testing/ports.ts";
import { until } from "../src/testing/process.ts";
import { WebHub } from "../src/testing/web.ts";

const WEB = fileURLToPath(new URL("../web", import.meta.url));
const VITE = fileURLToPath(new URL("../node_modules/vite/bin/vite.js", import.meta.url));

let browser: Browser;
let hub: WebHub;
let page: Page;
let stop: () => Promise<void>;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [VITE, "dev", "--host", "127.0.0.1", "--port", String(port), "--strictPort"];
  const env = { ...process.env, PARLEY_URL: hub.url, PARLEY_TOKEN: hub.admin };
  const vite = spawn(process.execPath, args, { cwd: WEB, env, stdio: "ignore" });
  stop = async () => {
    const gone = once(vite, "exit");
    vite.kill("SIGKILL");
    await gone;
  };
  const isThere = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  // It gathers what the app imports first, which takes minutes on a busy machine.
  await until(isThere, 240_000);
  const context = await visitor(browser, { reducedMotion: "reduce" });
  page = await context.newPage();
  await page.goto(`${url}/parts`);
});
afterAll(async () => {
  await closeContexts(browser);
  await stop();
  await hub[Symbol.asyncDispose]();
});

test("every part that there is stands on the page, under its name", async () => {
  const files = readdirSync(join(WEB, "src", "lib", "ui")).filter((name) => name.endsWith(".svelte"));
  await page.getByRole("heading", { name: "Parts" }).waitFor();
  const names = await page.locator("section > h2").allTextContents();
  expect(names.flatMap((name) => name.split(", ")).toSorted()).toEqual(
    files.map((name) => name.replace(".svelte", "")).toSorted(),
  );
});

for (const scheme of ["light", "dark"] as const)
  test(`every part is without a serious finding of axe in every state, ${scheme}`, async () => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.getByRole("heading", { name: "Parts" }).waitFor();
    for (const width of [375, 1440]) {
      await page.setViewportSize({ width, height: 1600 });
      expect.soft(await findings(page), `${width}`).toEqual([]);
      await shoot(page, `parts-${width}-${scheme}`);
    }
    for (const [name, role] of [
      ["Open a dialog", "dialog"],
      ["Open a sheet", "dialog"],
      ["Open a popover", "dialog"],
      ["Open a menu", "menu"],
    ] as const) {
      await page.getByRole("button", { name }).click();
      await page.getByRole(role).waitFor();
      expect.soft(await findings(page), name).toEqual([]);
      await shoot(page, `parts-${name.replaceAll(" ", "-").toLowerCase()}-${scheme}`);
      await page.keyboard.press("Escape");
      await page.getByRole(role).waitFor({ state: "detached" });
      // Whoever closes it goes on where they were.
      await expect
        .poll(() => page.getByRole("button", { name }).evaluate((it) => it === it.ownerDocument.activeElement))
        .toBe(true);
    }
    await page.getByRole("combobox", { name: "To" }).click();
    await page.getByRole("option", { name: "mason" }).waitFor();
    expect.soft(await findings(page), "combobox").toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("option", { name: "mason" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Point at it" }).hover();
    await page.getByText("What it does").waitFor();
    await page.mouse.move(0, 0);
  });

test("what is built for others has no such page", async () => {
  const { page } = await hub.signedIn({ at: "/parts" });
  await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
});
