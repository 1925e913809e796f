import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Audit, previewOf } from "./audit.ts";
import type { Actor } from "./context.ts";
import { eachDatabase, type TestHub } from "./testing/hub.ts";

const linesOf = (home: string) =>
  readFileSync(join(home, "audit.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open();
  });

  test("SPACE-8: a write leaves a line with session, agent, operation, preview and time", async () => {
    const ana = await hub.token("human", "ana");
    const { principal_id } = await hub.actor(ana);
    await hub.call(ana, "chat_human_post", { content: "Deploy now?" });
    await hub.stop();

    expect(linesOf(hub.home).at(-1)).toEqual({
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      session: "main",
      principal: principal_id,
      agent: "ana",
      op: "chat_human_post",
      door: "http",
      preview: '{"content":"Deploy now?"}',
      result: "ok",
    });
  });

  test("SPACE-8: so does what was refused, with its code, and what an orchestrator did names both", async () => {
    const scout = await hub.token("agent", "scout");
    const boss = await hub.token("orchestrator", "boss");
    await hub.call(scout, "token_list");
    await hub.call(scout, "chat_assistant_post", { content: "" });
    await hub.call(boss, "chat_assistant_post", { content: "x" }, { "x-caller-agent": "scout" });
    await hub.call(hub.admin, "chat.human.post", { content: "y" }, { "x-session-id": "main" });
    const { principal_id } = await hub.actor(boss);
    await hub.stop();

    expect(linesOf(hub.home).slice(-4)).toMatchObject([
      { agent: "scout", op: "token_list", result: "FORBIDDEN" },
      { agent: "scout", op: "chat_assistant_post", result: "INVALID_ARGUMENT" },
      { agent: "scout", principal: principal_id, op: "chat_assistant_post", result: "ok" },
      { agent: "admin", op: "chat_human_post", result: "ok" },
    ]);
  });

  test("reads leave no line", async () => {
    const ana = await hub.token("human", "ana");
    await hub.call(ana, "chat_read_since");
    await hub.call(ana, "whoami");
    await hub.stop();
    expect(linesOf(hub.home).map(({ op }) => op)).toEqual(["token_create"]);
  });

  test("SPACE-8: never a credential, also where somebody writes one into a message", async () => {
    const ana = await hub.token("human", "ana");
    for (const content of [`my token is ${ana}`, `Authorization: Bearer ${ana}`, `${"x".repeat(180)}${ana}`])
      await hub.call(ana, "chat_human_post", { content });
    await hub.stop();
    const text = readFileSync(join(hub.home, "audit.jsonl"), "utf8");
    expect(text).not.toContain(ana);
    expect(text).not.toContain(ana.slice(7, 20));
    expect(linesOf(hub.home).slice(-3)[0].preview).toBe('{"content":"my token is parley_[redacted]"}');
  });

  test("a line is one line, whatever is in it", async () => {
    await hub.call(hub.admin, "chat_human_post", { content: '\n{"op":"forged"}\u2028\r\n' });
    await hub.stop();
    expect(linesOf(hub.home).map(({ op }) => op)).toEqual(["chat_human_post"]);
  });

  test("it goes on where it was after a restart", async () => {
    await hub.call(hub.admin, "chat_human_post", { content: "before" });
    await hub.stop();
    hub = await open({ same: hub, config: { home: hub.home } });
    await hub.call(hub.admin, "chat_human_post", { content: "after" });
    await hub.stop();
    expect(linesOf(hub.home).map(({ preview }) => preview)).toEqual(['{"content":"before"}', '{"content":"after"}']);
  });
});

test("a preview is at most 200 characters of JSON, cut between characters, however much there is", () => {
  expect(previewOf({ a: 1, b: [true, null] })).toBe('{"a":1,"b":[true,null]}');
  expect(previewOf(undefined)).toBe("");
  const large: unknown[] = [
    { content: "🙂".repeat(1_000_000) },
    { content: `x${"🙂".repeat(1_000_000)}` },
    Array.from({ length: 100_000 }, () => ({})),
    Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, n])),
    { ["k".repeat(1_000_000)]: 1 },
    JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
  ];
  for (const args of large) {
    const preview = previewOf(args);
    expect(preview.length).toBeLessThanOrEqual(201);
    expect(preview.isWellFormed()).toBe(true);
    expect(preview).toMatch(/^(\{"|\[\{)/);
  }
});

const actor: Actor = {
  principal_id: "p_1",
  name: "ana",
  kind: "human",
  roles: ["human"],
  space_id: "main",
  token_id: "t_1",
  subscriber_id: "s_1",
};
const entry = (op: string) => ({ actor, op, door: "http", args: {}, result: "ok" });

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "parley-audit-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("a file that has grown large is put aside, readable by its owner alone, and one is kept", async () => {
  const file = join(home, "audit.jsonl");
  const report = vi.fn();
  for (const op of ["first", "second", "third"]) {
    writeFileSync(file, "", { flag: "a", mode: 0o600 });
    truncateSync(file, 64 * 1024 * 1024);
    await using audit = new Audit(home, report);
    audit.write(entry(op));
  }
  await using audit = new Audit(home, report);
  audit.write(entry("last"));
  await audit[Symbol.asyncDispose]();

  expect(linesOf(home).map(({ op }) => op)).toEqual(["last"]);
  expect(readFileSync(`${file}.1`, "utf8").slice(-300)).toContain('"op":"third"');
  for (const name of [file, `${file}.1`]) expect((statSync(name).mode & 0o777).toString(8)).toBe("600");
  expect(report).not.toHaveBeenCalled();
});

test("a disk that does not take it is reported, disturbs no call, and is written to again once it does", async () => {
  const missing = join(home, "later");
  const report = vi.fn();
  await using audit = new Audit(missing, report);
  audit.write(entry("lost"));
  await vi.waitFor(() => expect(report).toHaveBeenCalledWith(expect.objectContaining({ code: "ENOENT" })));
  mkdirSync(missing);
  audit.write(entry("kept"));
  await audit[Symbol.asyncDispose]();
  expect(linesOf(missing).map(({ op }) => op)).toEqual(["kept"]);
});
