import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { mailRow, mailRows, type Speaker, sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const shown = async (page: Page, subjects: string[]) => expect.poll(() => mailRows(page)).toEqual(subjects);
const subjectsIn = async (hub: WebHub, folder: string) =>
  (await hub.call<{ messages: { subject: string }[] }>("mail_inbox", { folder })).messages.map(
    ({ subject }) => subject,
  );

/** A phone with some mail on it. */
async function phone(hub: WebHub, subjects: string[]): Promise<{ page: Page; scout: Speaker }> {
  const scout = await hub.agent("scout");
  for (const subject of subjects) await sendMail(hub, scout, { subject, body: `about ${subject}` });
  const { page } = await hub.signedIn({
    at: "/mail",
    hasTouch: true,
    isMobile: true,
    viewport: { width: 375, height: 740 },
  });
  await shown(page, subjects.toReversed());
  return { page, scout };
}

type Send = (type: "touchStart" | "touchMove" | "touchEnd", part: number) => Promise<void>;

/** What a finger does on a row and up to so far from there. */
async function fingerOn(page: Page, subject: string, right: number, down: number): Promise<Send> {
  const box = await mailRow(page, subject).boundingBox();
  if (!box) throw new Error(`${subject} is not there.`);
  const session = await page.context().newCDPSession(page);
  return async (type, part) => {
    const at = { x: box.x + box.width / 2 + right * part, y: box.y + box.height / 2 + down * part };
    await session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [at] });
  };
}

/** Down and up in one go: a finger that waits for the answer to its touch is one that is held, on a busy machine. */
async function tap(page: Page, subject: string): Promise<void> {
  const send = await fingerOn(page, subject, 0, 0);
  await Promise.all([send("touchStart", 0), send("touchEnd", 0)]);
}

/** A browser that is late to answer a touch takes its finger for one that is held all the same: that one comes again. */
async function tapOpen(page: Page, subject: string): Promise<void> {
  const body = page.locator("article").getByText(`about ${subject}`);
  const opened = async (): Promise<boolean> => {
    if (await body.isVisible()) return true;
    const box = page.getByRole("checkbox", { name: `Select ${subject}` });
    if (await box.isChecked()) await box.uncheck();
    await tap(page, subject);
    return false;
  };
  await expect.poll(opened, { interval: 3000 }).toBe(true);
}

/** A finger on a row, and from there so far away. */
async function touch(page: Page, subject: string, right = 0, down = 0): Promise<Finger> {
  const send = await fingerOn(page, subject, right, down);
  const moves = right === 0 && down === 0 ? [] : [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
  // The first move goes along: a finger that lies still for half a second is held, and a busy machine may take that long.
  await Promise.all([send("touchStart", 0), ...moves.slice(0, 1).map((part) => send("touchMove", part))]);
  for (const part of moves.slice(1)) await send("touchMove", part);
  return { lift: () => send("touchEnd", 1) };
}

/** A list that is thrown goes on by itself, and a tap meanwhile only stops it: Chromium makes no click of that one. */
const atRest = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector(".scroll");
    let [last, same] = [-1, 0];
    const look = () => {
      same = list.scrollTop === last ? same + 1 : 0;
      last = list.scrollTop;
      if (same > 20) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);

interface Finger {
  lift(): Promise<void>;
}

test("a row drawn to the right is done and can be taken back; drawn to the left it asks until when", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await phone(hub, ["one", "two", "three"]);
  const right = await touch(page, "two", 120);
  await page.getByText("✓ Done").waitFor();
  await shoot(page, "mail-swipe-375-light");
  await right.lift();
  await shown(page, ["three", "one"]);
  await expect.poll(() => subjectsIn(hub, "archived")).toEqual(["two"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(page, ["three", "two", "one"]);
  await expect.poll(() => subjectsIn(hub, "archived")).toEqual([]);

  const left = await touch(page, "one", -120);
  await page.getByText("☾ Snooze").waitFor();
  await left.lift();
  await page.getByRole("dialog", { name: "Snooze this mail" }).getByRole("button", { name: "In an hour" }).click();
  await shown(page, ["three", "two"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await shown(page, ["three", "two", "one"]);

  await page.goto(`${hub.url}/mail?folder=archived`);
  await page.getByRole("heading", { name: "Nothing archived" }).waitFor();
});

test("a row that lies elsewhere is drawn to the right back into the inbox", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await phone(hub, ["one"]);
  const { messages } = await hub.call<{ messages: { id: string }[] }>("mail_inbox");
  await hub.call("mail_update", { id: messages[0]?.id, action: "trash" });
  await page.goto(`${hub.url}/mail?folder=trash`);
  await shown(page, ["one"]);
  const finger = await touch(page, "one", 120);
  await finger.lift();
  await shown(page, []);
  await expect.poll(() => subjectsIn(hub, "inbox")).toEqual(["one"]);
});

test("a finger that goes up or down scrolls, one that goes aside a little does nothing, and a tap opens", async () => {
  await using hub = await WebHub.open(browser);
  const subjects = Array.from({ length: 20 }, (_, index) => `mail ${index}`);
  const { page } = await phone(hub, subjects);
  const scrolling = await touch(page, "mail 17", 30, -150);
  await scrolling.lift();
  await expect.poll(() => page.evaluate<number>(`document.querySelector(".scroll").scrollTop`)).toBeGreaterThan(50);
  await atRest(page);
  const aside = await touch(page, "mail 15", 50);
  await aside.lift();
  await shown(page, subjects.toReversed());
  expect(await page.getByText(/selected/).count()).toBe(0);
  expect(new URL(page.url()).search).toBe("");
  await atRest(page);
  await tapOpen(page, "mail 15");
  expect(await subjectsIn(hub, "archived")).toEqual([]);
});

test("a finger that is held on a row selects it and does not open it", async () => {
  await using hub = await WebHub.open(browser);
  const { page, scout } = await phone(hub, ["one", "two"]);
  const finger = await touch(page, "one");
  await page.getByText("1 selected").waitFor();
  await finger.lift();
  // Something that is told after whatever that did.
  await sendMail(hub, scout, { subject: "three", body: "text" });
  await shown(page, ["three", "two", "one"]);
  expect(await page.getByRole("checkbox", { name: "Select one" }).isChecked()).toBe(true);
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("region", { name: "Selected mail" }).getByRole("button", { name: "Archive" }).tap();
  await shown(page, ["three", "two"]);
  await tapOpen(page, "two");
});
