/** What is left of a space that has ended, and for how long. */
import { beforeEach, expect, test } from "vitest";
import type { Reader } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const IN_A = { "x-session-id": "sess_a" };

const tables = statement<Record<string, never>, { name: string }>(
  "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name",
  "select table_name as name from information_schema.tables where table_schema = 'public' order by table_name",
);

/** How many rows there are of each. An index of words is no table of ours, and `hub` is about no space. */
async function rowsIn(db: Reader): Promise<Record<string, number>> {
  const all = (await db.all(tables, {})).map(({ name }) => name);
  const names = all.filter((name) => name !== "hub" && !name.includes("_words"));
  const rows = names.map(async (name) => {
    const count = statement<Record<string, never>, { rows: number }>(`select count(*) as rows from ${name}`);
    return [name, Number((await db.get(count, {}))?.rows)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open({ now: START });
  });

  const codeOf = async (token: string, headers = {}) => {
    const { status, body } = await hub.call(token, "whoami", {}, headers);
    return body.code ?? status;
  };

  test("SPACE-6: a space that has ended says so for a month; then it is as unknown as one that never was", async () => {
    await hub.call(hub.admin, "create_session", { session_id: "sess_a" });
    const ana = await hub.token("human", "ana");
    await hub.token("human", "ana", "sess_a");
    const scout = await hub.token("agent", "scout", "sess_a");
    await hub.tick(DAY_MS);
    for (let day = 0; day < 30; day += 1) await hub.tick(DAY_MS);
    for (const token of [ana, scout, hub.admin]) expect(await codeOf(token, IN_A)).toBe("SESSION_EXPIRED");
    expect((await hub.call(hub.admin, "create_session", { session_id: "sess_a" })).body.code).toBe("CONFLICT");

    await hub.tick(HOUR_MS);
    for (const token of [ana, hub.admin]) {
      await expect.poll(() => codeOf(token, IN_A)).toBe("SESSION_NOT_FOUND");
      expect(await codeOf(token)).toBe(200);
    }
    // There is nowhere left that it leads to.
    await expect.poll(() => codeOf(scout, IN_A)).toBe("UNAUTHENTICATED");
  });

  test("a space that is made under the id of a forgotten one is nobody's who was let into that", async () => {
    await hub.call(hub.admin, "create_session", { session_id: "sess_a" });
    const ana = await hub.token("human", "ana");
    await hub.token("human", "ana", "sess_a");
    const scout = await hub.token("agent", "scout", "sess_a");
    await hub.call(scout, "add_note", { content: "of the first" });
    for (let day = 0; day < 32; day += 1) await hub.tick(DAY_MS);
    const boss = await hub.token("orchestrator", "boss");
    expect((await hub.call(boss, "create_session", { session_id: "sess_a" })).status).toBe(200);
    expect((await hub.call(boss, "read_notes", {}, IN_A)).body.notes).toEqual([]);
    expect(await codeOf(ana, IN_A)).toBe("SESSION_NOT_FOUND");
    // Whoever takes its name has not let it in.
    expect((await hub.call(boss, "agent_register", { name: "scout" }, IN_A)).status).toBe(200);
    expect(await codeOf(scout, IN_A)).toBe("UNAUTHENTICATED");
  });

  test("a space that has ended leaves nothing behind but the names of those who were in it", async () => {
    const boss = await hub.token("orchestrator", "boss");
    const use = async (id: string) => {
      const there = { "x-session-id": id };
      await hub.call(boss, "create_session", { session_id: id });
      const scout = await hub.token("agent", `scout-${id}`, id);
      const said = [
        await hub.call(hub.admin, "chat_human_post", { content: "hello" }, there),
        await hub.call(scout, "add_note", { content: "found", tags: ["a"] }, there),
        await hub.call(scout, "write_draft_section", { section_id: "intro", title: "I", content: "x" }, there),
        await hub.call(scout, "add_tasks", { tasks: [{ description: "read" }] }, there),
        await hub.call(scout, "add_question", { question: "Which?", blocking: true }, there),
        await hub.call(boss, "task_create", { content: "do" }, there),
      ];
      expect(said.map(({ status }) => status)).toEqual(said.map(() => 200));
      for (let day = 0; day < 64; day += 1) await hub.tick(DAY_MS);
    };
    // What the hub plans once for all spaces is there from now on.
    await use("sess_first");
    const before = await rowsIn(hub.hub.database);
    await use("sess_second");
    const after = await rowsIn(hub.hub.database);
    expect(after).toEqual({ ...before, principals: (before.principals ?? 0) + 1 });
  });

  test("spaces that ended under a version that forgot none are forgotten after an upgrade", async () => {
    await hub.call(hub.admin, "create_session", { session_id: "sess_a" });
    await hub.tick(DAY_MS);
    await hub.hub.database.write("hub", async (tx) => {
      await tx.run(statement("delete from due where kind = 'space.forget'"), {});
      await tx.run(statement("delete from hub where name = 'planned_for'"), {});
    });
    await hub.stop();
    hub = await open({ same: hub });
    expect(await codeOf(hub.admin, IN_A)).toBe("SESSION_EXPIRED");
    await hub.tick(31 * DAY_MS);
    await expect.poll(() => codeOf(hub.admin, IN_A)).toBe("SESSION_NOT_FOUND");
  });
});
