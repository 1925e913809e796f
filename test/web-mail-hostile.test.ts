import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { mailRow, sendMail, WebHub } from "../src/testing/web.ts";
import { visibleLine } from "../src/visible.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const PAYLOADS = [
  `<script>window.pwned = 1</script>`,
  `<img src=x onerror="window.pwned = 1">`,
  `<svg onload="window.pwned = 1"><a xlink:href="javascript:window.pwned=1">x</a></svg>`,
  `[click](javascript:window.pwned=1)`,
  `[click](data:text/html,<script>parent.pwned=1</script>)`,
  `![x](https://tracker.example/pixel.png "onerror=window.pwned=1")`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<form action="https://evil.example"><button>go</button></form>`,
  `<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/x.css>`,
  `"><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example">`,
  `{@html "<img src=x onerror=window.pwned=1>"}`,
  `\u202eevil\u202c ${"a".repeat(120)}`,
];
const RISKY =
  "script, iframe, img, svg:not([aria-hidden]), form:not(:has(#reply)), style, base, meta, object, [onerror], [onload]";

test("nothing in a subject, a body or a notice runs, loads or leads anywhere by itself", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const threads: string[] = [];
  for (const [at, payload] of PAYLOADS.entries()) {
    const priority = at % 2 === 0 ? "urgent" : "normal";
    const { thread_id } = await sendMail(hub, scout, { subject: payload, body: `${payload}\n\nend ${at}`, priority });
    threads.push(thread_id);
    const notice = { key: `k${at}`, kind: "question", title: payload, text: payload, choices: ["yes", "no"] };
    await hub.call("notice_raise", notice, scout.token);
  }
  const { page, complaints, foreign } = await hub.signedIn({ at: "/mail" });
  for (const payload of PAYLOADS) await mailRow(page, payload).waitFor();
  expect(await page.locator("#main").locator(RISKY).count()).toBe(0);
  await page.goto(`${hub.url}/needs`);
  const asked = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: "Yes" }) });
  await expect
    .poll(() => asked.getByRole("heading", { level: 3 }).allTextContents())
    .toEqual(PAYLOADS.map(visibleLine));
  expect(await page.locator("#main").locator(RISKY).count()).toBe(0);

  for (const [at, thread] of threads.entries()) {
    await page.goto(`${hub.url}/mail?thread=${thread}`);
    await page.locator("article").getByText(`end ${at}`).waitFor();
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toContain(PAYLOADS[at]);
    expect(await page.locator("#main").locator(RISKY).count()).toBe(0);
    const links = await page.evaluate<[href: string, rel: string][]>(
      "[...document.querySelectorAll('article .body a')].map((a) => [a.getAttribute('href'), a.rel])",
    );
    expect(links.filter(([href, rel]) => !/^https?:\/\//.test(href) || !rel.includes("noopener"))).toEqual([]);
  }
  await page.goto(`${hub.url}/mail?q=${encodeURIComponent("evil OR <img src=x onerror=window.pwned=1>")}`);
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  expect(await page.evaluate("window.pwned")).toBeUndefined();
  expect(foreign).toEqual([]);
  expect(complaints).toEqual([]);
});

test("an address that names no mailbox, no thread, no mail or nonsense gets a sentence and no error", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "here", body: "text" });
  const { page } = await hub.signedIn();
  for (const box of ["nobody", "%3Cimg%20src=x%20onerror=window.pwned=1%3E", "x".repeat(300), "User"]) {
    await page.goto(`${hub.url}/mail/${box}`);
    await page.locator("#main").getByRole("alert").first().waitFor();
  }
  await page.goto(`${hub.url}/mail?thread=999`);
  await page.getByRole("alert").getByText("There is no such conversation for you here.").waitFor();
  for (const query of [
    "thread=<script>",
    "folder=nowhere",
    "thread=-1",
    "q=%22",
    "q=from:",
    "thread=99999999999999999999",
  ]) {
    await page.goto(`${hub.url}/mail?${query}#m<script>window.pwned=1</script>`);
    await page.getByRole("heading", { name: "Your mail" }).waitFor();
  }
  await page.goto(`${hub.url}/mail?folder=nowhere`);
  await mailRow(page, "here").waitFor();
  expect(await page.evaluate("window.pwned")).toBeUndefined();
});

test("drafts that are broken or of another's making are no drafts", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { thread_id } = await sendMail(hub, scout, { subject: "here", body: "text" });
  const { page, complaints } = await hub.signedIn();
  const me = JSON.parse(await page.evaluate<string>(`localStorage.getItem("parley:me")`));
  const name = `parley:of:${encodeURIComponent(me.principal)}:mail:${thread_id}`;
  const reply = page.getByRole("textbox", { name: "Reply to scout" });
  await page.goto(`${hub.url}/mail?thread=${thread_id}`);
  await reply.fill("a draft");
  expect(await page.evaluate(`localStorage.getItem(${JSON.stringify(name)})`)).toContain("a draft");
  for (const kept of ["{", "7", '{"fields":{"body":7}}', '{"fields":null}']) {
    await page.evaluate(`localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(kept)})`);
    await page.goto(`${hub.url}/mail?thread=${thread_id}`);
    await page.reload();
    await reply.waitFor();
    expect(await reply.inputValue()).toBe("");
  }
  expect(complaints).toEqual([]);
});

test("a session that is revoked while the mail is open ends in the page at once, without an error", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { thread_id } = await sendMail(hub, scout, { subject: "here", body: "text" });
  const { page, complaints } = await hub.signedIn({ at: `/mail?thread=${thread_id}` });
  await page.getByRole("textbox", { name: "Reply to scout" }).fill("half a");
  const { tokens } = await hub.call<{ tokens: { id: string; label?: string | null }[] }>("token_list");
  await hub.call("token_revoke", { id: tokens.find(({ label }) => label?.startsWith("browser"))?.id });
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  // The browser itself notes what was refused and what broke off; the page has nothing to complain of.
  expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  await page.goto(await hub.link());
  // Whoever leaves before is not signed in.
  await page.locator("#main").waitFor();
  await page.goto(`${hub.url}/mail?thread=${thread_id}`);
  const reply = page.getByRole("textbox", { name: "Reply to scout" });
  await reply.waitFor();
  expect(await reply.inputValue()).toBe("half a");
});
