import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot, visitor } from "../src/testing/browser.ts";
import { composer, letThrough, log, WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  await fill(hub);
  ({ page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" }));
  await composer(page).waitFor();
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

const SCHEMES = ["light", "dark"] as const;
const WIDTHS = [375, 1440];
const ROUTES = { list: "/chat", chat: "/chat/scout", settings: "/settings", nobody: "/chat/nobody" };

for (const width of WIDTHS)
  test(`every page is without a serious finding of axe, light and dark, ${width} px`, async () => {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    for (const [name, path] of Object.entries(ROUTES)) {
      await page.goto(hub.url + path);
      await page.getByRole("heading").first().waitFor();
      if (name === "chat") await log(page).getByText("Shall I fix both?").waitFor();
      if (name === "settings") await page.getByRole("listitem").first().waitFor();
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        expect.soft(await findings(page), `${name} ${scheme} ${width}`).toEqual([]);
        await shoot(page, `${name}-${width}-${scheme}`);
      }
    }
  });

test("the page to sign in on is without a serious finding of axe", async () => {
  const context = await visitor(browser, { bypassCSP: true });
  const stranger = await context.newPage();
  for (const scheme of SCHEMES) {
    await stranger.emulateMedia({ colorScheme: scheme });
    await stranger.goto(hub.url);
    await stranger.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    expect(await findings(stranger)).toEqual([]);
    await shoot(stranger, `sign-in-1440-${scheme}`);
  }
  await context.close();
});

test("in the list of agents a long name is cut, and the time beside it is seen", async () => {
  await using hub = await WebHub.open(browser);
  const name = "a-repository-of-many-words-and-a-branch";
  const speaker = await hub.agent(name);
  await speaker.say("a line that is longer than any list of agents beside a chat is wide, and so is cut as well");
  for (const width of WIDTHS) {
    const { page } = await hub.signedIn({ at: "/chat", viewport: { width, height: 800 } });
    const time = page.getByRole("navigation", { name: "Agents" }).locator("time");
    await time.waitFor();
    const within = await page.evaluate<
      number[]
    >(`[...document.querySelectorAll("nav[aria-label=Agents] time, nav[aria-label=Agents] .last")]
      .map((node) => node.closest("nav").getBoundingClientRect().right - node.getBoundingClientRect().right)`);
    expect(Math.min(...within), `${width}`).toBeGreaterThanOrEqual(0);
    await shoot(page, `list-long-names-${width}-light`);
    await page.close();
  }
});

test("at 320 px nothing has to be scrolled sideways", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of Object.values(ROUTES)) {
    await page.goto(hub.url + path);
    await page.getByRole("heading").first().waitFor();
    const [inner, outer] = await page.evaluate<number[]>("[document.documentElement.scrollWidth, innerWidth]");
    expect(inner, path).toBeLessThanOrEqual(outer ?? 0);
  }
  await page.goto(`${hub.url}/chat/scout`);
  await log(page).getByText("Shall I fix both?").waitFor();
  const within = "((node) => [node.scrollWidth, node.clientWidth])(document.querySelector('[role=log]'))";
  const [inner, outer] = await page.evaluate<number[]>(within);
  expect(inner).toBeLessThanOrEqual(outer ?? 0);
});

test("on a phone the list leads to a chat and its arrow back to the list", async () => {
  await page.setViewportSize({ width: 375, height: 740 });
  await page.goto(`${hub.url}/chat`);
  await page.getByRole("link", { name: /mason/ }).click();
  await page.getByRole("textbox", { name: "Message to mason" }).waitFor();
  await page.getByRole("link", { name: "All agents" }).click();
  await page.getByRole("link", { name: /scout/ }).waitFor();
  expect(await composer(page).count()).toBe(0);
});

test("each message says when it was said, also where its author goes on: to who points at it, tabs to it or listens", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  for (const words of ["First this.", "Then that."]) await scout.say(words);
  const { page } = await hub.signedIn({ at: "/chat/scout", reducedMotion: "reduce" });
  const second = log(page)
    .getByRole("article", { name: /^scout, \d/ })
    .filter({ hasText: "Then that." });
  await second.waitFor();
  expect(await second.locator("header.unseen").count()).toBe(1);
  const link = second.getByRole("link", { name: /^Link to this message, \d/ });
  const seen = () => link.evaluate((node) => node.checkVisibility({ checkOpacity: true }));
  await expect.poll(seen).toBe(false);
  await second.hover();
  await expect.poll(seen).toBe(true);
  expect(await link.locator("time").textContent()).toMatch(/^\d+:\d\d/);
  await page.mouse.move(0, 0);
  await expect.poll(seen).toBe(false);
  // The focus is seen where it came by keys.
  await page.keyboard.press("Shift+Tab");
  await expect.poll(() => page.keyboard.press("Shift+Tab").then(seen)).toBe(true);
});

test("the theme that was chosen holds from the first paint on, against the system's", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${hub.url}/settings`);
  const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const light = await background();
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  // Nothing but the page itself: the app's own code never runs.
  await page.route("**/_app/**/*.js", (route) => route.abort());
  await page.reload();
  expect(await background()).toBe(dark);
  await letThrough(page);
  await page.reload();
  await page.getByRole("radio", { name: "As the system" }).check();
  await expect.poll(background).toBe(light);
});

test("everything is done with the keyboard alone", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${hub.url}/chat/scout`);
  await composer(page).waitFor();
  await expect.poll(() => focused(page)).toBe("Message to scout");
  await tabTo(page, /Skip to the content/);
  await tabTo(page, /mason/);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Message to mason" }).waitFor();
  await tabTo(page, /Message to mason/);
  await page.keyboard.type("by hand");
  await page.keyboard.press("Enter");
  await log(page).getByText("by hand").waitFor();
  await tabTo(page, /Settings/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await tabTo(page, /Sign out/);
  // Whatever has the focus shows that it has.
  const outline = "getComputedStyle(document.activeElement).outlineStyle";
  expect(await page.evaluate(outline)).not.toBe("none");
});

for (const scheme of SCHEMES)
  test(`with forced colours every state is told apart, whatever has the focus shows it, and the composer has an edge, ${scheme}`, async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ forcedColors: "active", colorScheme: scheme });
    onTestFinished(() => page.emulateMedia({ forcedColors: "none" }));
    await page.goto(`${hub.url}/chat/scout`);
    await log(page).getByText("Shall I fix both?").waitFor();
    await composer(page).waitFor();
    const agents = page.getByRole("navigation", { name: "Agents" }).getByRole("link");
    await expect.poll(() => agents.count()).toBe(3);
    await shoot(page, `forced-1440-${scheme}`);

    for (const agent of await agents.all()) expect(await colours(agent.locator(".dot"))).toBeGreaterThan(1);
    const style = (of: Locator, name: string): Promise<string> =>
      of.evaluate((node, name) => Reflect.get(globalThis, "getComputedStyle")(node).getPropertyValue(name), name);
    const backgrounds = await Promise.all((await agents.all()).map((agent) => style(agent, "background-color")));
    expect(new Set(backgrounds).size).toBe(2);
    const sections = page.getByRole("navigation", { name: "Sections" }).getByRole("link");
    expect(await style(sections.nth(1), "text-decoration-line")).toBe("underline");
    expect(await style(sections.last(), "text-decoration-line")).toBe("none");
    expect(await colours(page.locator(".box").filter({ has: composer(page) }))).toBeGreaterThan(1);

    for (const name of [/scout/, /mason/, /Settings/, /Messages/, /Message to scout/]) await seesFocus(page, name);
    await composer(page).fill("something to send");
    await seesFocus(page, /^Send$/);
    await composer(page).fill("");
    await page.goto(`${hub.url}/settings`);
    await page.getByRole("listitem").first().waitFor();
    await shoot(page, `forced-settings-1440-${scheme}`);
    await seesFocus(page, /As the system/);
    await seesFocus(page, /Sign out/);
  });

/** What is seen of it is another thing with the focus than without. */
async function seesFocus(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  const at = await page.evaluate<{ x: number; y: number; width: number; height: number }>(
    "(({ x, y, width, height }) => ({ x, y, width, height }))(document.activeElement.getBoundingClientRect())",
  );
  const x = Math.max(0, at.x - 6);
  const y = Math.max(0, at.y - 6);
  const clip = { x, y, width: at.width + 12, height: at.height + 12 };
  const focused = await page.screenshot({ clip });
  await page.evaluate("document.activeElement.blur()");
  expect(focused.equals(await page.screenshot({ clip })), String(name)).toBe(false);
}

/** How many colours there are in the picture of something. */
async function colours(of: Locator): Promise<number> {
  const picture = (await of.first().screenshot()).toString("base64");
  const easel = await browser.newPage();
  try {
    return await easel.evaluate<number>(`(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${picture}";
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return new Set(new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    })()`);
  } finally {
    await easel.close();
  }
}

async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never comes to ${name}`);
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(`(({ activeElement: it }) => it === document.body ? "" :
    it.ariaLabel ?? (it.labels?.[0]?.textContent ?? it.textContent).trim())(document)`);

/** A little of everything, as it would be on an ordinary day. */
async function fill(hub: WebHub): Promise<void> {
  const scout = await hub.agent("scout");
  const mason = await hub.agent("mason");
  await hub.call("agent_report", { lifecycle: "ready", run_phase: "sampling" }, scout.token);
  await hub.call("agent_report", { lifecycle: "ready", run_phase: "waiting_input" }, mason.token);
  await hub.call("agent_register", { name: "relay", type: "bridge" });
  const say = (content: string) => hub.call("chat_human_post", { content, agent: "scout" });
  await say("Could you look at the failing build and tell me what you find?");
  await scout.say(Array.from({ length: 90 }, (_, at) => `step ${at}: ok`).join("\n"), "text/plain");
  await say("شكرا جزيلا");
  await scout.say(
    "I looked at it. Two things are wrong:\n\n1. `resize()` is called **before** the window exists\n" +
      "2. the test waits for a fixed 200 ms, see [the log](https://ci.example.com/run/81)\n\n" +
      "```ts\nexport function resize(view: View): void {\n  if (!view.window) return; // the missing line, which is long enough to be scrolled\n}\n```\n\n" +
      "| file | lines |\n|---|---|\n| view.ts | +1 |\n\n> Shall I fix both?",
  );
  await mason.say("Which of the two drafts do you prefer?");
}
