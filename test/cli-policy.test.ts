/** The policy, as a person writes and tries it at a terminal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground({ in_process: true });
});
afterEach(() => ground[Symbol.asyncDispose]());

const DENIES = '{"tool": "runtime_exec", "when": {"cmd.0": "rm"}, "decision": "deny_abort"}';
const TWICE = '{"tool": "runtime_exec", "decision": "deny_abort", "decision": "allow"}';
const LARGE = '{"tool": "pay", "when": {"account": 9007199254740993}, "decision": "deny_abort"}';

const edit = (rules: string[], ...more: string[]) => {
  const path = join(ground.folder, "policy.json");
  writeFileSync(path, `{"rules": [${rules.join(", ")}]}`);
  return ground.parley(["policy", "edit", path, "--yes", "--json", ...more]);
};
const version = async () => (await ground.json<{ version: number }>(["policy", "show"])).version;

test("a policy of which something would be lost is refused and changes nothing; a whole one is set with why", async () => {
  await ground.serve();
  for (const [rule, sentence] of [
    [TWICE, 'The policy: the key "decision" is there twice'],
    [LARGE, "The policy: the number 9007199254740993 would be rounded"],
    ["{tool: 1}", "The policy: it is not JSON"],
    ['{"tool": "t", "decision": "perhaps"}', "Rule 2: decision is one of"],
  ] as const) {
    const { code, stderr } = await edit([DENIES, rule]);
    expect([code, JSON.parse(stderr).error.message]).toEqual([2, expect.stringContaining(sentence)]);
  }
  expect(await version()).toBe(0);
  expect((await edit([DENIES], "--note", "rm is not harmless")).code).toBe(0);
  const { versions } = await ground.json<{ versions: object[] }>(["policy", "history"]);
  expect(versions).toMatchObject([{ version: 1, rules: 1, note: "rm is not harmless" }]);
  for (const command of [
    ["policy", "preview", TWICE],
    ["policy", "propose", TWICE, "--reason", "x"],
  ]) {
    const { code, stderr } = await ground.parley([...command, "--json"]);
    expect([code, JSON.parse(stderr).error.message]).toEqual([2, expect.stringContaining("is there twice")]);
  }
  const { words } = await ground.json<{ words: string }>(["policy", "preview", DENIES]);
  expect(words).toBe("It would have changed nothing of 0 calls so far.");
});
