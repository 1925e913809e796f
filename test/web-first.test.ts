/** The first view: asked for before the page's script is here, drawn once, and never more than a glance. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { composer, KillableWebHub, log, mailLink, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

/** What the page asks the hub for, as it asks for it: the name of a tool, a resource, or a method. */
function asked(page: Page): string[] {
  const names: string[] = [];
  page.on("request", (request) => {
    const headers = request.headers();
    if (request.url().endsWith("/mcp")) names.push(headers["mcp-name"] ?? headers["mcp-method"] ?? "");
  });
  return names;
}

const shown = (page: Page): Promise<string[]> => log(page).locator("[data-key] .prose").allInnerTexts();

async function withChat(): Promise<{ hub: KillableWebHub; page: Page }> {
  const hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  await scout.say("**one**");
  await scout.say("two");
  const { page } = await hub.signedIn();
  await log(page).getByText("two").waitFor();
  await page.goto("about:blank");
  return { hub, page };
}

test("each thing is asked for once before the first view is drawn, and all else after it", async () => {
  const { hub, page } = await withChat();
  await using _ = hub;
  const names = asked(page);
  await page.goto(`${hub.url}/chat/scout`);
  await log(page).getByText("two").waitFor();
  await expect.poll(() => names).toContain("whoami");
  const first = ["chat_read_before", "space_glance"];
  expect(names.slice(0, 2)).toEqual(first);
  const rest = names.slice(2, names.indexOf("subscriptions/listen"));
  expect(rest.filter((name) => first.includes(name))).toEqual([]);
  expect(await shown(page)).toEqual(["one", "two"]);
});

test("what could not be had first is asked for again, and the page comes as ever", async () => {
  const { hub, page } = await withChat();
  await using _ = hub;
  let failures = 0;
  await page.route("**/mcp", async (route) => {
    failures += 1;
    if (failures === 1) await route.abort();
    else if (failures === 2) await route.fulfill({ status: 503, body: "busy" });
    else if (failures === 3) await route.fulfill({ status: 200, contentType: "application/json", body: "{}" });
    else await route.continue();
  });
  await page.goto(`${hub.url}/chat/scout`);
  await composer(page).waitFor();
  await page.getByRole("link", { name: /scout/ }).waitFor();
  await expect.poll(() => shown(page)).toEqual(["one", "two"]);
});

test("an answer that is late is waited for and not asked for twice, while the page is there", async () => {
  const { hub, page } = await withChat();
  await using _ = hub;
  const names = asked(page);
  const held = Promise.withResolvers<void>();
  await page.route("**/mcp", async (route) => {
    const { "mcp-name": name, "mcp-method": method } = route.request().headers();
    // Once it listens it reads what came meanwhile, however soon that is.
    if (name === "chat_read_before" || method === "subscriptions/listen") await held.promise;
    await route.continue();
  });
  await page.goto(`${hub.url}/chat/scout`);
  await page.getByRole("status", { name: "Loading messages" }).waitFor();
  expect(names.filter((name) => name === "chat_read_before")).toHaveLength(1);
  held.resolve();
  await expect.poll(() => shown(page)).toEqual(["one", "two"]);
});

test("what is said between the first answer and the page is shown with the rest", async () => {
  const { hub, page } = await withChat();
  await using _ = hub;
  const held = Promise.withResolvers<void>();
  await page.route("**/_app/**/*.js", async (route) => {
    await held.promise;
    await route.continue();
  });
  await Promise.all([
    page.waitForResponse((response) => response.request().headers()["mcp-name"] === "chat_read_before"),
    // It is not loaded before the script is.
    page.goto(`${hub.url}/chat/scout`, { waitUntil: "commit" }),
  ]);
  await hub.call("chat_human_post", { content: "three", agent: "scout" });
  held.resolve();
  await expect.poll(() => shown(page)).toEqual(["one", "two", "three"]);
});

test("who signs in with another link sees nothing that was asked for whoever was here before", async () => {
  const { hub, page } = await withChat();
  await using _ = hub;
  const names = asked(page);
  await page.goto((await hub.link("ben")).replace("/#", "/chat/scout#"));
  await page.getByRole("button", { name: "Sign in as ben" }).click();
  await expect.poll(() => shown(page)).toEqual(["one", "two"]);
  // The link itself is exchanged first, and it is not asked who that is before.
  expect(names[0]).toBe("whoami");
});

test("no other section is loaded before the first view is drawn; soon after all are, and open with the hub away", async () => {
  const { hub, page } = await withChat();
  await using _ = hub;
  const named = await fetch(hub.url).then((response) => response.text());
  const order: string[] = [];
  const loading = new Set<string>();
  page.on("request", (request) => {
    const url = request.url();
    if (url.includes("/_app/")) loading.add(url);
    // Each section has a style sheet of its own, which the page itself does not name.
    if (url.endsWith(".css") && !named.includes(new URL(url).pathname)) order.push("another section");
    if (request.headers()["mcp-name"] === "whoami") order.push("after the first view");
  });
  page.on("requestfinished", (request) => loading.delete(request.url()));
  await page.goto(`${hub.url}/chat/scout`);
  await log(page).getByText("two").waitFor();
  await expect.poll(() => order.includes("another section") && loading.size === 0).toBe(true);
  expect(order[0]).toBe("after the first view");
  await hub.kill();
  await mailLink(page).click();
  await page.getByRole("navigation", { name: "Mailboxes" }).first().waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test.for(["en-US", "de-DE", "ja-JP", "ar-EG", "en-GB"])(
  "the time of a message is written as %s writes it, on the first visit and from memory",
  async (locale) => {
    await using hub = await WebHub.open(browser);
    const scout = await hub.agent("scout");
    await scout.say("one");
    const { page } = await hub.signedIn({ locale, timezoneId: "Asia/Kolkata" });
    for (let visit = 0; visit < 2; visit += 1) {
      const time = log(page).locator("article time").last();
      await time.waitFor({ state: "attached" });
      const [text, ts] = [await time.textContent(), await time.getAttribute("datetime")];
      const format = `new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })`;
      expect(text).toBe(await page.evaluate(`${format}.format(new Date(${JSON.stringify(ts)}))`));
      await page.goto(`${hub.url}/chat/scout`);
    }
  },
);
