import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { composer, KillableWebHub, letThrough, log, say, sent } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

test("WEB-8: a hub that is killed and comes back costs nothing: no message twice, none missing", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await say(page, "before");
  await log(page).getByText("before").waitFor();
  await sent(page);
  await composer(page).fill("a draft");

  await hub.kill();
  await page.getByText(/Connection lost at/).waitFor();
  expect(await composer(page).inputValue()).toBe("a draft");
  expect(await log(page).getByText("before").count()).toBe(1);

  await hub.restart();
  await scout.say("while you were away");
  await log(page).getByText("while you were away").waitFor();
  await composer(page).waitFor();
  // What was said may be there a moment before the page knows of all its streams that they are.
  await expect.poll(() => page.getByText(/Connection lost at/).count()).toBe(0);
  expect(await composer(page).inputValue()).toBe("a draft");
  expect(await log(page).locator("[data-key] .prose").allInnerTexts()).toEqual(["before", "while you were away"]);
});

test("WEB-8: with the hub away the composer keeps its text, its caret and its place, and what is sent goes when it is back", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn({ at: "/chat/scout" });
  // It has the focus when the page opens.
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("composer");
  await page.keyboard.type("one word");
  await page.keyboard.press("ArrowLeft");

  await hub.kill();
  await page.getByText(/Connection lost at/).waitFor();
  await page.getByText("What you send waits here").waitFor();
  const caret = "[document.activeElement.id, document.activeElement.selectionStart]";
  expect(await page.evaluate(caret)).toEqual(["composer", 7]);
  await page.keyboard.press("Enter");
  await page.keyboard.type("another");
  await page.keyboard.press("Enter");
  await expect.poll(() => log(page).getByText("Kept here. It is sent when the hub is back.").count()).toBe(2);
  await shoot(page, "chat-away-1440-light");

  await hub.restart();
  const said = async () =>
    (await hub.call<{ messages: { content: string }[] }>("chat_read_since", {}, scout.token)).messages;
  await expect.poll(async () => (await said()).map(({ content }) => content)).toEqual(["one word", "another"]);
  await expect.poll(() => log(page).locator("[data-key] .prose").allInnerTexts()).toEqual(["one word", "another"]);
  await expect.poll(() => log(page).getByText("Kept here").count()).toBe(0);
});

test("WEB-8: with the hub away no agent is at work, any chat can be written to, and it goes from whichever is open", async () => {
  await using hub = await KillableWebHub.open(browser);
  const [scout, mason] = [await hub.agent("scout"), await hub.agent("mason")];
  const { page } = await hub.signedIn({ at: "/chat/scout" });
  await hub.call("agent_report", { run_phase: "sampling" }, scout.token);
  const pulses = "[...document.querySelectorAll('.dot')].filter((dot) => dot.getAnimations().length > 0).length";
  await expect.poll(() => page.evaluate(pulses)).toBe(2);

  await hub.kill();
  await page.getByText(/Connection lost at/).waitFor();
  await expect.poll(() => page.evaluate(pulses)).toBe(0);
  expect(await page.locator(".mood").allInnerTexts()).toEqual(["Unknown", "Unknown · default", "Unknown"]);
  await page.getByRole("link", { name: /mason/ }).click();
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("composer");
  await say(page, "for mason");
  await log(page).getByText("Kept here. It is sent when the hub is back.").waitFor();
  await shoot(page, "chat-opened-away-1440-light");
  await page.getByRole("link", { name: /scout/ }).click();
  await page.waitForURL("**/chat/scout");

  await hub.restart();
  await expect
    .poll(async () => JSON.stringify(await hub.call("chat_read_since", {}, mason.token)))
    .toContain("for mason");
  await page.getByRole("link", { name: /mason/ }).click();
  await expect.poll(() => log(page).locator("[data-key] .prose").allInnerTexts()).toEqual(["for mason"]);
  await expect.poll(() => log(page).getByText("Kept here").count()).toBe(0);
});

test("a message on its way when the hub dies arrives once", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await say(page, "first");
  await log(page).getByText("first").waitFor();
  await sent(page);
  await page.route("**/mcp", async (route) => {
    if (!route.request().postData()?.includes("chat_human_post")) return route.continue();
    await route.fetch();
    await hub.kill();
    await route.abort();
    await letThrough(page);
  });
  await say(page, "exactly once");
  await page.getByText(/Connection lost at/).waitFor();
  await hub.restart();
  await composer(page).waitFor();
  await until(async () => (await page.getByText("Sending …").count()) === 0);
  const { messages } = await hub.call<{ messages: { content: string }[] }>("chat_read_since", {}, scout.token);
  expect(messages.map(({ content }) => content)).toEqual(["first", "exactly once"]);
  expect(await log(page).getByText("exactly once").count()).toBe(1);
});

test("a session that is revoked ends in the page at once, with a way back", async () => {
  await using hub = await KillableWebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn();
  await composer(page).waitFor();
  const { tokens } = await hub.call<{ tokens: { id: string; label?: string | null }[] }>("token_list");
  const session = tokens.find(({ label }) => label?.startsWith("browser"));
  await hub.call("token_revoke", { id: session?.id });
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  await page.getByText(hub.line("login"), { exact: true }).waitFor();

  await page.goto(await hub.link());
  await composer(page).waitFor();
});

test("a message of 1 MiB is shown in part, with its size, and whole when asked for", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page, complaints } = await hub.signedIn();
  const lines = Array.from({ length: 32 * 1024 }, (_, at) => `line ${String(at).padStart(26, "0")}`);
  await scout.say(`${lines.join("\n")}\n`, "text/plain");
  const more = log(page).getByRole("button", { name: "Show all, 1.0 MB" });
  await more.click();
  await log(page).getByRole("button", { name: "Show less" }).waitFor();
  expect((await log(page).locator(".verbatim").textContent())?.length).toBe(1024 * 1024);
  await say(page, "still alive");
  await log(page).getByText("still alive").waitFor();
  expect(complaints).toEqual([]);
});

test("contents that make no sense leave what was there, and the page alive", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await composer(page).waitFor();
  await page.route("**/mcp", async (route) => {
    if (!route.request().postData()?.includes("space_glance")) return route.continue();
    const response = await route.fetch();
    const result = { content: [], structuredContent: { parts: { agents: { agents: [{ name: 7 }] } } } };
    await route.fulfill({ response, json: { jsonrpc: "2.0", id: 1, result } });
  });
  await hub.call("agent_report", { run_phase: "sampling" }, scout.token);
  await scout.say("still here");
  await log(page).getByText("still here").waitFor();
  expect(await page.getByRole("link", { name: /scout/ }).count()).toBe(1);
  await composer(page).waitFor();
});

test("a clock that is hours off in the browser changes no time on the page", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  await scout.say("just now");
  const { page } = await hub.signedIn();
  await page.clock.setSystemTime(Date.now() + 30 * 3_600_000);
  await page.goto(`${hub.url}/chat/scout`);
  await log(page).getByText("just now").waitFor();
  expect(await log(page).locator("h3").allInnerTexts()).toEqual(["Today"]);
  await page.getByRole("navigation", { name: "Agents" }).getByText("now", { exact: true }).waitFor();
});
