/** `parley status-update`: a mail to people of one form, and no second one while the first is unread. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

interface Mail {
  id: string;
  subject: string;
  body: string;
}

let ground: Ground;
beforeEach(() => {
  ground = new Ground({ in_process: true });
});
afterEach(() => ground[Symbol.asyncDispose]());

const AS = ["--agent", "scout"];
const update = <T>(summary: string, ...more: string[]): Promise<T> =>
  ground.json(["status-update", "--summary", summary, ...AS, ...more]);
const inbox = async (): Promise<Mail[]> => (await ground.json<{ messages: Mail[] }>(["inbox"])).messages;

test("it tells the people of the space how far the agent is, where, and what it waits for", async () => {
  await ground.json(["agent", "register", "scout"]);
  const project = join(ground.folder, "shop");
  mkdirSync(project);
  spawnSync("git", ["init", "-q", "-b", "fix", project]);
  const sent = await update<{ sent: true; id: string; to: string[] }>(
    "Half of the tests pass\nThe rest needs a database.",
    "--waiting-for",
    "a decision",
    "--project",
    project,
  );
  expect(sent).toMatchObject({ sent: true, to: ["admin"] });
  const [mail] = await inbox();
  expect(mail).toMatchObject({ id: sent.id, subject: "[Status] shop/fix - Half of the tests pass" });
  const { body } = await ground.json<Mail>(["read", sent.id]);
  expect(body).toBe(
    `Half of the tests pass\nThe rest needs a database.\n\nWaiting for: a decision\n\nProject: ${project}\nBranch: fix`,
  );
});

test("with --skip-if-pending nothing is sent until somebody has read the last one", async () => {
  await ground.json(["agent", "register", "scout"]);
  const first = await update<{ id: string }>("one", "--skip-if-pending");
  expect(await update("two", "--skip-if-pending")).toEqual({
    skipped: true,
    id: first.id,
    reason: expect.stringContaining(first.id),
  });
  expect(await inbox()).toHaveLength(1);
  await ground.json(["read", first.id]);
  expect(await update("three", "--skip-if-pending")).toMatchObject({ sent: true });
});

test("without a hub it is kept once, and sent when the hub is reached", async () => {
  await ground.json(["agent", "register", "scout"]);
  await ground.json(["heartbeat", ...AS]);
  await ground.json(["stop"]);
  const kept = await update<{ idempotency_key: string }>("one", "--skip-if-pending", "--no-start");
  expect(kept).toMatchObject({ queued: true });
  const skipped = await update("two", "--skip-if-pending", "--no-start");
  expect(skipped).toMatchObject({ skipped: true, id: kept.idempotency_key });
  expect((await inbox()).map(({ subject }) => subject)).toEqual([expect.stringContaining(" - one")]);
});

test("a summary that is missing or empty is told apart from a mail that was sent", async () => {
  await ground.json(["agent", "register", "scout"]);
  for (const args of [["status-update"], ["status-update", "--summary", " ", ...AS]]) {
    const { code, stdout, stderr } = await ground.parley([...args, "--json"]);
    expect([code, stdout, JSON.parse(stderr).error.code]).toEqual([2, "", "INVALID_ARGUMENT"]);
  }
  expect(await inbox()).toEqual([]);
});
