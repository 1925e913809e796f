/** REACH-9: doctor says pass only for hooks that the client really runs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { say } from "./support/script.ts";

interface Report {
  checks: { name: string; state: string }[];
}

/** What doctor says of hooks, and whether `hooks status` is content. */
async function verdict(desk: Desk): Promise<{ doctor: string | undefined; status: number | null }> {
  const { stdout } = await desk.parley(["doctor", "--json"]);
  const report: Report = JSON.parse(stdout);
  const { code } = await desk.parley(["hooks", "status"]);
  return { doctor: report.checks.find(({ name }) => name === "hooks")?.state, status: code };
}

const settingsOf = (desk: Desk): string => join(desk.home, ".claude", "settings.json");

test("REACH-9: doctor passes hooks that Claude Code has run", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  await claude.print(claude.model.script("hello", say("Hello.")));
  await claude.model.received("on Parley");
  expect(await verdict(desk)).toEqual({ doctor: "pass", status: 0 });
});

test.each([
  ["a comment", (text: string) => `// mine\n${text}`],
  ["a trailing comma", (text: string) => text.replace(/\}\s*$/, ",}\n")],
])("REACH-9: settings with %s are not loaded by Claude Code, and doctor does not pass them", async (_, change) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  writeFileSync(settingsOf(desk), change(readFileSync(settingsOf(desk), "utf8")));
  await claude.print(claude.model.script("hello", say("Hello.")));
  expect(claude.model.turns.some(({ text }) => text.includes("on Parley"))).toBe(false);
  const { doctor, status } = await verdict(desk);
  expect(doctor).not.toBe("pass");
  expect(status).not.toBe(0);
});

test("REACH-9: hooks that somebody changed run in Claude Code, and doctor does not pass them", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const changed = join(desk.home, "was-run");
  const text = readFileSync(settingsOf(desk), "utf8");
  writeFileSync(settingsOf(desk), text.replace('"exec ', `"touch ${changed}; exec `));
  await claude.print(claude.model.script("hello", say("Hello.")));
  await claude.model.received("on Parley");
  expect(readFileSync(changed, "utf8")).toBe("");
  const { doctor, status } = await verdict(desk);
  expect(doctor).not.toBe("pass");
  expect(status).not.toBe(0);
});

test("REACH-9: hooks that Codex does not trust do not run, and doctor passes them only once they do", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.exec(codex.model.script("hello", say("Hello.")));
  expect(codex.model.turns.some(({ text }) => text.includes("on Parley"))).toBe(false);
  const before = await verdict(desk);
  expect(before.doctor).not.toBe("pass");
  expect(before.status).not.toBe(0);
  await codex.trustHooks();
  await codex.exec(codex.model.script("again", say("Hello.")));
  await codex.model.received("on Parley");
  expect(await verdict(desk)).toEqual({ doctor: "pass", status: 0 });
});
