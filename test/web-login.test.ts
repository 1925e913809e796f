import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot, visitor, Watched } from "../src/testing/browser.ts";
import { composer, log, say, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const signIn = { name: "Sign in to Parley" };

/** Who is signed in is asked before they become somebody else. */
async function becomes(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Sign in as ${name}` }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

test("without a code or a session the page says how to get in", async () => {
  await using hub = await WebHub.open(browser);
  const context = await visitor(browser);
  const { page, foreign } = new Watched(await context.newPage(), hub.url);
  await page.goto(hub.url);
  await page.getByRole("heading", signIn).waitFor();
  await page.getByText(hub.line("login"), { exact: true }).waitFor();
  expect(foreign).toEqual([]);
});

test("WEB-12: the code leaves the address bar, opening the link again does no harm, a fresh one replaces the session", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const context = await visitor(browser);
  const page = await context.newPage();
  const link = await hub.link();
  // A browser that looks ahead fetches the address, without the fragment.
  await fetch(link);
  await page.goto(link);
  await composer(page).waitFor();
  expect(page.url()).toBe(`${hub.url}/chat`);
  await page.goBack().catch(() => undefined);
  expect(page.url()).not.toContain("code");

  await page.goto("about:blank");
  await page.goto(link);
  await composer(page).waitFor();

  const before = await context.cookies();
  await page.goto(await hub.link());
  await composer(page).waitFor();
  await expect.poll(async () => (await context.cookies())[0]?.value).not.toBe(before[0]?.value);
  expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: "/" }]);
});

test("a code nobody gave out is refused with a sentence", async () => {
  await using hub = await WebHub.open(browser);
  const page = await (await visitor(browser)).newPage();
  await page.goto(`${hub.url}/#code=parley_nonsense`);
  await page.getByRole("heading", signIn).waitFor();
  expect((await page.getByRole("alert").innerText()).length).toBeGreaterThan(10);
  expect(page.url()).not.toContain("nonsense");
});

test("a link opened in the page that is open signs in without a reload", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const page = await (await visitor(browser)).newPage();
  await page.goto(hub.url);
  await page.getByRole("heading", signIn).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(new URL(await hub.link()).hash)}`);
  await composer(page).waitFor();
  expect(page.url()).not.toContain("code");
});

test("who signs in after somebody finds nothing that they wrote, and they find it again", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn();
  const text = page.getByRole("textbox", { name: "Text" });
  /** What waits in the browser to be written on or sent: in the chat, and as mail. */
  const found = async (link: string, name: string, unsent: number): Promise<string[]> => {
    await page.goto(link);
    await becomes(page, name);
    await composer(page).waitFor();
    // The composer is there before what was said is.
    await expect.poll(() => log(page).getByText("not said yet").count()).toBe(unsent);
    const draft = await composer(page).inputValue();
    await page.goto(`${hub.url}/mail?compose`);
    return [draft, await text.inputValue()];
  };
  await page.route("**/mcp", (route) =>
    route.request().postData()?.includes("chat_human_post")
      ? route.fulfill({ status: 403, json: { error: "Not today.", code: "FORBIDDEN" } })
      : route.continue(),
  );
  await say(page, "not said yet");
  await log(page)
    .getByText(/^Not sent/)
    .waitFor();
  await composer(page).fill("a word");
  await page.goto(`${hub.url}/mail?compose`);
  await text.fill("a letter");

  expect(await found(await hub.link("ben"), "ben", 0)).toEqual(["", ""]);
  expect(await found(await hub.link(), "admin", 1)).toEqual(["a word", "a letter"]);
});

test("whoever signs in, in another tab or in this one, takes the place of who was here: nothing is said in their name", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const authors = async () => {
    const { messages } = await hub.call<{ messages: { author_principal: string; content: string }[] }>(
      "chat_read_since",
      {},
      scout.token,
    );
    return messages.map(({ author_principal, content }) => `${author_principal}: ${content}`);
  };
  const { page } = await hub.signedIn();
  const { principal } = await hub.call<{ principal: string }>("whoami");
  await page.goto(`${hub.url}/chat/scout`);
  await say(page, "from the first");
  await expect.poll(authors).toEqual([`${principal}: from the first`]);
  await composer(page).fill("words of the first");

  const other = await page.context().newPage();
  await other.goto((await hub.link("ben")).replace("/#", "/chat/scout#"));
  await becomes(other, "ben");
  await expect.poll(() => composer(page).inputValue()).toBe("");
  await say(page, "from ben");
  await expect.poll(authors).toEqual([`${principal}: from the first`, "ben: from ben"]);
  await log(other).getByText("from ben").waitFor();
  await composer(page).fill("words of ben");

  // A link that is opened where the page is open already.
  await page.evaluate(`location.hash = ${JSON.stringify(new URL(await hub.link()).hash)}`);
  await becomes(page, principal);
  await expect.poll(() => composer(page).inputValue()).toBe("words of the first");
  await expect.poll(() => composer(other).inputValue()).toBe("words of the first");
  await composer(page).press("Enter");
  await expect.poll(async () => (await authors()).at(-1)).toBe(`${principal}: words of the first`);
  await log(other).getByText("words of the first").waitFor();
});

test("a link of somebody else's is asked about first: staying changes nothing in any tab, and the link is still good", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn({ viewport: { width: 375, height: 800 }, colorScheme: "dark" });
  const cookie = async () => (await page.context().cookies())[0]?.value;
  const before = await cookie();
  await page.goto(`${hub.url}/chat/scout`);
  await composer(page).fill("half a sentence");
  const link = (await hub.link("eve")).replace("/#", "/chat/scout#");
  const other = await page.context().newPage();
  await other.goto(link);
  await other.getByRole("heading", { name: "Sign in as eve?" }).waitFor();
  await shoot(other, "login-other-375-dark");
  await other.getByRole("button", { name: "Stay admin" }).click();
  await composer(other).waitFor();
  await expect.poll(() => other.getByRole("dialog").count()).toBe(0);
  expect(await cookie()).toBe(before);
  expect(await composer(page).inputValue()).toBe("half a sentence");
  await other.reload();
  await composer(other).waitFor();
  expect(await other.getByRole("dialog").count()).toBe(0);

  const eve = await (await visitor(browser)).newPage();
  await eve.goto(link);
  await composer(eve).waitFor();
});

test("signing out ends the session here and in every tab of this browser", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn();
  const other = await page.context().newPage();
  await other.goto(`${hub.url}/chat/scout`);
  await composer(other).waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Sign out of this browser" }).click();
  await page.getByRole("heading", signIn).waitFor();
  await other.getByRole("heading", signIn).waitFor();
  await page.goto(hub.url);
  await page.getByRole("heading", signIn).waitFor();
});

test("another session is listed and revoked in the settings, and its page is out at once", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const phone = await hub.signedIn();
  await composer(phone.page).waitFor();
  const { page } = await hub.signedIn();
  await page.getByRole("link", { name: "Settings" }).click();
  const sessions = page.getByRole("listitem").filter({ hasText: /browser/ });
  await expect.poll(() => sessions.count()).toBe(2);
  const revoke = sessions.last().getByRole("button", { name: /^Revoke/ });
  await revoke.click();
  await sessions
    .last()
    .getByRole("button", { name: /^Really revoke/ })
    .click();
  await phone.page.getByRole("heading", signIn).waitFor();
  await expect.poll(() => sessions.count()).toBe(1);
});

test("a session that was revoked elsewhere is said to be, in a sentence without its id or a time stamp", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn();
  await page.goto(`${hub.url}/settings`);
  const [revoke, sure] = [/^Revoke scout, /, /^Really revoke scout, /].map((name) =>
    page.getByRole("button", { name }),
  );
  const { tokens } = await hub.call<{ tokens: { id: string; principal: string }[] }>("token_list");
  const { id } = tokens.find(({ principal }) => principal === "scout") ?? {};
  await revoke?.click();
  await hub.call("token_revoke", { id });
  expect(await sure?.getAttribute("aria-label")).not.toContain(id);
  await sure?.click();
  await page.getByRole("alert").getByText("It was revoked already.", { exact: true }).waitFor();
  await expect.poll(() => revoke?.count()).toBe(0);
});

test("the list of sessions says which one is this browser, and what ending it means", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const phone = await hub.signedIn();
  const { page } = await hub.signedIn();
  await page.getByRole("link", { name: "Settings" }).click();
  const here = page.getByRole("listitem").filter({ hasText: "This browser" });
  await here.waitFor();
  expect(await here.count()).toBe(1);
  await here.getByRole("button", { name: /^Sign out .*this browser/ }).click();
  await here.getByText("You will be signed out here").waitFor();
  await shoot(page, "sessions-sure-1440");
  await page.setViewportSize({ width: 375, height: 740 });
  await here.scrollIntoViewIfNeeded();
  await shoot(page, "sessions-sure-375");
  // Whoever hesitates is still in.
  await page.getByRole("heading", { name: "Settings" }).click();
  await here.getByText("You will be signed out here").waitFor({ state: "detached" });
  await here.getByRole("button", { name: /^Sign out/ }).click();
  await here.getByRole("button", { name: /^Really sign out/ }).click();
  await page.getByRole("heading", signIn).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  // That the session has ended may be heard before the answer that takes the cookie away.
  await expect.poll(() => page.context().cookies()).toEqual([]);
  await page.reload();
  await page.getByRole("heading", signIn).waitFor();
  await composer(phone.page).waitFor();
});

test("a page of another origin gets nothing and posts nothing, signed in or not", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await say(page, "ours");
  await log(page).getByText("ours").waitFor();

  const evil = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>evil</title>"),
  );
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  try {
    const attacker = await page.context().newPage();
    // `address` is a text only for pipes.
    await attacker.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const tries = ["text/plain", "application/json"].flatMap((type) =>
      ["/api/tools/chat_human_post", "/mcp", "/logout", "/login"].map((path) => [hub.url + path, type]),
    );
    const answers = await attacker.evaluate(`Promise.all(${JSON.stringify(tries)}.map(([url, type]) =>
      fetch(url, { method: "POST", credentials: "include", headers: { "content-type": type },
        body: JSON.stringify({ content: "theirs" }) }).then((r) => r.text(), () => "refused")))`);
    expect(answers).toEqual(tries.map(() => "refused"));
    expect(
      await attacker.evaluate(`fetch(${JSON.stringify(`${hub.url}/events?topics=chat`)}, { credentials: "include" })
        .then(() => "read", () => "refused")`),
    ).toBe("refused");
    await attacker.setContent(`<iframe src="${hub.url}/chat"></iframe>`);
    await attacker.waitForLoadState();
    expect(await attacker.frames()[1]?.locator("#main").count()).toBe(0);
  } finally {
    evil.closeAllConnections();
    evil.close();
  }
  const { messages } = await hub.call<{ messages: { content: string }[] }>("chat_read_since", {}, scout.token);
  expect(messages.map(({ content }) => content)).toEqual(["ours"]);
  await page.reload();
  await composer(page).waitFor();
});
