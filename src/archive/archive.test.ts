/** What a space held is kept before it is removed, and can be read again. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { statement } from "../db/statement.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { removeOldArchives } from "./index.ts";

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3600 * 1000;
const NAME = "sess_a-20260102T000000Z.parley.gz";
const emptied = statement<{ id: string }, { emptied_at: string | null; messages: number }>(
  "select emptied_at, (select count(*) from messages where space_id = :id) as messages from spaces where id = :id",
);

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    await hub.call(hub.admin, "create_session", { session_id: "sess_a" });
    ana = await hub.token("human", "ana", "sess_a");
    scout = await hub.token("agent", "scout", "sess_a");
  });

  const inSpace = (space: string): Record<string, string> => ({ "x-session-id": space });
  const folder = () => join(hub.home, "archives");
  const textOf = (name = NAME) => gunzipSync(readFileSync(join(folder(), name))).toString();
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const state = () => hub.hub.database.get(emptied, { id: "sess_a" });
  const pack = (lines: readonly object[]) =>
    gzipSync(lines.map((line) => JSON.stringify(line)).join("\n")).toString("base64");
  const opened = async (text: string) => {
    const [header, ...rest] = linesOf(text);
    const lines = rest.slice(0, -1);
    const made = await hub.call(hub.admin, "space_open", { header });
    const filled = await hub.call(hub.admin, "space_fill", { id: made.body.space, rows: pack(lines) });
    const rows = lines.filter(({ table }) => table !== "principals").length;
    return {
      made,
      filled,
      finish: (more = 0) => hub.call(hub.admin, "space_finish", { id: made.body.space, rows: rows + more }),
    };
  };

  const fill = async () => {
    await hub.call(ana, "chat_human_post", { content: "the plan is in the drawer", agent: "scout" });
    await hub.call(scout, "mail_send", { to: ["ana"], subject: "Prices", body: "Competitor X charges ten" });
    await hub.call(ana, "task_create", { content: "look it up" });
    const trigger = { name: "hook", type: "webhook", prompt: "look", webhook_secret: "the-very-secret-of-the-hook" };
    const made = await hub.call(ana, "trigger_create", trigger);
    expect(made.status).toBe(200);
  };

  test("SPACE-6: what a space held is written to a file before it is removed, its owner's alone and without secrets", async () => {
    await fill();
    await hub.tick(DAY_MS + 1000);
    await expect.poll(async () => (await state())?.emptied_at).toMatch(/Z$/);
    expect((await state())?.messages).toBe(0);
    expect(readdirSync(folder())).toEqual([NAME]);
    expect(statSync(join(folder(), NAME)).mode & 0o777).toBe(0o600);
    const [header, ...rest] = linesOf(textOf());
    expect(header).toMatchObject({
      parley_archive: 1,
      space: "sess_a",
      created_at: "2026-01-01T00:00:00.000Z",
      ended_at: "2026-01-02T00:00:00.000Z",
    });
    const tables = new Set(rest.slice(0, -1).map(({ table }) => table));
    for (const name of ["events", "agents", "messages", "mails", "mail_recipients", "tasks", "triggers"])
      expect([name, tables.has(name)]).toEqual([name, true]);
    for (const name of ["trigger_secrets", "idempotency", "due", "tokens", "grants"])
      expect([name, tables.has(name)]).toEqual([name, false]);
    expect(textOf()).not.toContain("the-very-secret");
  });

  test("a space that is deleted is archived too, and one of many rows in pages", async () => {
    for (let n = 0; n < 120; n += 1) await hub.call(scout, "chat_assistant_post", { content: `line ${n}` });
    await hub.tick(1000);
    await hub.call(hub.admin, "space_delete", { id: "sess_a" });
    await hub.tick(1000);
    const [name = ""] = readdirSync(folder());
    const said = linesOf(textOf(name)).filter(({ table }) => table === "messages");
    expect(said.map(({ row }) => row.content)).toEqual(Array.from({ length: 120 }, (_, n) => `line ${n}`));
    await expect.poll(async () => (await state())?.messages).toBe(0);
  });

  test("while it cannot be written the space stays closed and whole, people are told once, and it is tried again", async () => {
    await fill();
    // A file in the place of the folder: not even root writes into it.
    writeFileSync(folder(), "");
    await hub.tick(DAY_MS + 1000);
    await hub.tick(3600_000);
    expect((await hub.call(ana, "whoami")).status).toBe(410);
    expect(await state()).toEqual({ emptied_at: null, messages: 1 });
    const { notices } = (await hub.call(hub.admin, "notice_list")).body;
    expect(notices).toMatchObject([{ kind: "space.unarchived", text: expect.stringContaining("sess_a") }]);
    rmSync(folder());
    await hub.tick(3600_000);
    expect(readdirSync(folder())).toEqual([NAME]);
    await expect.poll(async () => (await state())?.messages).toBe(0);
  });

  test("a hub that keeps no archives writes none", async () => {
    const plain = await open({ now: START, config: { archive_dir: undefined } });
    await plain.call(plain.admin, "create_session", { session_id: "sess_a", ttl_seconds: 60 });
    await plain.tick(61_000);
    await expect.poll(async () => (await plain.hub.database.get(emptied, { id: "sess_a" }))?.emptied_at).toMatch(/Z$/);
    expect(readdirSync(plain.home)).not.toContain("archives");
  });

  test("archives are kept for their days, and what was never finished for one", async () => {
    mkdirSync(folder(), { recursive: true });
    const old = new Date(START - 31 * DAY_MS);
    for (const name of ["old.parley.gz", "new.parley.gz", "half.tmp", "mine.txt"]) {
      writeFileSync(join(folder(), name), "");
      utimesSync(join(folder(), name), old, name.startsWith("new") ? new Date(START) : old);
    }
    await removeOldArchives(folder(), { before_ms: START - 30 * DAY_MS, now: START });
    expect(readdirSync(folder()).sort()).toEqual(["mine.txt", "new.parley.gz"]);
  });

  test("an archive is opened as a new space with everything under the ids that it had, and found by its words", async () => {
    await fill();
    const before = (await hub.call(ana, "chat_read_since", { agent: "scout" })).body.messages;
    const mails = (await hub.call(ana, "mail_inbox", {})).body.messages;
    await hub.tick(DAY_MS + 1000);
    const { made, filled, finish } = await opened(textOf());
    expect([made.status, filled.status, filled.body.code]).toEqual([200, 200, undefined]);
    const there = inSpace(made.body.space);
    expect((await hub.call(hub.admin, "whoami", {}, there)).status).toBe(410);
    const done = await finish();
    expect([done.status, done.body]).toEqual([200, expect.objectContaining({ space: made.body.space })]);

    const read = (tool: string, args: object) => hub.call(hub.admin, tool, args, there);
    expect((await read("chat_read_since", { agent: "scout" })).body.messages).toEqual(before);
    const shown = (await hub.call(ana, "mail_inbox", {}, there)).body.messages;
    expect(shown.map(({ id }: { id: string }) => id)).toEqual(mails.map(({ id }: { id: string }) => id));
    const found = (await hub.call(ana, "mail_search", { query: "competitor" }, there)).body.messages;
    expect(found).toHaveLength(1);
    expect((await read("task_list", {})).body.tasks).toMatchObject([{ status: "pending" }]);
    const { id } = (await hub.call(hub.admin, "chat_human_post", { content: "later", agent: "scout" }, there)).body;
    expect(Number(id)).toBeGreaterThan(Number(before.at(-1)?.id));
    // Its people may read what was theirs; no agent is let in, and nothing is taken from outside.
    expect((await read("mail_search", { agent: "scout", query: "charges" })).body.messages).toHaveLength(1);
    expect((await hub.call(scout, "whoami", {}, there)).body.code).toBe("SESSION_NOT_FOUND");
    const hook = await hub.request("POST", `/api/webhook/${made.body.space}/hook`, { body: "{}" });
    expect(hook.status).toBe(403);
    await hub.tick(DAY_MS + 1000);
    expect((await hub.call(hub.admin, "whoami", {}, there)).status).toBe(410);
  });

  test("in a space that is opened from its archive no agent is run, and a turn that ran is over", async () => {
    const { fence } = (await hub.call(scout, "runtime_start", { driver: "scripted" })).body;
    await hub.call(scout, "runtime_record", { fence, events: [{ type: "TurnStarted", key: "one" }] });
    const definition = JSON.stringify({ driver: "scripted", script: { rules: [] } });
    expect((await hub.call(hub.admin, "agent_start", { agent: "scout", definition }, inSpace("sess_a"))).status).toBe(
      200,
    );
    await hub.tick(DAY_MS + 1000);
    const { made, finish } = await opened(textOf());
    expect((await finish()).status).toBe(200);
    const status = await hub.call(hub.admin, "agent_status", { agent: "scout" }, inSpace(made.body.space));
    expect(status.body).toMatchObject({
      in_hub: false,
      turn: { outcome: "interrupted", ended_at: expect.any(String) },
    });
  });

  test("what is no whole archive of this hub opens nothing, and is told why", async () => {
    await fill();
    await hub.tick(DAY_MS + 1000);
    const text = textOf();
    const lines = linesOf(text);
    const changed = (change: (copy: typeof lines) => unknown) => {
      const copy = structuredClone(lines);
      change(copy);
      return copy.map((line) => JSON.stringify(line)).join("\n");
    };
    const message = (copy: typeof lines) => copy.find(({ table }) => table === "messages").row;
    const stranger = await opened(changed((copy) => Object.assign(copy[1].row, { name: "mallory" })));
    expect(stranger.filled.body.error).toMatch(/another hub/);
    const newer = await opened(changed((copy) => Object.assign(copy[0], { schema_version: 1000 })));
    expect(newer.made.body.error).toMatch(/newer Parley/);
    const unfit: ((copy: typeof lines) => unknown)[] = [
      (copy) => Object.assign(copy[1], { table: "tokens" }),
      (copy) => Object.assign(message(copy), { nothing: 1 }),
      (copy) => Object.assign(message(copy), { content: 7 }),
      (copy) => Object.assign(message(copy), { content: null }),
    ];
    for (const change of unfit) expect((await opened(changed(change))).filled.body.code).toBe("INVALID_ARGUMENT");
    const short = await opened(changed((lines) => lines.splice(lines.length - 2, 1)));
    expect((await short.finish(1)).body.error).toMatch(/rows of it have come/);
    expect((await hub.call(hub.admin, "space_list")).body.spaces).toHaveLength(1);
    expect((await hub.call(hub.admin, "space_fill", { id: "sess_a", rows: pack([]) })).body.code).toBe(
      "SESSION_NOT_FOUND",
    );
    const ben = await hub.token("human", "ben");
    expect((await hub.call(ben, "space_open", { header: lines[0] })).body.code).toBe("FORBIDDEN");
  });
});
