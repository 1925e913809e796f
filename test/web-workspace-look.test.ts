/** The parts of the workspace with little and with much in them: nothing is too wide, and axe has nothing to say. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, type Watched } from "../src/testing/browser.ts";
import { looks } from "../src/testing/looks.ts";
import { type Speaker, WebHub } from "../src/testing/web.ts";

const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const TEXT = "Most of what was found in Prague went to places that roast their coffee for themselves. ";

let browser: Browser;
let hub: WebHub;
let watched: Watched;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser, { rate_limit: 100_000 });
  watched = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" });
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

test("a page that is opened anew names its space from the first request on, also where it remembers another", async () => {
  const { page, complaints } = watched;
  const open = async (name: string) => {
    await page.goto(`${hub.url}/workspace/notes`);
    await page.getByRole("heading", { name }).waitFor();
  };
  await open("The corkboard is empty");
  await open("The corkboard is empty");
  expect(complaints).toEqual([]);
  await page.evaluate(
    `localStorage.setItem("parley:me", JSON.stringify({ ...JSON.parse(localStorage.getItem("parley:me")), space: "gone" }))`,
  );
  await open("The corkboard is empty");
  expect(await page.evaluate(`JSON.parse(localStorage.getItem("parley:me")).space`)).toBe("main");
  complaints.length = 0;
});

/** What there is to see at an address, by a text that is there once it is. */
const EMPTY: Record<string, string> = {
  notes: "The corkboard is empty",
  draft: "Nothing is written yet",
  plan: "No plan yet",
  questions: "Nobody has asked anything",
};
const FULL: Record<string, string> = {
  notes: "Finding 49",
  "notes?tag=pricing": "Finding 1 ",
  draft: "Section 0",
  "draft/s3": "version 2 ·",
  "draft/s3?edit": "Title",
  plan: "Step 0",
  "plan?graph": "Step 0",
  questions: "Question 1",
};

async function look(views: Record<string, string>, kind: string): Promise<void> {
  const { page, complaints } = watched;
  for (const [path, there] of Object.entries(views)) {
    await page.goto(`${hub.url}/workspace/${path}`);
    await page.getByText(there).filter({ visible: true }).first().waitFor();
    expect.soft(await looks(page, `workspace-${kind}-${path.replaceAll(/\W/g, "-")}`)).toEqual([]);
  }
  expect(complaints).toEqual([]);
}

test("each part that is empty says what will be there, without a serious finding of axe", () => look(EMPTY, "empty"));

test("each part fits with long words and much in it, without a serious finding of axe", async () => {
  await fill(await hub.agent("scout"));
  await look(FULL, "full");
});

/** Much of everything, with what does not break by itself. */
async function fill({ token }: Speaker): Promise<void> {
  const call = (tool: string, args: object) => hub.call(tool, args, token);
  for (let at = 0; at < 50; at += 1)
    await call("add_note", {
      content: `**Finding ${at}** ${TEXT.repeat(at % 4)}${at % 17 === 0 ? WORD.repeat(3) : ""}`,
      tags: [`tag-${at % 40}`, ...(at % 2 ? ["pricing"] : []), ...(at === 48 ? [WORD.slice(0, 50)] : [])],
      links: at === 49 ? [{ kind: "url", ref: `https://${"long.".repeat(20)}example.com/` }] : [],
    });
  for (let at = 0; at < 24; at += 1)
    await call("write_draft_section", {
      section_id: `s${at}`,
      title: at === 3 ? `${WORD} and what it means` : `Section ${at}`,
      content: `${TEXT.repeat(3)}\n\n| a | b |\n|-|-|\n| ${TEXT} | ${WORD} |\n\n${at % 10 === 3 ? WORD.repeat(4) : ""}`,
    });
  await call("write_draft_section", { section_id: "s3", content: `${TEXT.repeat(2)}\n\n${WORD.repeat(3)}` });
  const step = (at: number) => ({
    description: at === 5 ? WORD.repeat(2) : `Step ${at}: ${TEXT}`,
    ref: `t${at}`,
    dependencies: at < 4 ? [] : [`t${Math.floor(at / 2)}`, ...(at % 4 === 0 ? [`t${at - 1}`] : [])],
    ...(at % 3 === 0 && { assigned_to: "a-repository-of-many-words-and-a-branch" }),
  });
  await call("add_tasks", { tasks: Array.from({ length: 40 }, (_, at) => step(at)) });
  for (let at = 0; at < 20; at += 1)
    await call("add_question", {
      question: at === 2 ? `${WORD.repeat(2)}?` : `Question ${at}: which is it to be?`,
      context: at % 3 ? TEXT.repeat(3) : "",
      ...(at % 2 && { options: at === 3 ? [TEXT, WORD, "neither"] : ["yes", "no"] }),
      priority: at % 2 ? "high" : "low",
      blocking: at % 4 === 0,
    });
}
