import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { composer, letThrough, log, say, sent, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

test("a person and an agent talk, and both see it without a reload", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page, complaints, foreign } = await hub.signedIn();

  await say(page, "hello scout");
  const mine = log(page).getByText("hello scout");
  await mine.waitFor();
  await until(async () => JSON.stringify(await hub.call("chat_read_since", {}, scout.token)).includes("hello scout"));
  await scout.say("hello **ana**");
  await log(page).locator("strong", { hasText: "ana" }).waitFor();

  await page.reload();
  await mine.waitFor();
  expect(await mine.count()).toBe(1);
  expect(await log(page).locator("strong", { hasText: "ana" }).count()).toBe(1);
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});

test("WEB-2, WEB-3: Enter sends, Shift+Enter does not, and nothing is sent twice or empty", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  const send = page.getByRole("button", { name: "Send" });

  await composer(page).fill("   ");
  expect(await send.isDisabled()).toBe(true);
  await composer(page).fill("first line");
  await composer(page).press("Shift+Enter");
  await composer(page).pressSequentially("second line");
  expect(await composer(page).inputValue()).toBe("first line\nsecond line");
  await send.dblclick();
  await log(page).getByText("second line").waitFor();
  expect(await composer(page).inputValue()).toBe("");
  await sent(page);
  await say(page, "afterwards");
  await log(page).getByText("afterwards").waitFor();

  const { messages } = await until(async () => {
    const told = await hub.call<{ messages: { content: string }[] }>("chat_read_since", {}, scout.token);
    return told.messages.length >= 2 ? told : undefined;
  });
  expect(messages.map(({ content }) => content)).toEqual(["first line\nsecond line", "afterwards"]);
});

test("WEB-3: Enter that ends a composed word does not send", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn();
  await composer(page).fill("日本");
  await composer(page).dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true });
  await composer(page).dispatchEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true });
  expect(await composer(page).inputValue()).toBe("日本");
});

test("WEB-3: each agent has a draft of its own, kept over a reload", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  await hub.agent("mason");
  const { page } = await hub.signedIn();

  await composer(page).fill("for scout");
  await page.getByRole("link", { name: /mason/ }).click();
  await page.waitForURL("**/chat/mason");
  await page.getByRole("textbox", { name: "Message to mason" }).fill("for mason");
  await page.reload();
  expect(await page.getByRole("textbox", { name: "Message to mason" }).inputValue()).toBe("for mason");
  await page.goto(`${hub.url}/chat/scout`);
  expect(await page.getByRole("textbox", { name: "Message to scout" }).inputValue()).toBe("for scout");
});

test("WEB-4: an own message shows at once, and once when the hub's copy arrives before its answer", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await page.route("**/mcp", async (route) => {
    const response = route.request().postData()?.includes("chat_human_post") ? await route.fetch() : undefined;
    if (!response) return route.continue();
    // The answer waits until the copy has come by the other way, which the agent's reply shows.
    await log(page).getByText("I have it already").waitFor();
    await route.fulfill({ response });
  });

  await say(page, "only once");
  await log(page).getByText("only once").waitFor();
  await until(async () => JSON.stringify(await hub.call("chat_read_since", {}, scout.token)).includes("only once"));
  await scout.say("I have it already");
  await log(page).getByText("I have it already").waitFor();
  expect(await log(page).getByText("only once").count()).toBe(1);
  await page.unrouteAll({ behavior: "wait" });
  await scout.say("done");
  await log(page).getByText("done").waitFor();
  expect(await log(page).getByText("only once").count()).toBe(1);
  expect(await log(page).getByText("Sending …").count()).toBe(0);
});

test("WEB-2: what could not be sent stays, says why, and is sent once when tried again", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await page.route("**/mcp", (route) =>
    route.request().postData()?.includes("chat_human_post")
      ? route.fulfill({ status: 403, json: { error: "Not today.", code: "FORBIDDEN" } })
      : route.continue(),
  );
  await say(page, "keep me");
  await log(page).getByText("Not sent. Not today.").waitFor();
  await page.reload();
  await log(page).getByText("keep me").waitFor();
  await letThrough(page);
  await log(page).getByRole("button", { name: "Try again" }).click();
  await log(page).getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
  await sent(page);
  expect(await log(page).getByText("keep me").count()).toBe(1);
  const { messages } = await hub.call<{ messages: unknown[] }>("chat_read_since", {}, scout.token);
  expect(messages).toHaveLength(1);
});

test("WEB-13: two tabs show the same timeline", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  const other = await page.context().newPage();
  await other.goto(`${hub.url}/chat/scout`);
  await say(page, "from the first");
  await log(other).getByText("from the first").waitFor();
  await say(other, "from the second");
  await scout.say("to both");
  await log(page).getByText("to both").waitFor();
  await log(other).getByText("to both").waitFor();
  const texts = (tab: Page) => log(tab).locator("[data-key] .prose").allInnerTexts();
  await log(page).getByText("from the second").waitFor();
  expect(await texts(page)).toEqual(await texts(other));
  expect((await texts(page)).toSorted()).toEqual(["from the first", "from the second", "to both"]);
});

test("WEB-1: a bridge has no composer and says why, while its timeline stays", async () => {
  await using hub = await WebHub.open(browser);
  await hub.call("agent_register", { name: "relay", type: "bridge" });
  const { page } = await hub.signedIn({ at: "/chat/relay" });
  await page.getByText("relay only relays messages").waitFor();
  expect(await composer(page).count()).toBe(0);
});

test("an agent that only has a token is not ready, and is once it is heard of", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn({ at: "/chat/scout" });
  const moods = page.locator(".mood");
  await expect.poll(() => moods.allInnerTexts()).toEqual(["Not reporting · default", "Not reporting"]);
  await hub.call("agent_heartbeat", {}, scout.token);
  await expect.poll(() => moods.allInnerTexts()).toEqual(["Ready · default", "Ready"]);
});

test("an agent that says nothing of it is seen to wait for approval while its question is open", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await hub.call("agent_heartbeat", {}, scout.token);
  const { page } = await hub.signedIn({ at: "/chat/scout" });
  const moods = page.locator(".mood");
  await expect.poll(() => moods.allInnerTexts()).toEqual(["Ready · default", "Ready"]);
  const asked = { key: "k", call_id: "c", server: "runtime", tool: "exec", arguments: {} };
  const { id, digest } = await hub.call<{ id: string; digest: string }>("approval_request", asked, scout.token);
  await expect.poll(() => moods.allInnerTexts()).toEqual(["Waiting for approval · default", "Waiting for approval"]);
  await hub.call("approval_decide", { id, digest, decision: "approve" });
  await expect.poll(() => moods.allInnerTexts()).toEqual(["Ready · default", "Ready"]);
  const chosen = { key: "q", kind: "question", title: "Which?", choices: ["left", "right"] };
  await hub.call("notice_raise", chosen, scout.token);
  await page.locator("header .mood").getByRole("link", { name: "Waiting for you" }).click();
  await page.getByRole("button", { name: "Left" }).click();
  await page.getByText("Nothing of scout’s waits here.").waitFor();
  await page.goBack();
  await expect.poll(() => moods.allInnerTexts()).toEqual(["Ready · default", "Ready"]);
});

test("an agent that waits for approval leads to what it asks, among much else, or says that it does not ask here", async () => {
  await using hub = await WebHub.open(browser);
  const [scout, mason] = [await hub.agent("scout"), await hub.agent("mason")];
  const ask = (token: string, key: string) =>
    hub.call("approval_request", { key, call_id: key, server: "runtime", tool: key, arguments: {} }, token);
  for (let at = 1; at <= 12; at += 1) await ask(mason.token, `mason asks ${at}`);
  for (const [width, colorScheme] of [
    [1440, "light"],
    [375, "dark"],
  ] as const) {
    const { page } = await hub.signedIn({ at: "/chat/scout", viewport: { width, height: 800 }, colorScheme });
    await hub.call("agent_report", { run_phase: "waiting_approval" }, scout.token);
    const link = page.locator("header .mood").getByRole("link", { name: "Waiting for approval" });
    await link.click();
    await page.getByText("Nothing of scout’s waits here.").waitFor();
    await page.goBack();

    await ask(scout.token, `scout asks at ${width}`);
    await link.click();
    const card = page.getByRole("listitem").filter({ hasText: `scout asks at ${width}` });
    await expect.poll(() => page.evaluate("document.activeElement?.innerText")).toContain(`scout asks at ${width}`);
    await expect.poll(() => page.evaluate(WITHIN_WINDOW)).toBe(true);
    expect(await page.getByText("Nothing of scout’s").count()).toBe(0);
    await shoot(page, `approval-led-to-${width}-${colorScheme}`);
    await card.getByRole("button", { name: "Deny…" }).click();
    await card.getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("Nothing of scout’s waits here.").waitFor();
    await page.close();
  }
});

test("what was read in one browser is read in the other: no New in its list, no line in its chat", async () => {
  await using hub = await WebHub.open(browser);
  const [scout, mason] = [await hub.agent("scout"), await hub.agent("mason")];
  const [{ page: here }, { page: there }] = [await hub.signedIn(), await hub.signedIn()];
  const fresh = there.getByRole("link", { name: /scout/ }).getByText("New", { exact: true });
  for (const page of [here, there]) {
    await page.goto(`${hub.url}/chat/mason`);
    await composer(page).waitFor();
  }
  await mason.say("hello");
  await scout.say("one");
  await fresh.waitFor();
  await here.goto(`${hub.url}/chat/scout`);
  await log(here).getByText("one", { exact: true }).waitFor();
  // Nobody has to load anything anew: it is enough to look at it again.
  await expect.poll(() => lookedAt(there, fresh)).toBe(0);

  await here.goto(`${hub.url}/chat/mason`);
  await log(here).getByText("hello", { exact: true }).waitFor();
  await scout.say("two");
  await fresh.waitFor();
  await here.goto(`${hub.url}/chat/scout`);
  await log(here).getByText("two", { exact: true }).waitFor();
  expect(await log(here).getByText("New", { exact: true }).count()).toBe(1);
  await expect.poll(() => lookedAt(there, fresh)).toBe(0);
  // Read or not, where it began to be new stays to be seen as long as the chat is open.
  expect(await log(here).getByText("New", { exact: true }).count()).toBe(1);
  await there.goto(`${hub.url}/chat/scout`);
  await log(there).getByText("two", { exact: true }).waitFor();
  expect(await log(there).getByText("New", { exact: true }).count()).toBe(0);
});

const WITHIN_WINDOW = `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
  document.activeElement.getBoundingClientRect(),
)`;

async function lookedAt(page: Page, what: Locator): Promise<number> {
  await page.evaluate("dispatchEvent(new Event('focus'))");
  return what.count();
}
