/** What a page asks of its hub: no more with many agents and much mail than with few and little. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch } from "../src/testing/browser.ts";
import { composer, type Speaker, sendMail, WebHub } from "../src/testing/web.ts";

const AGENTS = 40;
const MAILS_OF_EACH = 25;
const QUIET_MS = 1500;

let browser: Browser;
let hub: WebHub;
let page: Page;
const agents: Speaker[] = [];
beforeAll(async () => {
  browser = await launch();
  hub = await WebHub.open(browser, { PARLEY_RATE_LIMIT: "100000" });
  for (let at = 0; at < AGENTS; at += 1) agents.push(await hub.agent(`agent-${at}`));
  await Promise.all(agents.map((agent, at) => write(agent, at)));
  ({ page } = await hub.signedIn());
  await composer(page).waitFor();
});
afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

async function write(agent: Speaker, at: number): Promise<void> {
  await agent.say(`Hello from agent ${at}.`);
  for (let mail = 0; mail < MAILS_OF_EACH; mail += 1)
    await sendMail(hub, agent, { subject: `Report ${mail} of ${at}`, body: "All is well here. ".repeat(10) });
}

/** What is asked of the hub until nothing was for a while: the names, and the bytes of the answers as they came. */
async function asked(run: () => Promise<unknown>): Promise<{ names: string[]; bytes: number }> {
  const names: string[] = [];
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let last = performance.now();
  const calls = new Set<string>();
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (!request.url.endsWith("/mcp")) return;
    last = performance.now();
    calls.add(requestId);
    names.push(request.headers["mcp-name"] ?? request.headers["mcp-method"] ?? "");
  });
  session.on("Network.dataReceived", ({ requestId, encodedDataLength, dataLength }) => {
    if (calls.has(requestId)) bytes += encodedDataLength || dataLength;
  });
  await run();
  await expect.poll(() => performance.now() - last > QUIET_MS).toBe(true);
  await session.detach();
  return { names, bytes };
}

test("the mail is opened with five requests and 100 KB, with a thousand unread and forty agents", async () => {
  // Whom there is is known from the last time.
  await page.goto(`${hub.url}/mail`);
  await page.locator("a[data-mail]").first().waitFor();
  await asked(async () => {});
  const { names, bytes } = await asked(async () => {
    await page.goto(`${hub.url}/mail`);
    await page.locator("a[data-mail]").first().waitFor();
  });
  const listed = ["chat_list", "mail_inbox", "subscriptions/listen", "ui://agents", "whoami"];
  expect(names.toSorted()).toEqual(listed);
  expect(bytes).toBeLessThan(100_000);
  const unread = page.getByRole("navigation", { name: "Mailboxes" }).getByRole("link", { name: "Your mail" });
  expect(await unread.first().textContent()).toContain("1000");
});

test("a chat is opened with at most twelve requests with forty agents", async () => {
  const { names, bytes } = await asked(async () => {
    await page.goto(`${hub.url}/chat/agent-7`);
    await composer(page).waitFor();
  });
  expect(names.length, names.join(" ")).toBeLessThanOrEqual(12);
  expect(bytes).toBeLessThan(100_000);
});

test("what happens in one mailbox, or in a chat that is not open, costs one request", async () => {
  const { token } = await hub.call<{ token: string }>("token_create", { role: "human", name: "ben" });
  const ben = { token, say: () => Promise.reject(new Error("ben is no agent")) };
  await page.goto(`${hub.url}/mail`);
  await page.locator("a[data-mail]").first().waitFor();
  await asked(async () => {});
  const own = await asked(() => sendMail(hub, ben, { to: ["admin"], subject: "One more", body: "b" }));
  expect(own.names).toEqual(["mail_inbox"]);
  const other = await asked(() => sendMail(hub, ben, { to: ["agent-3"], subject: "For agent 3", body: "b" }));
  expect(other.names).toEqual(["mail_counts"]);
  const said = await asked(() => agents[5]?.say("Something else.") ?? Promise.reject(new Error("no agent")));
  expect(said.names).toEqual(["chat_list"]);
});
