/** What an agent that a runtime runs did, between what was said, and what a person does about it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { WebHub } from "../src/testing/web.ts";

const say = (content: string) => ({ tool: "chat_assistant_post", arguments: { content } });
const SCRIPT = {
  rules: [
    {
      when: "note",
      steps: [
        { tool: "add_note", arguments: { content: "Prague has 412 cafés", tags: ["market"] } },
        say("I have **noted** it."),
      ],
    },
    { when: "fail", steps: [{ tool: "read_section", arguments: { section_id: "nowhere" } }, say("There is none.")] },
    {
      when: "ask",
      steps: [
        { tool: "add_question", arguments: { question: "Which colour has the door?" } },
        { tool: "task_create", arguments: { content: "Paint the door" } },
        say("I have asked."),
      ],
    },
    { when: "wait", steps: [{ tool: "mail_wait", arguments: { wait_seconds: 50 } }] },
    {
      when: "long",
      steps: [
        { tool: "no_such_tool", arguments: { text: `${"and so on ".repeat(4000)}to its end` } },
        say("It was long."),
      ],
    },
    { when: "", steps: [say("You said {{text}}")] },
  ],
};

const CUT_NAME = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main h1'))";

const ALLOWED = { tool: "*", server: "parley", decision: "allow" };

let browser: Browser;
let hub: WebHub;
let page: Page;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  await hub.call("agent_register", { name: "mason" });
  await rule([ALLOWED]);
  const definition = JSON.stringify({ driver: "scripted", script: SCRIPT });
  await hub.call("agent_start", { agent: "mason", definition });
  ({ page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" }));
  await page.goto(`${hub.url}/chat/mason`);
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

async function rule(rules: object[]): Promise<void> {
  const { version } = await hub.call<{ version: number }>("policy_get", {});
  await hub.call("policy_set", { document: { rules }, expected_version: version });
}
async function tell(content: string): Promise<void> {
  const composer = page.getByRole("textbox", { name: /mason/ });
  await composer.fill(content);
  await composer.press("Enter");
}
const log = () => page.getByRole("log");
const call = (tool: string) => page.locator("details").filter({ hasText: tool });
const button = (name: string) => page.getByRole("button", { name, exact: true });

test("a call stands between what was said, with its arguments, what came of it and why it was made", async () => {
  await tell("note it");
  await log().getByText("I have noted it.").waitFor();
  await log()
    .getByText(/^Turn over/)
    .waitFor();
  const note = call("add_note");
  expect(await note.locator("summary").innerText()).toMatch(/add_note\s+Prague has 412 cafés/);
  await note.locator("summary").click();
  await note.locator("pre").first().getByText('"market"').waitFor();
  await note.getByText(/"author":\s*"mason"/).waitFor();
  await note.getByRole("button", { name: "Why?" }).click();
  await note.getByRole("listitem").filter({ hasText: "note it" }).waitFor();
  const order = await log().innerText();
  const at = ["note it", "add_note", "I have noted it.", "Turn over"].map((words) => order.indexOf(words));
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(at).not.toContain(-1);
});

test("why is asked of what was said, by whomever", async () => {
  const said = log().getByRole("article").filter({ hasText: "I have noted it." });
  await said.hover();
  await said.getByRole("button", { name: /^Why\?/ }).click();
  await said.getByRole("listitem").filter({ hasText: "note it" }).waitFor();
  const mine = log().getByRole("article").filter({ hasText: "note it" }).first();
  await mine.hover();
  await mine.getByRole("button", { name: /^Why\?/ }).click();
  await mine.getByText("Nothing is known to have led to it.").waitFor();
});

test("on a phone a first tap shows what can be done about a message, and the next one does it", async () => {
  const { page: phone } = await hub.signedIn({ hasTouch: true, isMobile: true, viewport: { width: 375, height: 800 } });
  await phone.goto(`${hub.url}/chat/mason`);
  const said = phone.getByRole("article").filter({ hasText: "I have noted it." });
  await said.getByText("I have").tap();
  await said.getByRole("button", { name: /^Why\?/ }).tap();
  await said.getByRole("listitem").filter({ hasText: "note it" }).waitFor();
  await phone.close();
});

test("WEB-10: it is sorted with the oldest or the newest first, and what happens now comes to the end that is looked at", async () => {
  const order = async () => {
    const text = await log().innerText();
    return ["I have noted it.", "add_note", "note it"].map((words) => text.indexOf(words));
  };
  expect(await order()).toEqual((await order()).toSorted((a, b) => b - a));
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  await expect.poll(order).toEqual((await order()).toSorted((a, b) => a - b));
  await tell("what comes first?");
  await log().getByText("You said what comes first?").waitFor();
  await expect
    .poll(async () => (await log().getByRole("article").first().innerText()).includes("You said what comes first?"))
    .toBe(true);
  expect(await log().evaluate((node: { scrollTop: number }) => node.scrollTop)).toBe(0);
  await shootAll("timeline-newest");
  await page.getByRole("combobox", { name: "Order" }).selectOption("Oldest first");
  await expect.poll(order).toEqual((await order()).toSorted((a, b) => b - a));
});

test("it can be narrowed to what went wrong, and searched, and shown whole again", async () => {
  await tell("fail please");
  await log().getByText("There is none.").waitFor();
  const show = page.getByRole("combobox", { name: "Show" });
  await show.selectOption("What went wrong");
  await expect.poll(() => page.locator("details").count()).toBe(1);
  await call("read_section").locator("summary").getByText("Failed", { exact: true }).waitFor();
  await page.getByRole("searchbox").fill("nothing like that");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await button("Show everything").click();
  await expect.poll(() => page.locator("details").count()).toBe(2);
  expect(await show.inputValue()).toBe("all");
});

test("a turn can be stopped, an agent paused, and what was said meanwhile is answered once it goes on", async () => {
  await tell("wait for it");
  await call("mail_wait").getByText("Running", { exact: true }).waitFor();
  await button("Stop the turn").click();
  await log()
    .getByText(/^Turn stopped/)
    .waitFor();
  await call("mail_wait").locator("summary").getByText("Stopped", { exact: true }).waitFor();
  await button("Pause").click();
  await page.getByText("Paused by admin").waitFor();
  await page.setViewportSize({ width: 320, height: 740 });
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  expect(await page.evaluate(CUT_NAME)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await tell("still there?");
  await button("Resume").click();
  await log().getByText("You said still there?").waitFor();
  await button("Pause").waitFor();
});

test("what another tab wants of it is shown at once", async () => {
  await hub.call("agent_pause", { agent: "mason" });
  await page.getByText("Paused by admin").waitFor();
  await hub.call("agent_resume", { agent: "mason" });
  await button("Pause").waitFor();
  expect(await page.getByText("Paused by admin").count()).toBe(0);
});

test("a call that waits for a person says so, leads to its card in one click, and shows what was decided", async () => {
  await rule([{ tool: "mail_wait", decision: "ask" }, ALLOWED]);
  await tell("wait for it");
  const waits = call("mail_wait").last();
  await waits.getByText("Waits for approval", { exact: true }).waitFor();
  await page.getByText("Waiting for approval").first().waitFor();
  await shootAll("timeline-waiting");
  // On a phone, and zoomed in, the name is whole beside how it is, and what is asked about can be read.
  for (const width of [320, 375]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), `${width}`).toBe(0);
    expect(await page.evaluate(CUT_NAME), `${width}`).toBe(0);
    expect(await page.evaluate("document.querySelector('.pending .about').clientWidth")).toBeGreaterThan(80);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("link", { name: "Decide" }).click();
  const card = page.locator("[data-need]");
  await card.getByRole("button", { name: "Deny…" }).click();
  await page.getByRole("textbox", { name: "Why not" }).fill("Not now.");
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByText("Denied.", { exact: true }).waitFor();
  await page.goto(`${hub.url}/chat/mason`);
  await waits.locator("summary").getByText("Refused", { exact: true }).waitFor();
  // U36: without opening it.
  expect(await waits.getAttribute("open")).toBe(null);
  await waits.getByText("Denied by admin on the page: Not now.").waitFor();
});

test("U31, U37: a card says why and leads to its call in the timeline; once it is decided its link says who did, how and why", async () => {
  await tell("wait for it");
  await page.getByRole("link", { name: "Decide" }).click();
  const card = page.locator("[data-need]");
  await card.getByRole("button", { name: "Why?" }).click();
  await card.getByRole("listitem").first().waitFor();
  const link = page.url();
  await card.getByRole("link", { name: "In its timeline" }).click();
  const linked = page.locator(".row.linked");
  await linked.getByText("Waits for approval", { exact: true }).waitFor();
  expect(await page.getByText("no longer here").count()).toBe(0);
  await shoot(page, "timeline-linked-1440-light");
  // And where the page is opened with it.
  await page.reload();
  await linked.getByText("mail_wait").waitFor();

  const id = new URL(link).searchParams.get("need");
  const { digest } = await hub.call<{ digest: string }>("approval_get", { id });
  await hub.call("approval_decide", { id, digest, decision: "deny_continue", reason: "Ask me tomorrow." });
  await page.goto(link);
  const note = page.getByRole("status").filter({ hasText: "may it use mail_wait?" });
  await note.getByText("Denied by admin by HTTP: Ask me tomorrow.").waitFor();
  await shoot(page, "needs-decided-1440-light");
  await note.getByRole("link", { name: "In its timeline" }).click();
  await linked.getByText("Denied by admin by HTTP: Ask me tomorrow.").waitFor();
});

test("what it asks people and the tasks it makes stand there, lead to where they are dealt with, and say what came of them", async () => {
  await tell("ask me");
  await log().getByText("I have asked.").waitFor();
  const question = page.locator(".row").filter({ hasText: "Which colour has the door?" });
  const task = page.locator(".row").filter({ hasText: "To be done" });
  await task.getByText("Paint the door").waitFor();
  await task.getByRole("button", { name: "Why?" }).click();
  await task.getByRole("listitem").filter({ hasText: "ask me" }).waitFor();
  expect(await task.getByRole("link", { name: "Open" }).getAttribute("href")).toMatch(/^\/tasks\/\d+$/);
  await page.getByRole("combobox", { name: "Show" }).selectOption("What it asked");
  // And the calls that were denied.
  await expect.poll(() => page.locator(".row").count()).toBe(3);
  await question.getByText("Waits for an answer").waitFor();
  await question.getByRole("link", { name: "Answer" }).click();
  const card = page.locator("[data-need]").filter({ hasText: "Which colour has the door?" });
  await card.getByRole("textbox", { name: "Your answer" }).fill("Green");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Answered.", { exact: true }).waitFor();
  await page.goto(`${hub.url}/chat/mason`);
  await question.getByText("Answered", { exact: true }).waitFor();
  await question.getByText("admin: Green").waitFor();
});

test("somebody is begun from a place in the timeline, with tools off until a person allows them", async () => {
  const end = page.locator(".row").filter({ hasText: "Turn over" }).first();
  await end.getByRole("button", { name: "Fork from here" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("textbox", { name: "Its name" }).inputValue()).toBe("mason-2");
  await dialog.getByRole("textbox", { name: "Its name" }).fill("mason");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await dialog.getByRole("alert").getByText("Choose another name.").waitFor();
  await dialog.getByRole("textbox", { name: "Its name" }).fill("mason-2");
  await shootAll("timeline-fork");
  await dialog.getByRole("button", { name: "Fork", exact: true }).click();
  await dialog.getByRole("link", { name: "mason-2" }).click();
  // Of a notice too it is asked why, and somebody is begun from it.
  const notice = page.locator(".row").filter({ hasText: /Begun by admin from mason/ });
  await notice.getByRole("button", { name: "Why?" }).click();
  await notice.getByText("Nothing is known to have led to it.").waitFor({ timeout: 20_000 });
  await notice.getByRole("button", { name: "Fork from here" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  // What it knows of the other is read where that stands.
  await page.getByText("What it knows of mason").click();
  const known = page.getByRole("region", { name: "What it knows of mason" });
  await known.getByText("Turn over").first().waitFor();
  expect(await known.getByRole("link", { name: "mason" }).getAttribute("href")).toBe("/chat/mason");
  expect(await known.getByRole("button", { name: /Fork|Why/ }).count()).toBe(0);
  await shootAll("timeline-origin");
  await page.getByText("What it knows of mason").click();
  const composer = page.getByRole("textbox", { name: /mason-2/ });
  await composer.fill("note it");
  await composer.press("Enter");
  await call("add_note").locator("summary").getByText("Refused", { exact: true }).waitFor();
  await log().getByText("I have noted it.").waitFor();
  await button("Allow tools").click();
  await expect.poll(() => page.getByText("Tools off").count()).toBe(0);
  await page.goto(`${hub.url}/chat/mason`);
  // The newest: of a long conversation what came long before is not drawn.
  const newest = log().getByRole("article").last();
  await newest.hover();
  await newest.getByRole("button", { name: /^Fork from here/ }).waitFor();
});

test("what is long is shown by its beginning, and as a whole to whoever asks for it", async () => {
  await tell("a long one");
  await log().getByText("It was long.").waitFor();
  const long = call("no_such_tool");
  await long.locator("summary").click();
  const given = long.locator("pre").first();
  expect(await given.innerText()).not.toContain("to its end");
  await long.getByRole("button", { name: "Show all" }).click();
  await expect.poll(() => given.innerText()).toContain("to its end");
  expect(await long.getByRole("button", { name: "Show all" }).count()).toBe(0);
});

test("it is whole and readable at every width, light and dark", () => shootAll("timeline"));

async function shootAll(name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [375, "dark"],
    [375, "light"],
    [1440, "dark"],
    [1440, "light"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => findings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await shoot(page, `${name}-${width}-${colorScheme}`);
  }
}
