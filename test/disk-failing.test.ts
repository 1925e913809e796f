/** A disk that fails: the hub stops rather than promise what it cannot keep, and nobody trusts a damaged file. */
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { Restarts } from "../src/testing/restarts.ts";

let restarts: Restarts;
beforeEach(async () => {
  restarts = await Restarts.on("sqlite");
});
afterEach(() => restarts[Symbol.asyncDispose]());

const file = () => join(restarts.ground.home, "parley.db");
const post = (content: string) => callTool(restarts.admin, "chat_human_post", { content }, content.slice(0, 40));
const contents = async (): Promise<string[]> =>
  (await callUntilKnown(restarts.admin, "chat_read_since", { limit: 500 })).body.messages.map(
    ({ content }: { content: string }) => content,
  );

/** Overwrites the file from that page on. */
function damage(from_page: number): void {
  const page = 4096;
  const handle = openSync(file(), "r+");
  for (let at = (from_page - 1) * page; at < statSync(file()).size; at += page)
    writeSync(handle, Buffer.alloc(page, 0x5a), 0, page, at);
  closeSync(handle);
}

async function refusal(): Promise<string> {
  const { code, stderr } = await restarts.ground.parley(["serve"]);
  expect(code).toBe(78);
  return stderr;
}

test("a failing commit ends without an answer and then the hub, with an error; the next one finds out what became of it", async () => {
  for (const point of ["post.in_commit@events", "checkpoint.before", "post.after_commit@events"]) {
    await restarts.start({ PARLEY_FAILPOINT: `${point}:eio:6` });
    let lost: string | undefined;
    for (let n = 0; lost === undefined && n < 20; n++) {
      const content = `${point} ${n}`;
      const reply = await post(content);
      if (!reply) lost = content;
      else expect(reply.status).toBe(200);
    }
    expect(await restarts.ended()).toEqual({ code: 1, signal: null });
    expect(restarts.hub.stderr()).toContain("STORAGE_UNAVAILABLE");
    // What it says of itself stays, so that the next one looks before it trusts the file.
    expect(existsSync(join(restarts.ground.home, "hub.json"))).toBe(true);

    await restarts.start();
    expect((await post(String(lost)))?.status).toBe(200);
    expect((await contents()).filter((content) => content === lost)).toHaveLength(1);
    await restarts.hub.kill("SIGTERM");
  }
});

test("a file that turns out to be damaged ends the hub, and the next one refuses it", async () => {
  await restarts.start();
  for (let n = 0; n < 40; n++) expect((await post(`${n} ${"x".repeat(20_000)}`))?.status).toBe(200);
  await restarts.hub.kill("SIGTERM");
  await restarts.start();
  // Not the first pages: those it has read already.
  damage(40);
  await until(async () => {
    const reply = await callTool(restarts.admin, "chat_read_since", { limit: 500 });
    expect([undefined, 503]).toContain(reply?.status);
    return restarts.hub.child.exitCode !== null;
  });
  expect(restarts.hub.child.exitCode).toBe(1);

  const before = readFileSync(file());
  expect(await refusal()).toMatch(/damaged|malformed/);
  expect(readFileSync(file()).equals(before)).toBe(true);
});

test("a file that is no database is refused", async () => {
  await restarts.start();
  await restarts.hub.kill("SIGTERM");
  // Stopped in good order it has left everything in one file.
  expect(existsSync(`${file()}-wal`)).toBe(false);
  damage(1);
  const before = readFileSync(file());

  expect(await refusal()).toContain(restarts.ground.home);
  expect(readFileSync(file()).equals(before)).toBe(true);
});
