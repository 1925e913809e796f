/** What people are asked to allow: nothing of it can be hidden. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, shoot } from "../src/testing/browser.ts";
import { WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const ask = (hub: WebHub, token: string, { key, text }: { key: string; text: string }) =>
  hub.call<{ id: string }>(
    "notice_raise",
    { key, kind: "permission", title: `scout asks: may it ${key}?`, text, choices: ["allow", "deny"] },
    token,
  );

/** As who drags the bar does; resolves once the page has had two frames to notice. */
const JUMP_TO_END = `(() => {
  const box = document.querySelector("section.text");
  box.scrollTop = box.scrollHeight;
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(box.scrollTop > 0))));
})()`;

const card = (page: Page, key: string) => page.getByRole("listitem").filter({ hasText: `may it ${key}?` });

test("what does not fit cannot be allowed before all of it was in view, and can be denied at once", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  await ask(hub, token, { key: "tidy", text: `ls${"\n".repeat(90)}; rm -rf /` });
  for (const [width, colorScheme] of [
    [1440, "light"],
    [375, "dark"],
  ] as const) {
    const { page, complaints } = await hub.signedIn({ viewport: { width, height: 800 }, colorScheme });
    await page.goto(`${hub.url}/mail`);
    const tidy = card(page, "tidy");
    const allow = tidy.getByRole("button", { name: "Allow" });
    await tidy.getByText("Scroll through all of it to answer").waitFor();
    await expect.poll(() => tidy.getByRole("button", { name: "Deny" }).isEnabled()).toBe(true);
    expect(await allow.isDisabled()).toBe(true);
    await shoot(page, `notice-unseen-${width}-${colorScheme}`);

    // Its end is in view then, and its middle never was.
    expect(await page.evaluate(JUMP_TO_END)).toBe(true);
    expect(await allow.isDisabled()).toBe(true);

    await tidy.getByRole("region", { name: "All it says" }).focus();
    await expect.poll(() => page.keyboard.press("PageUp").then(() => allow.isEnabled())).toBe(true);
    expect(await tidy.getByText("Scroll through all of it").count()).toBe(0);
    await shoot(page, `notice-seen-${width}-${colorScheme}`);
    expect(complaints).toEqual([]);
    await page.close();
  }
});

test("what fits can be allowed, and what shows nothing or turns a line around is written out", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const text = "cat \u202egnp.exe\u202c a\u{e0101}\u{e0041}\u200bb\u0085 \u001b[2J";
  const { id } = await ask(hub, token, { key: "look", text });
  const { page } = await hub.signedIn();
  await page.goto(`${hub.url}/mail`);
  const said = "cat \\u202egnp.exe\\u202c a\\u{e0101}\\u{e0041}\\u200bb\\x85 \\x1b[2J";
  await card(page, "look").getByText(said, { exact: true }).waitFor();
  await card(page, "look").getByRole("button", { name: "Allow" }).click();
  const answer = await hub.call<{ choice: string }>("notice_wait", { id, wait_seconds: 20 }, token);
  expect(answer.choice).toBe("allow");
});
