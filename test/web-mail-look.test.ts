import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { mailRow, sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
let hub: WebHub;
let page: Page;
let thread: string;
beforeAll(async () => {
  browser = await sharedBrowser();
  hub = await WebHub.open(browser);
  thread = await fill(hub);
  ({ page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" }));
});
afterAll(async () => {
  await closeContexts(browser);
  await hub[Symbol.asyncDispose]();
});

/** Each with something that is there once it is drawn. */
const views = (): Record<string, { path: string; there: string }> => ({
  mail: { path: "/mail", there: "Everything else" },
  "mail-thread": { path: `/mail?thread=${thread}`, there: "The nightly build is red" },
  "mail-agent": { path: "/mail/mason", there: "mason’s mail" },
  "mail-compose": { path: "/mail?compose=1", there: "New mail" },
  "mail-sent": { path: "/mail?folder=sent", there: "Sent" },
  "mail-empty": { path: "/mail?folder=trash", there: "The trash is empty" },
  "mail-nothing": { path: "/mail?q=from%3Amason+nothing+at+all", there: "Nothing found" },
});

/** What is seen now, in both themes. */
async function look(name: string, width: number): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    expect.soft(await findings(page), `${name} ${scheme} ${width}`).toEqual([]);
    await shoot(page, `${name}-${width}-${scheme}`);
  }
}

for (const width of [375, 1440])
  test(`the mail is without a serious finding of axe, light and dark, ${width} px`, async () => {
    await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
    for (const [name, { path, there }] of Object.entries(views())) {
      await page.goto(hub.url + path);
      await page.getByRole("heading", { name: there }).first().waitFor();
      await look(name, width);
    }
    await page.goto(`${hub.url}/mail`);
    await mailRow(page, "Weekly summary").waitFor();
    await page.getByRole("checkbox").nth(1).check();
    await page.keyboard.press("s");
    await page.getByRole("dialog").waitFor();
    await look("mail-snooze", width);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await look("mail-keys", width);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
    await look("mail-palette", width);
    await page.keyboard.press("Escape");
  });

test("at 320 px nothing of the mail has to be scrolled sideways", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const [name, { path, there }] of Object.entries(views())) {
    await page.goto(hub.url + path);
    await page.getByRole("heading", { name: there }).first().waitFor();
    const [inner, outer] = await page.evaluate<number[]>("[document.documentElement.scrollWidth, innerWidth]");
    expect(inner, name).toBeLessThanOrEqual(outer ?? 0);
    const wide = await page.evaluate<string[]>(
      `[...document.querySelectorAll("main *")].filter((node) => {
        const box = node.getBoundingClientRect();
        return box.width > 1 && box.right > innerWidth + 1 && node.checkVisibility() && !node.closest("pre, .wide, bdi");
      }).map((node) => node.outerHTML.slice(0, 120))`,
    );
    expect(wide, name).toEqual([]);
  }
});

test("on a phone the list leads to a mail and its arrow back to the list", async () => {
  await page.setViewportSize({ width: 375, height: 740 });
  await page.goto(`${hub.url}/mail`);
  await mailRow(page, "Weekly summary").click();
  await page.getByRole("heading", { name: "Weekly summary" }).waitFor();
  expect(await mailRow(page, "Weekly summary").isVisible()).toBe(false);
  await page.getByRole("link", { name: "Inbox" }).last().click();
  await mailRow(page, "Weekly summary").waitFor();
  await page.getByText("Mailboxes and folders").click();
  await page.getByRole("navigation", { name: "Mailboxes" }).getByRole("link", { name: /mason/ }).click();
  await page.getByText("Viewing mason’s mail: nothing is marked read.").waitFor();
});

test("mail is read, answered and written with the keyboard alone", async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${hub.url}/mail`);
  await mailRow(page, "Weekly summary").waitFor();
  await tabTo(page, /Weekly summary/);
  expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Weekly summary" }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("read with pleasure");
  await page.keyboard.press("Control+Enter");
  await page.locator("article").getByText("read with pleasure").waitFor();
  // Once it is sent the field is empty, and has the focus again.
  await expect.poll(() => page.getByRole("textbox", { name: "Reply to scout" }).inputValue()).toBe("");
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await expect.poll(() => focused(page)).toMatch(/^To/);
  await page.keyboard.type("mason");
  await tabTo(page, /^Subject/);
  await page.keyboard.type("by hand");
  await tabTo(page, /^Text/);
  await page.keyboard.type("no mouse");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "by hand" }).waitFor();
});

test("where colours are forced, what is open and what is unread can still be told", async () => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`${hub.url}/mail?thread=${thread}`);
  await page.getByRole("heading", { name: "The nightly build is red" }).waitFor();
  const open = `getComputedStyle(document.querySelector("a[data-mail][aria-current]").closest("li")).outlineStyle`;
  await until(() => page.evaluate(`document.querySelector("a[data-mail][aria-current]") !== null`));
  expect(await page.evaluate(open)).toBe("solid");
  await shoot(page, "mail-thread-1440-forced");
  await page.emulateMedia({ forcedColors: "none" });
});

async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never comes to ${name}`);
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(`(({ activeElement: it }) => it === document.body || it.type === "checkbox" ? "" :
    it.ariaLabel ?? (it.labels?.[0]?.textContent ?? it.textContent).trim())(document)`);

/** A little of everything, as it would be on an ordinary day. Gives the thread to look at. */
async function fill(hub: WebHub): Promise<string> {
  const scout = await hub.agent("scout");
  const mason = await hub.agent("mason");
  await sendMail(hub, scout, { subject: "Weekly summary", body: "- 14 changes\n- 2 reverts\n\nNothing unusual." });
  await sendMail(hub, mason, {
    subject: "Which of the two drafts?",
    body: "I like the **second** one.",
    priority: "low",
  });
  await sendMail(hub, scout, { to: ["mason"], subject: "Your branch", body: "It does not merge any more." });
  await sendMail(hub, mason, { subject: "رسالة قصيرة", body: "شكرا جزيلا", deadline: "5h" });
  const build = await sendMail(hub, scout, {
    to: ["User", "mason"],
    subject: "The nightly build is red",
    body:
      "Two things are wrong:\n\n1. `resize()` is called **before** the window exists\n2. the test waits, see " +
      "[the log](https://ci.example.com/run/81)\n\n```ts\nif (!view.window) return;\n```",
    priority: "urgent",
  });
  await hub.call("mail_reply", { id: build.id, body: "Thank you. Please fix the first one." });
  await hub.call("mail_reply", { id: build.id, body: "I take the second one." }, mason.token);
  await sendMail(hub, scout, { subject: "Disk is nearly full", body: "4 % are left.", priority: "urgent" });
  await hub.call(
    "approval_request",
    { key: "rm", call_id: "c", server: "runtime", tool: "exec", arguments: { cmd: ["rm", "-rf", "build"] } },
    scout.token,
  );
  await hub.call("notice_raise", { key: "done", kind: "info", title: "The migration is over" }, mason.token);
  return build.thread_id;
}
