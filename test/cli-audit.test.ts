import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";
import { atTerminal } from "../src/testing/terminal.ts";

test("a person sees who did what, and whether anybody changed it; an agent sees neither", async () => {
  await using ground = new Ground({ in_process: true });
  const hub = await ground.host();
  await ground.json(["chat", "send", "correct horse"]);
  const shown = await ground.parley(["audit", "show", "--format", "text"]);
  expect(shown.stdout).toContain("chat_human_post");
  expect(shown.stdout).not.toContain("correct horse");
  const narrow = await atTerminal(ground, ["audit", "show"]);
  expect(narrow.stdout).toMatch(/ admin +chat_human_post +ok /);
  expect(narrow.stdout).toMatch(/ just now /);
  expect(await ground.parley(["audit", "verify", "--format", "text"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The audit is whole: \d+ lines?, 1 to \d+\.\n$/),
  });

  const file = join(hub.home, "audit.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace("chat_human_post", "chat_human_pozt"));
  const changed = await ground.parley(["audit", "verify", "--format", "text"]);
  expect([changed.code, changed.stdout]).toEqual([
    1,
    expect.stringContaining("is not what was written. (audit.jsonl)"),
  ]);

  for (const command of ["verify", "show"])
    expect((await ground.parley(["audit", command], { env: { CLAUDECODE: "1" } })).stderr).toContain("FORBIDDEN");
});
