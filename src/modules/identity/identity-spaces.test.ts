import { beforeEach, expect, test } from "vitest";
import { statement } from "../../db/statement.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { post } from "../chat/index.ts";

const rows = statement<{ id: string }, { held: number; emptied_at: string | null }>(
  `select emptied_at, (select count(*) from messages where space_id = :id) + (select count(*) from events where
   space_id = :id) + (select count(*) from due where space_id = :id) as held from spaces where id = :id`,
);

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const START = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3600 * 1000;

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open({ now: START });
  });

  const inSpace = (space: string): Record<string, string> => ({ "x-session-id": space });
  const whoami = (token: string, headers = {}) => hub.call(token, "whoami", {}, headers);
  const contents = async (token: string, headers = {}): Promise<string[]> =>
    (await hub.call(token, "chat_read_since", {}, headers)).body.messages.map(
      ({ content }: { content: string }) => content,
    );

  test("SPACE-1: a space that is missing, malformed, unknown or expired has its code and its status", async () => {
    for (const id of ["sess_a", "sess_b"]) await hub.call(hub.admin, "space_create", { id });
    const scout = await hub.token("agent", "scout", "sess_a");
    await hub.token("agent", "scout", "sess_b");
    const cases: [Record<string, string>, number, string][] = [
      [{}, 400, "MISSING_SESSION_ID"],
      [inSpace("nonsense"), 400, "INVALID_SESSION_ID"],
      [inSpace(" "), 400, "INVALID_SESSION_ID"],
      [inSpace("hub"), 400, "INVALID_SESSION_ID"],
      [inSpace("*"), 400, "INVALID_SESSION_ID"],
      [inSpace("MAIN"), 400, "INVALID_SESSION_ID"],
      [inSpace(`sess_${"x".repeat(65)}`), 400, "INVALID_SESSION_ID"],
      [inSpace("sess_none"), 404, "SESSION_NOT_FOUND"],
      [inSpace("main"), 404, "SESSION_NOT_FOUND"],
    ];
    for (const [headers, status, code] of cases) {
      const answer = await whoami(scout, headers);
      expect([headers, answer.status, answer.body]).toEqual([headers, status, { code, error: SENTENCE }]);
    }
    expect((await whoami(scout, inSpace("sess_a"))).body.space).toBe("sess_a");
    await hub.tick(DAY_MS);
    const expired = await whoami(scout, inSpace("sess_a"));
    expect([expired.status, expired.body]).toEqual([410, { code: "SESSION_EXPIRED", error: SENTENCE }]);
  });

  test("SPACE-1: an unknown token is told so before anything about spaces", async () => {
    for (const space of ["sess_none", "nonsense", "main"])
      expect((await whoami(`parley_${"x".repeat(43)}`, inSpace(space))).status).toBe(401);
  });

  test("SPACE-2: a token of one expiring space never falls back to another one", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_a", ttl_seconds: 60 });
    const scout = await hub.token("agent", "scout", "sess_a");
    expect((await whoami(scout)).body.space).toBe("sess_a");
    await hub.tick(60_000);
    expect((await whoami(scout)).body.code).toBe("SESSION_EXPIRED");
  });

  test("SPACE-2: a space that expired is no reason to name the one that is left", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_home", ttl_seconds: 600 });
    const boss = await hub.token("orchestrator", "boss", "sess_home");
    for (const [id, ttl_seconds] of [
      ["sess_deleted", 600],
      ["sess_short", 60],
    ])
      expect((await hub.call(boss, "space_create", { id, ttl_seconds }, inSpace("sess_home"))).status).toBe(200);
    // What it was granted before may be believed for a second.
    await expect.poll(async () => (await whoami(boss)).body.code).toBe("MISSING_SESSION_ID");
    await hub.call(boss, "space_delete", { id: "sess_deleted" }, inSpace("sess_home"));
    expect((await whoami(boss)).body.code).toBe("MISSING_SESSION_ID");
    await hub.tick(60_000);
    expect((await whoami(boss)).body.space).toBe("sess_home");
    await hub.tick(600_000);
    expect((await whoami(boss)).body.code).toBe("SESSION_EXPIRED");
  });

  test("SPACE-4: nothing of one space is seen in another: no agent, message, mark, list or count", async () => {
    for (const id of ["sess_a", "sess_b"]) await hub.call(hub.admin, "space_create", { id });
    const a = { human: await hub.token("human", "ana", "sess_a"), agent: await hub.token("agent", "scout", "sess_a") };
    const b = { human: await hub.token("human", "ben", "sess_b"), agent: await hub.token("agent", "mason", "sess_b") };
    await hub.call(a.human, "chat_human_post", { content: "only in a" });
    await hub.call(a.agent, "chat_assistant_post", { content: "also only in a" });

    expect(await contents(a.agent)).toEqual(["only in a", "also only in a"]);
    for (const token of [b.human, b.agent]) {
      expect(await contents(token)).toEqual([]);
      const { agents } = (await hub.call(token, "agent_list")).body;
      expect(agents.map(({ name }: { name: string }) => name)).toEqual(["mason"]);
    }
    expect((await hub.call(b.human, "chat_human_post", { content: "x", agent: "scout" })).body.code).toBe(
      "AGENT_NOT_FOUND",
    );
    const { spaces } = (await hub.call(b.human, "space_list")).body;
    expect(spaces.map(({ space }: { space: string }) => space)).toEqual(["sess_b"]);
    expect(await contents(hub.admin)).toEqual([]);
    expect(await contents(hub.admin, inSpace("sess_a"))).toHaveLength(2);
  });

  test("SPACE-5: an idempotency key used in one space says nothing in another", async () => {
    for (const id of ["sess_a", "sess_b"]) await hub.call(hub.admin, "space_create", { id });
    const key = { "idempotency-key": "the same" };
    const first = await hub.call(hub.admin, "chat_human_post", { content: "x" }, { ...inSpace("sess_a"), ...key });
    const second = await hub.call(hub.admin, "chat_human_post", { content: "y" }, { ...inSpace("sess_b"), ...key });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await contents(hub.admin, inSpace("sess_b"))).toEqual(["y"]);
  });

  test("SPACE-6: a space lives to the second it was given, and after that its data is gone and the answer stays", async () => {
    const { body } = await hub.call(hub.admin, "space_create", { id: "sess_a" });
    expect(body.expires_at).toBe(new Date(START + DAY_MS).toISOString());
    const scout = await hub.token("agent", "scout", "sess_a");
    const said = await hub.call(scout, "chat_assistant_post", { content: "soon gone" });

    await hub.tick(DAY_MS - 1000);
    expect(await contents(scout)).toEqual(["soon gone"]);
    await hub.tick(2000);
    expect((await whoami(scout)).status).toBe(410);
    expect((await hub.call(hub.admin, "space_list")).body.spaces.map(({ space }: { space: string }) => space)).toEqual([
      "main",
    ]);

    const ctx = await hub.as(hub.admin);
    const there = { ...ctx, actor: { ...ctx.actor, space_id: "sess_a" } };
    const read = hub.hub.tools.find("chat_read_since");
    expect(await read.run(there, { limit: 50 } as never)).toMatchObject({ messages: [], last_id: null });
    expect(said.status).toBe(200);
    await hub.tick(7 * DAY_MS);
    expect((await whoami(scout)).status).toBe(410);
  });

  test("SPACE-6: a space with a great deal in it is emptied in slices, to the last row", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_a", ttl_seconds: 60 });
    const ben = await hub.token("human", "ben", "sess_a");
    const ctx = await hub.as(ben);
    await hub.hub.database.write("sess_a", async (tx) => {
      for (let n = 0; n < 2500; n++)
        await post({ ...ctx, db: tx, tx }, { author: "user", content: `${n}`, mime: "text/plain" });
    });
    await hub.tick(61_000);
    const held = async () => (await hub.hub.database.get(rows, { id: "sess_a" }))?.held;
    await expect.poll(held).toBe(0);
    expect((await hub.hub.database.get(rows, { id: "sess_a" }))?.emptied_at).toMatch(/Z$/);
  });

  test("SPACE-7: spaces and what is in them survive a restart", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_a" });
    const scout = await hub.token("agent", "scout", "sess_a");
    await hub.call(scout, "chat_assistant_post", { content: "kept" });
    await hub.stop();
    hub = await open({ same: hub });
    expect(await contents(scout)).toEqual(["kept"]);
    await hub.tick(DAY_MS + 1000);
    expect((await whoami(scout)).status).toBe(410);
  });

  test("SPACE-7: fifty spaces at once keep apart", async () => {
    const boss = await hub.token("orchestrator", "boss");
    const ids = Array.from({ length: 50 }, (_, n) => `sess_${n}`);
    await Promise.all(ids.map((id) => hub.call(boss, "create_session", { session_id: id })));
    await Promise.all(
      ids.map(async (id) => {
        await hub.call(hub.admin, "chat_human_post", { content: `said in ${id}` }, inSpace(id));
      }),
    );
    for (const id of ids) expect(await contents(hub.admin, inSpace(id))).toEqual([`said in ${id}`]);
  });
});
