import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch } from "../src/testing/browser.ts";
import { type Speaker, WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
let scout: Speaker;
beforeAll(async () => {
  browser = await launch();
  hub = await WebHub.open(browser);
  scout = await hub.agent("scout");
  ({ page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" }));
});
afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

const open = (path: string) => page.goto(`${hub.url}/workspace/${path}`);
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });

test("notes of people and agents are pinned live, and found by tag and by text", async () => {
  await open("notes");
  await page.getByRole("heading", { name: "The corkboard is empty" }).waitFor();
  await page.getByRole("textbox", { name: "A finding" }).fill("Competitor X charges **$10** a month");
  await page.getByRole("textbox", { name: "Tags" }).fill("pricing, competitor");
  await button("Add the note").click();
  await page.getByText("Noted.").waitFor();
  await hub.call("add_note", { content: "Prague has 412 cafés", tags: ["market"] }, scout.token);
  const notes = page.getByRole("list", { name: "Notes, the newest first" }).getByRole("listitem");
  await expect
    .poll(() => notes.allTextContents())
    .toEqual([
      expect.stringMatching(/^Prague has 412 cafés.*scout.*market/s),
      expect.stringMatching(/^Competitor X charges \$10 a month.*pricing/s),
    ]);
  await page
    .getByRole("navigation", { name: "Tags" })
    .getByRole("link", { name: /^pricing 1/ })
    .click();
  const found = page.getByRole("list", { name: "Notes that were found" }).getByRole("listitem");
  await expect.poll(() => found.count()).toBe(1);
  await page.getByRole("searchbox", { name: "Search the notes" }).fill("nobody said that");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await button("Show all notes").click();
  await expect.poll(() => notes.count()).toBe(2);
  await page.keyboard.press("/");
  await page.keyboard.type("CAFÉ");
  await expect.poll(() => found.allTextContents()).toEqual([expect.stringContaining("Prague")]);
});

test("of two who write at once the later one is offered both texts, and nothing is overwritten unseen", async () => {
  const base = "Alpha.\n\nBeta.\n\nGamma.";
  await hub.call("write_draft_section", { section_id: "shared", title: "Shared", content: base });
  await open("draft/shared?edit");
  const text = page.getByRole("textbox", { name: "Text" });
  await expect.poll(() => text.inputValue()).toBe(base);
  await text.fill("Alpha, as ana says.\n\nBeta.\n\nGamma.");
  const theirs = "Alpha.\n\nBeta.\n\nGamma, as scout says.";
  await hub.call("write_draft_section", { section_id: "shared", content: theirs }, scout.token);
  await page.getByText(/has written version 2 meanwhile/).waitFor();
  // What is being written stays as it is.
  expect(await text.inputValue()).toContain("as ana says");
  await button("Save").click();
  await page.getByText("Nothing was overwritten").waitFor();
  await button("Put both together").click();
  await expect.poll(() => text.inputValue()).toBe("Alpha, as ana says.\n\nBeta.\n\nGamma, as scout says.");
  await button("Save").click();
  await page.getByText(/^version 3 by/).waitFor();
  await page.getByText("Alpha, as ana says.").waitFor();
  await page.getByText("Gamma, as scout says.").waitFor();
});

test("the line that asks a question works as it is shown", async () => {
  await open("questions");
  const shown = await page.getByRole("main").locator("code").innerText();
  await promisify(execFile)("sh", ["-c", `${shown} --agent scout`]);
  const card = page.getByRole("listitem").filter({ hasText: "Which budget?" });
  await card.getByRole("button", { name: "small", exact: true }).waitFor();
  await card.getByRole("button", { name: "large", exact: true }).click();
  await page.getByText("Answered.").waitFor();
});

test("a question says what waits for it, and is answered in place, with an option or in one's own words, here and under Needs you", async () => {
  const ask = (question: string, more = {}) => hub.call("add_question", { question, ...more }, scout.token);
  await ask("How much?", {
    context: "To choose a place.",
    options: ["small", "large"],
    priority: "high",
    blocking: true,
  });
  await ask("Which city?");
  await open("questions");
  const card = (words: string) => page.getByRole("listitem").filter({ hasText: words });
  await card("How much?").getByText("Work waits for it").waitFor();
  await hub.call("workflow_check", { phase: "finance" });
  await card("How much?").getByText("The workflow waits for it in finance").waitFor();
  await card("How much?").getByRole("button", { name: "large", exact: true }).click();
  await page.getByText("Answered.").waitFor();
  await expect.poll(() => card("How much?").locator(".answer").textContent()).toBe("large");

  await page.goto(`${hub.url}/needs`);
  const need = page.getByRole("listitem").filter({ hasText: "Which city?" });
  await need.getByRole("textbox", { name: "Your answer" }).fill("Prague, of course");
  await need.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Answered.").waitFor();
  const { questions } = await hub.call<{ questions: { question: string; answer: string }[] }>("get_answered_questions");
  expect(questions.map(({ question, answer }) => [question, answer])).toEqual(
    expect.arrayContaining([
      ["How much?", "large"],
      ["Which city?", "Prague, of course"],
    ]),
  );
});
