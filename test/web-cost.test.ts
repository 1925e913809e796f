/** What a page asks of its hub: no more with many agents and much mail than with few and little. */
import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { define } from "../src/testing/runs.ts";
import { composer, type Speaker, sendMail, WebHub } from "../src/testing/web.ts";

const AGENTS = 40;
const MAILS_OF_EACH = 25;
/** What is told of in gathered hints is told within a second. */
const QUIET_MS = 1500;

let browser: Browser;
let hub: WebHub;
let page: Page;
let meter: Meter;
const agents: Speaker[] = [];
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser, { rate_limit: 100_000, rate_limit_kb: 1_000_000 });
  for (let at = 0; at < AGENTS; at += 1) agents.push(await hub.agent(`agent-${at}`));
  await Promise.all(agents.map((agent, at) => write(agent, at)));
  ({ page } = await hub.signedIn());
  await composer(page).waitFor();
  // What this page is still asking for is not asked by the next one.
  await page.goto("about:blank");
  meter = await Meter.on(page);
});
afterAll(async () => {
  await closeContexts(browser);
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
  // A hint may take a second: what it costs is not to be counted for what happens next.
  await expect.poll(() => meters.some(({ names }) => names.length > 0)).toBe(true);
  await expect.poll(() => meters.every(({ quiet }) => quiet)).toBe(true);
}

/** Opens a page and says what that cost. What this browser remembers, it knows from the last time. */
async function opening(path: string, ready: () => Promise<unknown>): Promise<Meter> {
  await openingFirst(path, ready);
  return openingFirst(path, ready);
}

/** For pages of which this browser remembers nothing. */
async function openingFirst(path: string, ready: () => Promise<unknown>): Promise<Meter> {
  const open = async () => {
    await page.goto(`${hub.url}${path}`);
    await ready();
  };
  await asked(open);
  return meter;
}

/**
 * On a slow machine a page reads before it can listen, and once more then. Such an opening is not measured, but one in
 * which each thing was asked for once; six times in a row it is the page's own fault.
 */
async function openingOnce(path: string, ready: () => Promise<unknown>): Promise<Meter> {
  for (let left = 5; left > 0; left -= 1) {
    const { names } = await openingFirst(path, ready);
    if (new Set(names).size === names.length) return meter;
  }
  return openingFirst(path, ready);
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

/** Opens these in tabs of their own and says what each thing that happens costs there. */
async function costs(paths: readonly string[], happens: Record<string, () => Promise<unknown>>): Promise<string[]> {
  const meters = new Map<string, Meter>();
  // A browser gives four tabs a stream each; a fifth would only look in now and then.
  await page.goto("about:blank");
  const tabs = await Promise.all(paths.map(() => page.context().newPage()));
  for (const [at, path] of paths.entries()) {
    const tab = tabs[at];
    if (!tab) throw new Error("no tab");
    const meter = await Meter.on(tab);
    const open = async () => {
      await tab.goto(`${hub.url}${path}`);
      await expect.poll(() => meter.names).toContain("subscriptions/listen");
    };
    await asked(open, [meter]);
    meters.set(path, meter);
  }
  const dear: string[] = [];
  for (const [what, happen] of Object.entries(happens)) {
    await asked(happen, [...meters.values()]);
    for (const [path, { names }] of meters) if (names.length > 1) dear.push(`${what} at ${path}: ${names.join(" ")}`);
  }
  await Promise.all(tabs.map((tab) => tab.close()));
  return dear;
}

test("what happens costs one request, whatever it is and whichever page is open", async () => {
  const { token } = await hub.call<{ token: string }>("token_create", { role: "human", name: "ben" });
  const ben = { token, say: () => Promise.reject(new Error("ben is no agent")) };
  const [three, five] = [agents[3], agents[5]];
  if (!three || !five) throw new Error("no agents");
  let asking = 0;
  const happens = {
    // Whoever asks is there, and is seen to be: an event of its own, unless it was just seen.
    "that somebody is there": () => hub.call("agent_heartbeat", {}, three.token),
    "a question": () =>
      hub.call(
        "approval_request",
        { key: `q${++asking}`, call_id: "c", server: "runtime", tool: "exec", arguments: {} },
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
  expect(await costs(["/mail", "/mail/agent-9", "/chat/agent-5", "/needs"], happens)).toEqual([]);
});

const WAITING = 1000;
const ENDED = 5000;
const TRIGGERS = 200;
const RUNS = 500;
const AT_ONCE = 100;

/** Some at a time. */
async function each(count: number, make: (one: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, at) => make(from + at)));
}

/** What lies on a desk after a year, and what the programs of a night have left. */
async function fill(): Promise<{ task: string; run: string; worker: string }> {
  const { token: worker } = await hub.call<{ token: string }>("token_create", { role: "worker", name: "mason" });
  const content = "Look at what came in and say what is to be done about it. ".repeat(20);
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const over = { status: "done", response_summary: "All of it was looked at. ".repeat(20), processed_at: at };
  const all = Array.from({ length: WAITING + ENDED }, (_, one) => ({
    ...{
      source_key: `task ${one}`,
      content: `${one}. ${content}`,
      channel: "web",
      sender: "ana",
      created_at: at,
      awaits: [],
    },
    ...(one < WAITING ? { status: "pending", response_summary: null, processed_at: null } : over),
  }));
  while (all.length > 0) await hub.call("task_import", { tasks: all.splice(0, AT_ONCE) });
  define(hub, { trigger: { argv: [process.execPath, "-e", "0"], cwd: hub.home } });
  await hub.call("run_pause");
  await each(TRIGGERS, (one) =>
    hub.call("trigger_create", { name: `trigger-${one}`, type: "manual", prompt: content, description: "Looks at it" }),
  );
  await expect.poll(() => hub.call("trigger_test", { name: "trigger-0" })).toMatchObject({ becomes: "run" });
  const fire = (name: string) => hub.call<{ run_id: string }>("trigger_run", { name, session_key: randomUUID() });
  await each(RUNS - 1, async (one) => {
    const { run_id } = await fire(`trigger-${one % TRIGGERS}`);
    if (one % 10 > 0) await hub.call("run_stop", { id: run_id });
  });
  const { tasks } = await hub.call<{ tasks: { id: string }[] }>("task_list", { limit: 1 });
  return { task: tasks[0]?.id ?? "", run: (await fire("trigger-0")).run_id, worker };
}

test("tasks, triggers and runs cost no more when there is much of them", { timeout: 300_000 }, async () => {
  const { task, run, worker } = await fill();
  const first = (what: string) => () => page.locator(`[data-${what}]`).first().waitFor();
  const pages = {
    "/tasks": first("task"),
    "/tasks?column=waiting": first("task"),
    "/tasks?column=done": first("task"),
    [`/tasks/${task}`]: () =>
      page.getByRole("region", { name: "Task", exact: true }).getByRole("heading").first().waitFor(),
    "/triggers": first("trigger"),
    "/triggers/trigger-0": () => page.getByRole("heading", { name: "trigger-0" }).waitFor(),
    "/runs": first("run"),
    [`/runs/${run}`]: () => page.getByRole("log").waitFor(),
  };
  for (const [path, ready] of Object.entries(pages)) {
    const { names, bytes } = await openingOnce(path, ready);
    expect.soft(names.length, `${path}: ${names.join(" ")}`).toBeLessThanOrEqual(6);
    expect.soft(bytes, path).toBeLessThan(100_000);
  }

  const next = async () => (await hub.call<{ next_task: { id: string } }>("get_next_task", {}, worker)).next_task.id;
  // Of a trigger: what becomes of it is told to nobody by mail, which would be an event of its own.
  const { token: asker } = await hub.call<{ token: string }>("token_create", { role: "trigger", name: "nightly" });
  let [taken, queued] = ["", ""];
  const dies = {
    // Each by itself: on a busy machine the page may have been told of the one before the other happens.
    "a task that is made": () => hub.call("task_create", { content: "Now", priority: 10, max_attempts: 1 }, asker),
    "a task that is taken": async () => {
      taken = await next();
    },
    "a task that dies": () => hub.call("task_fail", { task_id: taken, error: "No" }, worker),
    "a dead task that is tried again": () => hub.call("task_requeue", { task_id: taken }),
  };
  const fires = {
    "a trigger that is changed": () => hub.call("trigger_update", { name: "trigger-0", description: "Changed" }),
    "a run that is planned": async () => {
      queued = (await hub.call<{ run_id: string }>("trigger_run", { name: "trigger-0" })).run_id;
    },
    "a run that is stopped": () => hub.call("run_stop", { id: queued }),
  };
  const open = Object.keys(pages);
  expect.soft(await costs(open.slice(0, 4), dies)).toEqual([]);
  // That one has died is seen on every page, and so is that it was tried again.
  const { "a task that is made": make, "a task that is taken": take, ...seen } = dies;
  await hub.call("task_cancel", { task_id: taken });
  await make();
  await take();
  expect.soft(await costs(open.slice(4), { ...seen, ...fires })).toEqual([]);
});

test("many edits that wait for approval cost what needs you no more than those that are seen", async () => {
  const given = (at: number) => ({ file_path: `/srv/${at}.ts`, old_string: "let a;", new_string: "let b;" });
  for (const [at, { token }] of agents.entries()) {
    const call = { key: "edit", call_id: "edit", server: "files", tool: "Edit", arguments: given(at) };
    await hub.call("approval_request", call, token);
  }
  const { names, bytes } = await opening("/needs", () => page.getByText("/srv/0.ts").first().waitFor());
  expect(names.length, names.join(" ")).toBeLessThanOrEqual(6);
  expect(bytes).toBeLessThan(100_000);
  const last = page.locator("[data-need]").filter({ hasText: "/srv/39.ts" });
  await last.scrollIntoViewIfNeeded();
  await last.getByRole("region", { name: "What it changes" }).waitFor();
});
