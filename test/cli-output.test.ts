/** An answer that cannot be written. */
import { spawn } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ended, ended, Ground, PARLEY } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

const shell = (script: string): Promise<Ended> =>
  ended(ground.watch(spawn("/bin/sh", ["-c", script, PARLEY], { env: ground.env(), stdio: ["pipe", "pipe", "pipe"] })));

test("a full disk behind stdout is one sentence with a code, and no stack", async () => {
  const told = await shell('"$0" version >/dev/full');
  expect(told).toMatchObject({ code: 1, stdout: "" });
  expect(told.stderr.trimEnd().split("\n")).toHaveLength(1);
  const { error } = JSON.parse(told.stderr);
  expect(error).toMatchObject({ code: "OUTPUT_FAILED", message: expect.stringMatching(/stdout: ENOSPC: [^/]*\.$/) });
  const text = await shell('"$0" queue stats --format text >/dev/full');
  expect(text).toMatchObject({ code: 1, stderr: expect.stringMatching(/^parley: What was asked for .*\n$/) });
});

test("a full disk behind stderr changes neither what is answered nor the exit code", async () => {
  expect(await shell('"$0" nonsense 2>/dev/full')).toMatchObject({ code: 2, stdout: "" });
  expect(await shell('"$0" queue stats --json 2>/dev/full')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("pending"),
  });
});
