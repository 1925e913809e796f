import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { filesOf, rowsOf } from "../../testing/stored.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open();
  });

  const create = (args: object, headers = {}) => hub.call(hub.admin, "token_create", args, headers);
  const tokens = async (token = hub.admin): Promise<Listed[]> => (await hub.call(token, "token_list")).body.tokens;
  const idOf = async (name: string): Promise<string> =>
    (await tokens()).find(({ principal, revoked_at }) => principal === name && !revoked_at)?.id ?? "";
  const read = async (token: string): Promise<string[]> =>
    (await hub.call(token, "chat_read_and_advance")).body.messages.map(({ content }: { content: string }) => content);

  test("a token is made for a name, a role and a space, is a long random text, and makes an agent of an agent", async () => {
    const { status, body } = await create({ role: "agent", name: "scout" });
    expect([status, body]).toEqual([
      200,
      {
        token: expect.stringMatching(/^parley_[A-Za-z0-9]{43}$/),
        id: expect.any(String),
        principal: "scout",
        space: "main",
      },
    ]);
    expect((await hub.call(body.token, "whoami")).body.agent).toBe("scout");
    const many = await Promise.all(Array.from({ length: 20 }, () => create({ role: "human", name: "ana" })));
    expect(new Set(many.map((answer) => answer.body.token)).size).toBe(20);
  });

  test("a token for another space works there and nowhere else", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_a" });
    await hub.call(hub.admin, "space_create", { id: "sess_b" });
    const { body } = await create({ role: "agent", name: "scout", space: "sess_a" });
    expect(body.space).toBe("sess_a");
    expect((await hub.call(body.token, "whoami")).body).toMatchObject({ space: "sess_a", agent: "scout" });
    for (const space of ["main", "sess_b", "sess_none"]) {
      const answer = await hub.call(body.token, "whoami", {}, { "x-session-id": space });
      expect([answer.status, answer.body]).toEqual([
        404,
        { code: "SESSION_NOT_FOUND", error: `There is no space ${space}.` },
      ]);
    }
    expect((await hub.call(hub.admin, "agent_list")).body.agents).toEqual([]);
  });

  test("a space that is unknown or no name, a role that is none and fields that are unknown make no token", async () => {
    const before = (await tokens()).length;
    const refused: [object, string][] = [
      [{ role: "human", name: "ana", space: "sess_none" }, "SESSION_NOT_FOUND"],
      [{ role: "human", name: "ana", space: "hub" }, "INVALID_ARGUMENT"],
      [{ role: "human", name: "ana", space: "*" }, "INVALID_ARGUMENT"],
      [{ role: "root", name: "ana" }, "INVALID_ARGUMENT"],
      [{ role: ["human"], name: "ana" }, "INVALID_ARGUMENT"],
      [{ role: "human" }, "INVALID_ARGUMENT"],
      [{ name: "ana" }, "INVALID_ARGUMENT"],
      [{ role: "human", name: "ana", token: "parley_mine" }, "INVALID_ARGUMENT"],
      [{ role: "human", name: "ana", subscriber: "s_1" }, "INVALID_ARGUMENT"],
    ];
    for (const [args, code] of refused)
      expect([args, (await create(args)).body]).toEqual([args, { code, error: SENTENCE }]);
    expect(await tokens()).toHaveLength(before);
    expect((await create({ role: "agent", name: "ana" })).status).toBe(200);
  });

  test("the list shows whose tokens there are and what they may do, and no secret", async () => {
    const { body } = await create({ role: "human", name: "ana" });
    await create({ role: "observer", name: "ana" });
    const listed = await hub.call(hub.admin, "token_list");
    expect(listed.body.tokens.find(({ id }: Listed) => id === body.id)).toEqual({
      id: body.id,
      principal: "ana",
      subscriber: expect.stringMatching(/^s_/),
      kind: "human",
      grants: [
        { space: "main", role: "human" },
        { space: "main", role: "observer" },
      ],
      created_at: expect.stringMatching(/Z$/),
      revoked_at: null,
      label: null,
      expires_at: null,
      made_by: await idOf("admin"),
      created_by: "admin",
      current: false,
    });
    expect(JSON.stringify(listed.body)).not.toMatch(/parley_[A-Za-z0-9]{8}|[0-9a-f]{64}/);
  });

  test("a revoked token is refused from that moment on, also in the middle of a stream of calls, and others go on", async () => {
    const ana = await hub.token("human", "ana");
    const phone = await hub.token("human", "ana");
    const id = await idOf("ana");
    let revoked = false;
    const late: number[] = [];
    const calling = Array.from({ length: 8 }, async () => {
      for (let after = 0; after < 5; ) {
        const begun_after = revoked;
        const { status } = await hub.call(ana, "whoami");
        if (begun_after) {
          late.push(status);
          after += 1;
        }
      }
    });
    const { status, body } = await hub.call(hub.admin, "token_revoke", { id });
    revoked = true;
    await Promise.all(calling);

    expect([status, body]).toEqual([
      200,
      { id, revoked_at: expect.stringMatching(/Z$/), also_revoked: 0, codes_ended: 0 },
    ]);
    expect(late).toEqual(late.map(() => 401));
    const refused = await hub.call(ana, "chat_human_post", { content: "x" });
    expect([refused.status, refused.body]).toEqual([401, { code: "UNAUTHENTICATED", error: SENTENCE }]);
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    expect((await hub.call(phone, "whoami")).status).toBe(200);
    expect((await tokens()).find((token) => token.id === id)?.revoked_at).toBe(body.revoked_at);
  });

  test("what is revoked already, or was never there, is not revoked or rotated", async () => {
    await hub.token("human", "ana");
    const id = await idOf("ana");
    await hub.call(hub.admin, "token_revoke", { id });
    for (const tool of ["token_revoke", "token_rotate"]) {
      const twice = await hub.call(hub.admin, tool, { id });
      expect([tool, twice.status, twice.body]).toEqual([tool, 409, { code: "CONFLICT", error: SENTENCE }]);
      for (const unknown of ["t_0", "", "x' or '1'='1"]) {
        const none = await hub.call(hub.admin, tool, { id: unknown });
        expect([tool, none.status, none.body]).toEqual([tool, 404, { code: "NOT_FOUND", error: SENTENCE }]);
      }
      for (const bad of [{}, { id: 7 }, { id: null }, { id: "x".repeat(101) }, { id, force: true }])
        expect((await hub.call(hub.admin, tool, bad)).body.code).toBe("INVALID_ARGUMENT");
    }
    expect((await tokens()).filter(({ principal }) => principal === "ana")).toHaveLength(1);
  });

  test("IDENTITY-6: a rotated token keeps its read mark and its space, and the old secret stops at once", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_a" });
    const old = await hub.token("human", "ana", "sess_a");
    await hub.call(old, "chat_human_post", { content: "read" });
    expect(await read(old)).toEqual(["read"]);
    await hub.call(old, "chat_human_post", { content: "unread" });

    const { body } = await hub.call(hub.admin, "token_rotate", { id: await idOf("ana") });

    expect(body).toEqual({
      token: expect.any(String),
      id: expect.any(String),
      principal: "ana",
      space: "sess_a",
      also_revoked: 0,
      codes_ended: 0,
    });
    expect((await hub.call(old, "whoami")).status).toBe(401);
    expect(await read(body.token)).toEqual(["unread"]);
  });

  test("of many that rotate a token at once one gets the new secret", async () => {
    await hub.token("human", "ana");
    const id = await idOf("ana");
    const answers = await Promise.all(Array.from({ length: 5 }, () => hub.call(hub.admin, "token_rotate", { id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  test("tools that show a secret take no idempotency key: it would have to be kept", async () => {
    for (const tool of ["token_create", "token_rotate"])
      for (const [args, headers] of [
        [{ idempotency_key: "k" }, {}],
        [{}, { "idempotency-key": "k" }],
      ] as const) {
        const { status, body } = await hub.call(hub.admin, tool, { role: "human", name: "ana", ...args }, headers);
        expect([status, body]).toEqual([400, { code: "INVALID_ARGUMENT", error: `${tool} takes no idempotency key.` }]);
      }
  });

  test("no secret is stored: neither in the data folder nor in the database, in no usable form", async () => {
    const ana = await hub.token("human", "ana");
    const rotated = (await hub.call(hub.admin, "token_rotate", { id: await idOf("ana") })).body.token;
    const secrets = [ana, rotated, await hub.token("agent", "scout"), await hub.token("admin", "boss")];
    for (const token of secrets) {
      await hub.call(token, "whoami", { token });
      await hub.call(token, "chat_human_post", { content: "x" }, { "idempotency-key": "k" });
      await hub.call(token, "token_create", { role: "human", name: "eve" });
    }
    await hub.stop();

    const files = filesOf(hub.home);
    expect(files.get("admin.token")?.toString()).toBe(`${hub.admin}\n`);
    files.delete("admin.token");
    if (hub.database_url) files.set("database", Buffer.from(await rowsOf(hub.database_url)));
    expect(files.size).toBeGreaterThan(1);
    const forms = [...secrets, hub.admin].flatMap((token) => [
      token,
      token.slice(7, 30),
      Buffer.from(token).toString("base64").slice(0, 40),
      Buffer.from(token).toString("hex"),
    ]);
    for (const [name, bytes] of files)
      for (const form of forms) expect([name, bytes.includes(form)]).toEqual([name, false]);
  });

  test("the data folder and what is secret in it are for its owner's eyes only", async () => {
    const mode = (name: string): string => (statSync(join(hub.home, name)).mode & 0o777).toString(8);
    expect(mode("admin.token")).toBe("600");
    expect(mode("hub.json")).toBe("600");
    await hub.call(hub.admin, "token_create", { role: "human", name: "ana" });
    await hub.stop();
    expect(mode("audit.jsonl")).toBe("600");
    if (!hub.database_url) expect(mode("parley.db")).toBe("600");
  });

  test("the owner's token lasts over restarts, and is made anew where it is missing, unknown or revoked", async () => {
    const file = join(hub.home, "admin.token");
    const works = async (again: TestHub): Promise<boolean> =>
      (await again.call(readFileSync(file, "utf8").trim(), "token_list")).status === 200;
    const restart = async (): Promise<TestHub> => {
      await hub.stop();
      hub = await open({ same: hub, config: { home: hub.home } });
      return hub;
    };
    const first = hub.admin;
    expect((await restart()).admin).toBe(first);

    rmSync(file);
    const second = (await restart()).admin;
    expect([second === first, await works(hub)]).toEqual([false, true]);

    writeFileSync(file, `parley_${"x".repeat(43)}\n`);
    const third = (await restart()).admin;
    expect([third === second, await works(hub)]).toEqual([false, true]);

    for (const { id, revoked_at } of await tokens()) if (!revoked_at) await hub.call(third, "token_revoke", { id });
    expect((await hub.call(third, "whoami")).status).toBe(401);
    await restart();
    expect(await works(hub)).toBe(true);
  });
});

interface Listed {
  id: string;
  principal: string;
  revoked_at: string | null;
}
