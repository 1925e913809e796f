import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Actor } from "../context.ts";
import { openDatabase } from "../db/open.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { Audit, type AuditOptions } from "./audit.ts";
import { measure } from "./entry.ts";

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

  test("SPACE-8: a write leaves a line with session, agent, operation, names and sizes of arguments, and time", async () => {
    const ana = await hub.token("human", "ana");
    const { principal_id } = await hub.actor(ana);
    const { body } = await hub.call(ana, "chat_human_post", { content: "Deploy now?" });
    await hub.stop();

    expect(linesOf(hub.home).at(-1)).toEqual({
      seq: 2,
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      session: "main",
      principal: principal_id,
      agent: "ana",
      op: "chat_human_post",
      door: "http",
      args: { content: "text 11" },
      result: "ok",
      id: body.id,
      prev: expect.stringMatching(/^[\w-]{43}$/),
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

  test("whom a plain agent says it acts for is noted as what it says, never as who did it", async () => {
    const scout = await hub.token("agent", "scout");
    await hub.call(scout, "chat_assistant_post", { content: "x" }, { "x-caller-agent": "mason" });
    await hub.stop();
    expect(linesOf(hub.home).at(-1)).toMatchObject({ agent: "scout", claimed_agent: "mason" });
  });

  test("reads leave no line", async () => {
    const ana = await hub.token("human", "ana");
    await hub.call(ana, "chat_read_since");
    await hub.call(ana, "whoami");
    await hub.stop();
    expect(linesOf(hub.home).map(({ op }) => op)).toEqual(["token_create"]);
  });

  test("SPACE-8: never a credential, never contents, not even as the name of an argument", async () => {
    const ana = await hub.token("human", "ana");
    const secret = "correct-horse-battery-staple";
    for (const args of [{ content: `${secret} ${ana}` }, { content: "x", [secret]: ana }, { content: [secret] }])
      await hub.call(ana, "chat_human_post", args);
    await hub.stop();
    const text = readFileSync(join(hub.home, "audit.jsonl"), "utf8");
    for (const words of [ana, ana.slice(7, 20), secret, hub.admin]) expect(text).not.toContain(words);
    expect(linesOf(hub.home).at(-2).args).toEqual({ content: "text 1", "?": "1 unknown" });
  });

  test("refusals without end are a line at first and then one a minute, so that they wash nothing out", async () => {
    const scout = await hub.token("agent", "scout");
    const often = (call: () => Promise<unknown>) => Promise.all(Array.from({ length: 100 }, call));
    await often(() => hub.call(scout, "token_list"));
    await often(() => hub.request("GET", "/api/messages", { token: "parley_wrong" }));
    await hub.request("GET", "/livez", { headers: { origin: "http://evil.example" } });
    await hub.stop();
    const lines = linesOf(hub.home);
    const counted = (result: string): number =>
      lines.filter((line) => line.result === result).reduce((sum, { count = 1 }) => sum + count, 0);
    expect(["FORBIDDEN", "UNAUTHENTICATED", "ORIGIN_DENIED"].map(counted)).toEqual([100, 100, 1]);
    // A line more for each minute that it took.
    expect(lines.length).toBeLessThan(20);
    expect(lines.find(({ result }) => result === "FORBIDDEN")).toMatchObject({ op: "token_list", agent: "scout" });
    expect(lines.find(({ result }) => result === "UNAUTHENTICATED")).toMatchObject({
      op: "request",
      address: "127.0.0.1",
    });
    expect(lines.at(-1)).toMatchObject({ count: expect.any(Number), since: expect.any(String) });
  });

  test("who signs in and out is there, and which tokens were taken back", async () => {
    const { code } = (await hub.call(hub.admin, "login_create", { name: "ana" })).body;
    const page = { origin: hub.url, "content-type": "application/json" };
    const login = await hub.request("POST", "/login", { body: JSON.stringify({ code }), headers: page });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    await hub.request("POST", "/logout", { headers: { ...page, cookie } });
    await hub.request("POST", "/logout", { headers: { ...page, cookie } });
    await hub.stop();
    const lines = linesOf(hub.home);
    expect(lines.map(({ op }) => op).sort()).toEqual(["login_create", "sign_in", "sign_out", "token.revoked"]);
    expect(lines.find(({ op }) => op === "sign_in")).toMatchObject({
      agent: "ana",
      address: "127.0.0.1",
      result: "ok",
    });
    expect(lines.find(({ op }) => op === "token.revoked").id).toMatch(/^t_/);
  });

  test("it goes on where it was after a restart", async () => {
    await hub.call(hub.admin, "chat_human_post", { content: "before" });
    await hub.stop();
    hub = await open({ same: hub, config: { home: hub.home } });
    await hub.call(hub.admin, "chat_human_post", { content: "after!" });
    await hub.stop();
    expect(linesOf(hub.home).map(({ seq, args }) => [seq, args.content])).toEqual([
      [1, "text 6"],
      [2, "text 6"],
    ]);
  });
});

test("arguments are named and measured", () => {
  const args = { content: "héllo", to: ["a", "b"], meta: { x: 1 }, limit: 3, all: true, none: null, other: "x" };
  expect(measure(args, Object.keys(args).slice(0, -1))).toEqual({
    content: "text 5",
    to: "list 2",
    meta: "object 1",
    limit: "number",
    all: "boolean",
    none: "none",
    "?": "1 unknown",
  });
  expect(measure(undefined, [])).toBe("none");
  expect(measure(["x"], [])).toBe("list 1");
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
const entry = (op: string) => ({ actor, op, door: "http", args: {}, known: [], result: "ok" });

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "parley-audit-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("a disk that does not take it is reported, disturbs no call, and what was lost is counted once it does", async () => {
  await using database = await openDatabase({ home, database_url: undefined, now: undefined, after_crash: false });
  const report = vi.fn();
  const missing = join(home, "later");
  mkdirSync(missing);
  const kept = { days: 0, bytes: 1024 * 1024 };
  const options: AuditOptions = { home: missing, chain: "folder", database, kept, after_crash: false, report };
  await using audit = await Audit.open(options);
  rmSync(missing, { recursive: true });
  audit.call(entry("lost"));
  await expect.poll(() => report.mock.calls).toEqual([[expect.objectContaining({ code: "ENOENT" })]]);
  mkdirSync(missing);
  audit.call(entry("kept"));
  expect(await audit.verify()).toMatchObject({ ok: true, lines: 2 });
  expect(linesOf(missing)).toMatchObject([{ op: "audit.lost", count: 1 }, { op: "kept" }]);
  expect((statSync(join(missing, "audit.jsonl")).mode & 0o777).toString(8)).toBe("600");
});
