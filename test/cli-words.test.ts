/** What the command line says, to people and to programs. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
});
afterEach(() => ground[Symbol.asyncDispose]());

const errorOf = async (args: string[]) => {
  const { code, stdout, stderr } = await ground.parley([...args, "--json"]);
  expect(stdout).toBe("");
  return { exit: code, ...JSON.parse(stderr).error };
};
const text = async (...args: string[]): Promise<string> => (await ground.parley([...args, "--format", "text"])).stdout;

test("with --json every command prints one JSON document, and nothing on stderr", async () => {
  await ground.json(["agent", "register", "scout"]);
  const { id } = await ground.json<{ id: string }>(["send", "--to", "scout", "--subject", "s", "--body", "b"]);
  const as = ["--agent", "scout"];
  const commands = [
    ["inbox", ...as],
    ["read", id, ...as],
    ["reply", id, "--body", "b", ...as],
    ["ack", id, ...as],
    ["archive", id, ...as],
    ["trash", id, ...as],
    ["unarchive", id, ...as],
    ["snooze", id, "--until", "2h", ...as],
    ["unread", id, ...as],
    ["search", "s", ...as],
    ["thread", id, ...as],
    ["receipts", id],
    ["poll", ...as],
    ["wait", "--timeout", "1s", ...as],
    ["watch", "--timeout", "1s", ...as],
    ["status-update", "--summary", "half done", ...as],
    ["publish", "builds", "--subject", "s", "--body", "b"],
    ["subscribe", "builds"],
    ["unsubscribe", "builds"],
    ["topics"],
    ["heartbeat", ...as],
    ["status"],
    ["agent", "discover"],
    ["agent", "whoami"],
    ["identity", "ensure", "--session-id", "s-1"],
    ["identity", "current"],
    ["identity", "list"],
    ["hooks", "install", "--dry-run"],
    ["hooks", "uninstall", "--dry-run"],
    ["queue", "list"],
    ["queue", "stats"],
    ["queue", "drain"],
    ["notices"],
    ["token", "list"],
    ["space", "list"],
    ["login"],
    ["doctor"],
    ["schema"],
    ["schema", "send"],
    ["completion", "zsh"],
    ["complete", "--", "se"],
    ["help"],
    ["help", "send"],
    ["version"],
  ];
  for (const command of commands) {
    const { code, stdout, stderr } = await ground.parley(["--json", ...command]);
    expect([command.join(" "), code, stderr]).toEqual([command.join(" "), 0, ""]);
    expect(() => JSON.parse(stdout), command.join(" ")).not.toThrow();
  }
});

test("a wrong argument is named as it was typed, and not by the tool or header that carried it", async () => {
  expect(await errorOf(["read", "abc"])).toMatchObject({ exit: 2, message: "id: an id is a string of digits." });
  // Before anything was ever stored, and so long ago that the hub would refuse the time.
  for (const begin of ["1234", "12345", "1400"])
    expect(await errorOf(["read", begin])).toMatchObject({
      exit: 4,
      message: `No mail has an id that begins with ${begin}.`,
    });
  const space = await errorOf(["inbox", "--space", "nope"]);
  expect(space).toMatchObject({
    exit: 4,
    code: "NOT_FOUND",
    message: "No space has an id that begins with nope.",
  });
  const heartbeat = await errorOf(["heartbeat"]);
  expect(heartbeat).toMatchObject({ exit: 3, code: "FORBIDDEN", message: expect.stringContaining("--agent NAME") });
  expect((await errorOf(["call", "whoami", "{"])).message).toMatch(/^The arguments are not JSON/);
});

test("`status` tells of unread mail and of what waits for a person, and what to type next", async () => {
  await ground.json(["agent", "register", "scout"]);
  expect(await text("status")).toMatch(
    / mail +0 unread for admin, 0 urgent\n needs you +0\nNext: .* chat tail --home .*\n$/,
  );
  const mail = ["send", "--to", "User", "--subject", "s", "--body", "b", "--agent", "scout"];
  await ground.json([...mail, "--priority", "low"]);
  expect(await text("status")).toMatch(
    / mail +1 unread for admin, 0 urgent\n needs you +0\nNext: .* inbox --home .*\n$/,
  );
  await ground.json([...mail, "--priority", "urgent"]);
  expect(await text("status")).toMatch(
    / mail +2 unread for admin, 1 urgent\n needs you +1\nNext: .* needs --home .*\n$/,
  );
});

test("where there is nothing yet, it says how to begin", async () => {
  expect(await text("topics")).toBe(`There are none. Begin one: ${ground.line("subscribe TOPIC")}\n`);
  expect(await text("hooks", "status")).toContain(`Next: ${ground.line("hooks install")}\n`);
  expect(await text("publish", "builds", "--subject", "s", "--body", "b")).toMatch(/which nobody follows/);
});

test("`queue clear --dry-run` says what it would throw away, and throws away nothing", async () => {
  const mail = ["send", "--to", "scout", "--subject", "s", "--body", "b", "--queue-only"];
  const { idempotency_key } = await ground.json<{ idempotency_key: string }>(mail);
  const clear = ["queue", "clear", "--all", "--yes"];
  expect(await ground.json([...clear, "--dry-run"])).toEqual({ dry_run: true, keys: [idempotency_key] });
  expect(await ground.json(["queue", "stats"])).toMatchObject({ pending: 1 });
  expect(await ground.json(clear)).toEqual({ cleared: 1 });
  expect(await ground.json(["queue", "stats"])).toMatchObject({ pending: 0 });
});
