import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { composer, log, WebHub } from "../src/testing/web.ts";

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
  `[click](JaVaScRiPt&colon;window.pwned=1)`,
  `[click](data:text/html,<script>parent.pwned=1</script>)`,
  `[click](vbscript:window.pwned=1)`,
  `[x](https://a.example/"onmouseover="window.pwned=1)`,
  `![x](https://tracker.example/pixel.png "onerror=window.pwned=1")`,
  `![x"onerror="window.pwned=1](x)`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.pwned=1&gt;">`,
  `<a href="javascript:window.pwned=1">raw</a>`,
  `<form action="https://evil.example"><button>go</button></form>`,
  '```html"><img src=x onerror=window.pwned=1>\n<script>window.pwned=1</script>\n```',
  `<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/x.css>`,
  `| a | b |\n|---|---|\n| <img src=x onerror=window.pwned=1> | [x](javascript:window.pwned=1) |`,
  `<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example">`,
];

test("WEB-11: nothing that is said runs, loads or leads anywhere by itself", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  for (const payload of PAYLOADS) {
    await scout.say(payload);
    await scout.say(payload, "text/plain");
    await hub.call("chat_human_post", { content: payload, agent: "scout" });
  }
  await scout.say("the end");
  const { page, complaints, foreign } = await hub.signedIn();
  await log(page).getByText("the end").waitFor();

  for (let screen = 0; screen < 20; screen += 1) {
    const links = await page.evaluate<[href: string, rel: string][]>(
      "[...document.querySelectorAll('[role=log] a:not(.link)')].map((a) => [a.getAttribute('href'), a.rel])",
    );
    expect(links.filter(([href, rel]) => !/^https?:\/\//.test(href) || !rel.includes("noopener"))).toEqual([]);
    const risky =
      "script, iframe, img, svg:not([aria-hidden]), form, style, link, base, meta, object, [onerror], [onload]";
    expect(await log(page).locator(risky).count()).toBe(0);
    await log(page).press("PageUp");
  }
  expect(await page.evaluate("window.pwned")).toBeUndefined();
  expect(foreign).toEqual([]);
  expect(complaints).toEqual([]);
});

test("WEB-11: plain text is shown as it is, letter by letter", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const text = "# no heading\n  *no emphasis*  <b>no markup</b>\n\n\ttab & two  spaces";
  await scout.say(text, "text/plain");
  const { page } = await hub.signedIn();
  const shown = log(page).locator(".verbatim");
  await shown.waitFor();
  expect(await shown.textContent()).toBe(text);
});

test("a link shows its host, and code can be copied", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await scout.say("See [the bank](https://evil.example/login).\n\n```sh\necho 'copy me'\n```");
  const { page } = await hub.signedIn({ permissions: ["clipboard-read", "clipboard-write"] });
  await log(page).getByText("(evil.example)").waitFor();
  await log(page).getByRole("button", { name: "Copy" }).click();
  await log(page).getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("echo 'copy me'");
});

test("an address that names nobody, or nonsense, gets a sentence and no error", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn();
  for (const path of ["/chat/nobody", "/chat/%3Cimg%20src=x%20onerror=window.pwned=1%3E", `/chat/${"x".repeat(300)}`]) {
    await page.goto(hub.url + path);
    await page.getByRole("link", { name: "See who there is" }).waitFor();
  }
  await page.goto(`${hub.url}/nowhere`);
  await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
  await page.goto(`${hub.url}/chat/scout?m=<script>window.pwned=1</script>`);
  await composer(page).waitFor();
  expect(await page.evaluate("window.pwned")).toBeUndefined();
});
