/** What a token made falls with it. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, onDatabase, type TestHub } from "../../testing/hub.ts";

interface Listed {
  id: string;
  principal: string;
  made_by: string | null;
  created_by: string | null;
  revoked_at: string | null;
  label: string | null;
  current: boolean;
}

/** A browser of the hub's own page exchanges a code for its cookie. */
async function signIn(hub: TestHub, code: string, cookie?: string) {
  const headers = { origin: hub.url, "content-type": "application/json", ...(cookie && { cookie }) };
  const answer = await hub.request("POST", "/login", { body: JSON.stringify({ code }), headers });
  return { ...answer, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

const byCookie = (hub: TestHub, cookie: string, tool: string, args: object = {}) =>
  hub.call(undefined, tool, args, { origin: hub.url, "content-type": "application/json", cookie });

eachDatabase((open) => {
  let hub: TestHub;
  let mallory: string;
  beforeEach(async () => {
    hub = await open();
    mallory = await hub.token("admin", "mallory");
  });

  const listed = async (): Promise<Listed[]> => (await hub.call(hub.admin, "token_list")).body.tokens;
  const idOf = async (name: string): Promise<string> =>
    (await listed()).find(({ principal, revoked_at }) => principal === name && !revoked_at)?.id ?? "";
  const revoke = (id: string) => hub.call(hub.admin, "token_revoke", { id });
  const statusOf = async (token: string) => (await hub.call(token, "whoami")).status;
  const tokenBy = async (maker: string, args: object): Promise<string> =>
    (await hub.call(maker, "token_create", args)).body.token;

  test("tokens, sessions of agents, browsers and codes that a revoked token made, and what those made, end with it", async () => {
    const eve = await tokenBy(mallory, { role: "admin", name: "eve" });
    const scout = await tokenBy(eve, { role: "agent", name: "scout" });
    const session = (await hub.call(eve, "agent_ensure", { client_session_id: "s1" })).body.token;
    const { code } = (await hub.call(mallory, "login_create")).body;
    const { cookie } = await signIn(hub, code);
    const unused = (await hub.call(eve, "login_create")).body.code;
    const nested = (await byCookie(hub, cookie, "login_create")).body.code;
    const ana = await hub.token("human", "ana");

    const { status, body } = await revoke(await idOf("mallory"));

    expect([status, body]).toMatchObject([200, { also_revoked: 4, codes_ended: 3 }]);
    for (const token of [mallory, eve, scout, session]) expect(await statusOf(token)).toBe(401);
    expect((await byCookie(hub, cookie, "whoami")).status).toBe(401);
    for (const dead of [unused, nested, code]) expect((await signIn(hub, dead)).status).toBe(401);
    expect(await statusOf(ana)).toBe(200);
    expect(await statusOf(hub.admin)).toBe(200);
  });

  test("the list says which token made which, codes included, and shows no secret of theirs", async () => {
    const { code } = (await hub.call(mallory, "login_create")).body;
    await tokenBy(mallory, { role: "human", name: "ben" });
    const mallory_id = await idOf("mallory");
    const { body } = await hub.call(hub.admin, "token_list");
    const ben = body.tokens.find(({ principal }: Listed) => principal === "ben");
    expect(ben).toMatchObject({ made_by: mallory_id, created_by: "mallory" });
    const owner = body.tokens.find(({ current }: Listed) => current);
    expect(owner).toMatchObject({ made_by: null, created_by: null });
    expect(body.codes).toEqual([
      {
        id: expect.stringMatching(/^c_[0-9a-f]{16}$/),
        principal: "mallory",
        made_by: mallory_id,
        created_by: "mallory",
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        token: null,
      },
    ]);
    const { cookie } = await signIn(hub, code);
    const after = (await hub.call(hub.admin, "token_list")).body;
    const browser = after.tokens.find(({ label }: Listed) => label === "browser");
    expect([browser.made_by, after.codes[0].token]).toEqual([mallory_id, browser.id]);
    expect(JSON.stringify(after)).not.toContain(code);
    expect(JSON.stringify(after)).not.toContain(cookie.split("=")[1]);
  });

  test("a new secret keeps what the old one made, which falls with the new one; unless it is asked to end it", async () => {
    const ben = await tokenBy(mallory, { role: "human", name: "ben" });
    const rotated = (await hub.call(hub.admin, "token_rotate", { id: await idOf("mallory") })).body;
    expect([await statusOf(mallory), await statusOf(ben)]).toEqual([401, 200]);
    const again = (await hub.call(hub.admin, "token_rotate", { id: rotated.id, revoke_made: true })).body;
    expect([await statusOf(ben), await statusOf(again.token)]).toEqual([401, 200]);

    const cleo = await tokenBy(again.token, { role: "human", name: "cleo" });
    const last = (await hub.call(hub.admin, "token_rotate", { id: again.id })).body;
    expect((await revoke(last.id)).body.also_revoked).toBe(1);
    expect(await statusOf(cleo)).toBe(401);
  });

  test("who rotates another's token has made it: the new secret falls with the one that asked for it", async () => {
    await hub.token("human", "ben");
    const { token } = (await hub.call(mallory, "token_rotate", { id: await idOf("ben") })).body;
    await revoke(await idOf("mallory"));
    expect(await statusOf(token)).toBe(401);
  });

  test("signing out ends the browser's session alone; what was made there falls when that session is revoked all the same", async () => {
    const { code } = (await hub.call(hub.admin, "login_create")).body;
    const { cookie } = await signIn(hub, code);
    const ben = (await byCookie(hub, cookie, "token_create", { role: "human", name: "ben" })).body.token;
    const session = (await listed()).find(({ label }) => label === "browser")?.id ?? "";
    await hub.request("POST", "/logout", {
      headers: { origin: hub.url, "content-type": "application/json", cookie },
      body: "{}",
    });
    expect([(await byCookie(hub, cookie, "whoami")).status, await statusOf(ben)]).toEqual([401, 200]);

    const { status, body } = await revoke(session);
    expect([status, body.also_revoked, await statusOf(ben)]).toEqual([200, 1, 401]);
    expect((await revoke(session)).body.code).toBe("CONFLICT");
  });

  test("while a token is revoked nothing is made with it that outlives it", async () => {
    const id = await idOf("mallory");
    const making = Array.from({ length: 12 }, (_, n) =>
      n % 3 === 0
        ? hub.call(mallory, "login_create")
        : hub.call(mallory, "token_create", { role: "human", name: `ghost${"abcdefghjkmn"[n]}` }),
    );
    const revoked = await revoke(id);
    const made = await Promise.all(making);
    expect(revoked.status).toBe(200);
    for (const { body } of made)
      if (body.token) expect(await statusOf(body.token)).toBe(401);
      else if (body.code?.startsWith("parley_")) expect((await signIn(hub, body.code)).status).toBe(401);
      else expect(body.code).toBe("UNAUTHENTICATED");
  });
});

onDatabase("postgres", (open) => {
  test("what a token made ends on every node with it", async () => {
    const hub = await open();
    const other = await open({ same: hub });
    const mallory = await hub.token("admin", "mallory");
    const eve = (await other.call(mallory, "token_create", { role: "admin", name: "eve" })).body.token;
    expect((await hub.call(eve, "whoami")).status).toBe(200);
    const { tokens } = (await hub.call(hub.admin, "token_list")).body;
    const { id } = tokens.find(({ principal }: Listed) => principal === "mallory");
    await other.call(mallory, "token_revoke", { id });
    for (const node of [hub, other]) await expect.poll(async () => (await node.call(eve, "whoami")).status).toBe(401);
  });
});
