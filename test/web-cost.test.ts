/** What a page asks of its hub: no more with many agents and much mail than with few and little. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch } from "../src/testing/browser.ts";
import { composer, type Speaker, sendMail, WebHub } from "../src/testing/web.ts";

const AGENTS = 40;
const MAILS_OF_EACH = 25;
const QUIET_MS = 1000;

let browser: Browser;
let hub: WebHub;
let page: Page;
let meter: Meter;
const agents: Speaker[] = [];
beforeAll(async () => {
  browser = await launch();
  hub = await WebHub.open(browser, { rate_limit: 100_000 });
  for (let at = 0; at < AGENTS; at += 1) agents.push(await hub.agent(`agent-${at}`));
  await Promise.all(agents.map((agent, at) => write(agent, at)));
  ({ page } = await hub.signedIn());
  await composer(page).waitFor();
  meter = await Meter.on(page);
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

/** What a page asks of the hub: the names, and the bytes of the answers as they came. */
class Meter {
  names: string[] = [];
  bytes = 0;
  #last = performance.now();

  static async on(page: Page): Promise<Meter> {
    const meter = new Meter();
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const calls = new Set<string>();
    session.on("Network.requestWillBeSent", ({ requestId, request }) => {
      if (!request.url.endsWith("/mcp")) return;
      meter.#last = performance.now();
      calls.add(requestId);
      meter.names.push(request.headers["mcp-name"] ?? request.headers["mcp-method"] ?? "");
    });
    session.on("Network.dataReceived", ({ requestId, encodedDataLength, dataLength }) => {
      if (calls.has(requestId)) meter.bytes += encodedDataLength || dataLength;
    });
    return meter;
  }

  begin(): void {
    this.names = [];
    this.bytes = 0;
    this.#last = performance.now();
  }

  get quiet(): boolean {
    return performance.now() - this.#last > QUIET_MS;
  }
}

/** Until nothing was asked for a while. */
async function asked(run: () => Promise<unknown>, meters: readonly Meter[] = [meter]): Promise<void> {
  for (const meter of meters) meter.begin();
  await run();
  await expect.poll(() => meters.every(({ quiet }) => quiet)).toBe(true);
}

/** Opens a page and says what that cost. What this browser remembers, it knows from the last time. */
async function opening(path: string, ready: () => Promise<unknown>): Promise<Meter> {
  const open = async () => {
    await page.goto(`${hub.url}${path}`);
    await ready();
  };
  await asked(open);
  await asked(open);
  return meter;
}

const firstMail = () => page.locator("a[data-mail]").first().waitFor();
const heading = (name: string) => page.getByRole("heading", { name }).waitFor();
const GLANCE = "space_glance";

test("the mail is opened with four requests and 100 KB, with a thousand unread and forty agents", async () => {
  const { names, bytes } = await opening("/mail", firstMail);
  expect(names.toSorted()).toEqual(["mail_inbox", GLANCE, "subscriptions/listen", "whoami"]);
  expect(bytes).toBeLessThan(100_000);
  const unread = page.getByRole("navigation", { name: "Mailboxes" }).getByRole("link", { name: "Your mail" });
  expect(await unread.first().textContent()).toContain("1000");
});

test("a chat is opened with at most six requests and 100 KB, with what is new in it marked as read", async () => {
  await agents[7]?.say("Something new.");
  const { names, bytes } = await opening("/chat/agent-7", () => composer(page).waitFor());
  const ahead = ["chat_read_before", GLANCE];
  expect(names.toSorted()).toEqual(
    [...ahead, "chat_read_and_advance", GLANCE, "subscriptions/listen", "whoami"].toSorted(),
  );
  expect(bytes).toBeLessThan(100_000);
});

test("what needs you and the settings are opened with at most six requests", async () => {
  const needs = await opening("/needs", () => heading("Nothing needs you"));
  expect(needs.names.toSorted()).toEqual([GLANCE, "subscriptions/listen", "whoami"]);
  expect(needs.bytes).toBeLessThan(100_000);
  const settings = await opening("/settings", () => heading("About this hub"));
  expect(settings.names.length, settings.names.join(" ")).toBeLessThanOrEqual(6);
});

test("what happens costs one request, whatever it is and whichever page is open", async () => {
  const { token } = await hub.call<{ token: string }>("token_create", { role: "human", name: "ben" });
  const ben = { token, say: () => Promise.reject(new Error("ben is no agent")) };
  const [three, five] = [agents[3], agents[5]];
  if (!three || !five) throw new Error("no agents");
  let asking = 0;
  const happens = {
    "a question": () =>
      hub.call(
        "notice_raise",
        { key: `q${++asking}`, kind: "permission", title: "May I?", choices: ["allow", "deny"] },
        three.token,
      ),
    "mail of a person": () => sendMail(hub, ben, { to: ["admin"], subject: "One more", body: "b" }),
    "mail of an agent": () => sendMail(hub, three, { to: ["admin"], subject: "From three", body: "b" }),
    "urgent mail": () => sendMail(hub, ben, { to: ["admin"], subject: "Now", body: "b", priority: "urgent" }),
    "mail for an agent": () => sendMail(hub, ben, { to: ["agent-3"], subject: "For agent 3", body: "b" }),
    "mail between agents": () => sendMail(hub, five, { to: ["agent-3"], subject: "To 3", body: "b" }),
    "words in a chat": () => five.say("Something."),
    "a change of state": () => hub.call("agent_report", { run_phase: asking % 2 ? "sampling" : "idle" }, three.token),
  };
  const meters = new Map<string, Meter>();
  // A browser gives four tabs a stream each; a fifth would only look in now and then.
  await page.goto("about:blank");
  for (const path of ["/mail", "/mail/agent-9", "/chat/agent-5", "/needs"]) {
    const tab = await page.context().newPage();
    const meter = await Meter.on(tab);
    await asked(() => tab.goto(`${hub.url}${path}`), [meter]);
    meters.set(path, meter);
  }
  // Whoever asks is there, and is seen to be: an event of its own, unless it was just seen.
  await asked(() => hub.call("agent_heartbeat", {}, three.token), [...meters.values()]);
  for (const [what, happen] of Object.entries(happens)) {
    await asked(happen, [...meters.values()]);
    for (const [path, { names }] of meters)
      expect(names.length, `${what} at ${path}: ${names.join(" ")}`).toBeLessThanOrEqual(1);
  }
});
