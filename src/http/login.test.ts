/** WEB-12 and DESIGN 5: how a browser signs in, what its cookie is good for, and for whom it is not. */
import { request as ask } from "node:http";
import { beforeEach, expect, test } from "vitest";
import { statement } from "../db/statement.ts";
import { EventStream } from "../testing/event-stream.ts";
import { eachDatabase, onDatabase, type TestHub } from "../testing/hub.ts";
import { modern } from "../testing/mcp-raw.ts";
import { filesOf } from "../testing/stored.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 3600_000;
const OWN = { "sec-fetch-site": "same-origin" };
const JSON_TYPE = { "content-type": "application/json" };

eachDatabase((open, database) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open({ now: START });
  });

  const codeFor = async (name?: string, token = hub.admin): Promise<string> =>
    (await hub.call(token, "login_create", name === undefined ? {} : { name })).body.code;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    hub.request("POST", path, { body: JSON.stringify(body), headers: { ...JSON_TYPE, origin: hub.url, ...headers } });
  const login = (code: string, cookie?: string) => post("/login", { code }, cookie ? { cookie } : {});
  const cookieOf = ({ headers }: { headers: Headers }): string => headers.get("set-cookie")?.split(";")[0] ?? "";
  const signIn = async (name?: string): Promise<string> => cookieOf(await login(await codeFor(name)));
  const whoami = (cookie: string, headers: Record<string, string> = {}) =>
    post("/api/tools/whoami", {}, { cookie, ...headers });
  const tokens = async () => (await hub.call(hub.admin, "token_list")).body.tokens;
  const codes = () =>
    hub.hub.database.all(statement<Record<string, never>, { hash: string }>("select * from login_codes"), {});
  const sessions = async () =>
    (await tokens()).filter((token: Listed) => token.label === "browser" && token.revoked_at === null);

  test("a code is exchanged for a cookie that no script reads, no other site sends, and that is good for thirty days", async () => {
    const { body } = await hub.call(hub.admin, "login_create");
    expect(body).toEqual({
      code: expect.stringMatching(/^parley_[A-Za-z0-9]{43}$/),
      principal: "admin",
      expires_at: new Date(START + 10 * MINUTE).toISOString(),
    });
    const answer = await login(body.code);
    expect([answer.status, answer.body]).toEqual([
      200,
      { principal: "admin", expires_at: new Date(START + 30 * DAY).toISOString() },
    ]);
    const name = `parley_${hub.hub.database.epoch.slice(0, 12)}`;
    expect(answer.headers.get("set-cookie")).toMatch(
      new RegExp(`^${name}=parley_[A-Za-z0-9]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000$`),
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await whoami(cookieOf(answer))).body).toMatchObject({ principal: "admin", roles: ["admin", "human"] });
  });

  test("who is signed in becomes nobody else unasked: the link says for whom it is, and is still good", async () => {
    const ana = await signIn("ana");
    const code = await codeFor("eve");
    const asked = await login(code, ana);
    expect([asked.status, asked.body]).toMatchObject([409, { code: "SIGNED_IN_AS_OTHER", principal: "eve" }]);
    expect(asked.headers.get("set-cookie")).toBeNull();
    expect((await whoami(ana)).body).toMatchObject({ principal: "ana" });
    // Their own link asks nothing.
    const again = await login(await codeFor("ana"), ana);
    expect(again.status).toBe(200);
    const eve = await post("/login", { code, replace: true }, { cookie: cookieOf(again) });
    expect((await whoami(cookieOf(eve))).body).toMatchObject({ principal: "eve" });
    expect((await whoami(cookieOf(again))).status).toBe(401);
    expect((await login(await codeFor("ana"), cookieOf(again))).status).toBe(200);
  });

  test("with the cookie every door is open: tools, MCP, events", async () => {
    await hub.token("agent", "scout");
    const cookie = await signIn("ana");
    expect((await post("/api/tools/chat_human_post", { content: "hello" }, { cookie })).status).toBe(200);
    const call = { server: "chat", tool: "chat_read_since", arguments: {} };
    expect((await post("/api/mcp/call", call, { cookie })).body.result.messages).toHaveLength(1);
    const read = modern({ method: "resources/read", params: { uri: "ui://chat/inbox" } });
    const headers = {
      ...read.headers,
      ...JSON_TYPE,
      accept: "application/json, text/event-stream",
      origin: hub.url,
      cookie,
    };
    expect((await hub.request("POST", "/mcp", { body: read.body, headers })).body.result.contents).toHaveLength(1);
    using events = await EventStream.open(hub.url, { headers: { cookie, ...OWN } });
    await post("/api/tools/chat_human_post", { content: "again" }, { cookie });
    expect((await events.until(1))[0]?.data).toMatchObject({ author: "user" });
  });

  test("WEB-12: opened twice in the same browser, the link does no harm and makes no second session", async () => {
    const code = await codeFor();
    const cookie = cookieOf(await login(code));
    const again = await login(code, cookie);
    expect([again.status, cookieOf(again)]).toEqual([200, cookie]);
    expect(await sessions()).toHaveLength(1);
    expect((await whoami(cookie)).status).toBe(200);
  });

  test("WEB-12: looking at the link, as a prefetch or a preview does, uses nothing up", async () => {
    const code = await codeFor();
    for (const method of ["GET", "HEAD"]) await hub.request(method, "/");
    expect((await hub.request("GET", "/login")).status).toBe(405);
    expect((await hub.request("GET", `/?code=${code}`)).headers.get("set-cookie")).toBeNull();
    expect((await login(code)).status).toBe(200);
  });

  test("a code that was used is worth nothing to another browser, also when both try at once", async () => {
    const code = await codeFor();
    const answers = await Promise.all(Array.from({ length: 10 }, () => login(code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused).toHaveLength(9);
    expect(refused[0]?.body).toEqual({ code: "UNAUTHENTICATED", error: expect.stringMatching(/Ask for a new one\.$/) });
    expect(refused.every(({ headers }) => headers.get("set-cookie") === null)).toBe(true);
    expect(await sessions()).toHaveLength(1);
    const other = await signIn("ana");
    expect((await login(code, other)).status).toBe(401);
    expect((await whoami(other)).body.principal).toBe("ana");
  });

  test("the session of a code that was revoked cannot be had again by that code", async () => {
    const code = await codeFor();
    const cookie = cookieOf(await login(code));
    expect((await post("/logout", {}, { cookie })).status).toBe(200);
    expect((await login(code, cookie)).status).toBe(401);
    expect((await whoami(cookie)).status).toBe(401);
  });

  test("a code is good for ten minutes, and forgotten afterwards", async () => {
    const code = await codeFor();
    await hub.tick(9 * MINUTE);
    const late = await codeFor();
    await hub.tick(MINUTE);
    expect((await login(code)).status).toBe(401);
    expect(await codes()).toHaveLength(1);
    expect((await login(late)).status).toBe(200);
    await hub.tick(10 * MINUTE);
    expect(await codes()).toEqual([]);
    expect((await login("parley_made_up")).status).toBe(401);
  });

  test("a session ends after thirty days by itself, with its streams", async () => {
    const cookie = await signIn("ana");
    await hub.tick(30 * DAY - 1000);
    expect((await whoami(cookie)).status).toBe(200);
    await hub.tick(1000);
    expect((await whoami(cookie)).body.code).toBe("UNAUTHENTICATED");
    const actor = { ...(await hub.actor(hub.admin)), token_id: (await sessions())[0].id };
    expect(await hub.hub.credentials.listInvalid([actor])).toEqual([actor]);
  });

  test("a fresh login replaces the one the browser had", async () => {
    const first = await signIn("ana");
    const second = cookieOf(await post("/login", { code: await codeFor("ben"), replace: true }, { cookie: first }));
    expect(second).not.toBe(first);
    expect((await whoami(first)).status).toBe(401);
    expect((await whoami(second)).body.principal).toBe("ben");
    expect((await sessions()).map(({ principal }: Listed) => principal)).toEqual(["ben"]);
  });

  test("whatever cookie the browser came with, the session after a login is a new secret", async () => {
    const name = (await signIn("ana")).split("=")[0];
    const planted = `${name}=parley_${"x".repeat(43)}`;
    const cookie = cookieOf(await login(await codeFor(), planted));
    expect(cookie).not.toBe(planted);
    expect((await whoami(planted)).status).toBe(401);
    // A token that somebody keeps elsewhere, put into the cookie, is not revoked by the login.
    const scout = await hub.token("agent", "scout");
    await login(await codeFor(), `${name}=${scout}`);
    expect((await hub.call(scout, "whoami")).status).toBe(200);
    // Two of them: any server of this machine can give the browser a second one.
    expect((await whoami(`${planted}; ${cookie}`)).body.code).toBe("UNAUTHENTICATED");
  });

  test("signing out ends the session and its streams, and no other", async () => {
    const [here, there] = [await signIn("ana"), await signIn("ana")];
    using stream = await EventStream.open(hub.url, { headers: { cookie: here, ...OWN } });
    const out = await post("/logout", {}, { cookie: here });
    expect(out.headers.get("set-cookie")).toMatch(/^parley_[0-9a-f]{12}=; .*Max-Age=0/);
    await stream.ended;
    expect((await whoami(here)).status).toBe(401);
    expect((await whoami(there)).status).toBe(200);
    expect((await post("/logout", {}, { cookie: here })).status).toBe(200);
    expect((await post("/logout", {})).status).toBe(200);
  });

  test("sessions are listed as such and can be revoked, which ends them at once", async () => {
    const cookie = await signIn("ana");
    const [listed] = await sessions();
    expect(listed).toMatchObject({ principal: "ana", kind: "human", label: "browser", current: false });
    using stream = await EventStream.open(hub.url, { headers: { cookie, ...OWN } });
    await hub.call(hub.admin, "token_revoke", { id: listed.id });
    await stream.ended;
    expect((await whoami(cookie)).status).toBe(401);
    const own = await signIn();
    const mine = (await post("/api/tools/token_list", {}, { cookie: own })).body.tokens;
    expect(mine.filter(({ current }: Listed) => current)).toEqual([expect.objectContaining({ label: "browser" })]);
  });

  test("neither codes nor sessions are stored in a usable form", async () => {
    const code = await codeFor();
    const secret = cookieOf(await login(code)).split("=")[1] ?? "";
    const stored = JSON.stringify([await codes(), await hub.hub.database.all(statement("select * from tokens"), {})]);
    for (const text of [code, secret]) {
      expect(stored).not.toContain(text.slice(7));
      for (const [name, content] of filesOf(hub.home))
        expect([name, content.includes(text.slice(7))]).toEqual([name, false]);
    }
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("with a cookie nothing is taken from another page, whatever it says it is", async () => {
    const cookie = await signIn("ana");
    const body = JSON.stringify({ content: "forged" });
    const port = Number(new URL(hub.url).port);
    const foreign: Record<string, string>[] = [
      {},
      { origin: "null" },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: "https://evil.example" },
      { origin: `https://127.0.0.1:${port}` },
      // One of our own names, but not the one this request was sent to.
      { origin: `http://localhost:${port}` },
      { "sec-fetch-site": "same-origin" },
      { origin: `http://127.0.0.1:${port + 1}`, "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign)
      for (const path of ["/api/tools/chat_human_post", "/api/mcp/call", "/mcp", "/login", "/logout", "/sessions"]) {
        const answer = await hub.request("POST", path, { body, headers: { ...JSON_TYPE, cookie, ...headers } });
        expect([path, headers, answer.body.code]).toEqual([path, headers, "ORIGIN_DENIED"]);
      }
    expect((await hub.call(hub.admin, "chat_read_since")).body.messages).toEqual([]);
    expect((await whoami(cookie)).status).toBe(200);
  });

  test("with a cookie a body is JSON and says so: what a form can send is not looked at", async () => {
    const cookie = await signIn("ana");
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "",
      "application/jsonp",
    ])
      for (const path of ["/api/tools/chat_human_post", "/mcp", "/login", "/logout"]) {
        const headers = { origin: hub.url, cookie, "content-type": type };
        const answer = await hub.request("POST", path, { body: Buffer.from('{"content":"forged"}'), headers });
        expect([path, type, answer.status, answer.body.code]).toEqual([path, type, 415, "UNSUPPORTED_MEDIA_TYPE"]);
      }
    const typed = { "content-type": "application/json; charset=utf-8" };
    expect((await whoami(cookie, typed)).status).toBe(200);
    expect((await hub.call(hub.admin, "chat_read_since")).body.messages).toEqual([]);
  });

  test("with a cookie a stream is for our own page alone", async () => {
    const cookie = await signIn("ana");
    const refused = [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "x" },
    ];
    for (const headers of refused)
      expect(await status(`${hub.url}/events?topics=chat`, { cookie, ...headers })).toBe(403);
    for (const headers of [{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, { origin: hub.url }])
      expect(await status(`${hub.url}/events?topics=chat`, { cookie, ...headers })).toBe(200);
    expect(await status(`${hub.url}/readyz?verbose`, { cookie, "sec-fetch-site": "cross-site" })).toBe(403);
  });

  test("a bearer token wins over a cookie, and a bad one is not made up for by it", async () => {
    const cookie = await signIn("ana");
    const ben = await hub.token("human", "ben");
    const as = (authorization: string) =>
      hub.request("POST", "/api/tools/whoami", { body: "{}", headers: { cookie, authorization } });
    expect((await as(`Bearer ${ben}`)).body.principal).toBe("ben");
    for (const bad of ["Bearer parley_nobody", "Basic YTpi", ""]) expect((await as(bad)).status).toBe(401);
  });

  test("behind somebody who speaks TLS the cookie is for TLS alone", async () => {
    const proxied = await open({ config: { allowed_hosts: ["hub.example"] } });
    const { body } = await proxied.call(proxied.admin, "login_create");
    const { port } = new URL(proxied.url);
    const headers = { ...JSON_TYPE, host: "hub.example", origin: "https://hub.example" };
    const set = await new Promise<string>((resolve, reject) => {
      const sent = ask({ port, host: "127.0.0.1", path: "/login", method: "POST", headers }, (response) => {
        resolve(String(response.headers["set-cookie"]));
        response.resume();
      });
      sent.on("error", reject).end(JSON.stringify({ code: body.code }));
    });
    expect(set).toMatch(/; Secure$/);
  });

  test("an admin lets any person in, everybody else only himself, and an agent is no person", async () => {
    const ana = await hub.token("human", "ana");
    await hub.token("observer", "olga");
    const scout = await hub.token("agent", "scout");
    const own = cookieOf(await login(await codeFor(undefined, ana)));
    expect((await whoami(own)).body).toMatchObject({ principal: "ana", roles: ["human"] });
    expect((await hub.call(ana, "login_create", { name: "admin" })).body.code).toBe("FORBIDDEN");
    expect((await hub.call(scout, "login_create")).body.code).toBe("FORBIDDEN");
    expect((await hub.call(hub.admin, "login_create", { name: "scout" })).body.code).toBe("NAME_TAKEN");
    expect((await whoami(await signIn("ben"))).body).toMatchObject({ principal: "ben", roles: ["human"] });
    // Whoever may only look may only look in a browser, too.
    expect((await whoami(await signIn("olga"))).body).toMatchObject({ principal: "olga", roles: ["observer"] });
  });

  test("what is no login is refused with a sentence, and sets no cookie", async () => {
    for (const body of [
      undefined,
      null,
      {},
      { code: 5 },
      { code: "" },
      { code: "x".repeat(201) },
      { code: "x", name: "admin" },
      [],
    ]) {
      const answer = await post("/login", body);
      expect([body, answer.status, answer.headers.get("set-cookie")]).toEqual([body, 400, null]);
    }
    expect((await post("/login", { code: "x\u0000" })).status).toBe(401);
  });
});

onDatabase("postgres", (open) => {
  test("a session that one node gave is known to the other, and ends there too", async () => {
    const one = await open();
    const second = await open({ same: one });
    const { body } = await one.call(one.admin, "login_create");
    const headers = { ...JSON_TYPE, origin: second.url };
    const answer = await second.request("POST", "/login", { body: JSON.stringify({ code: body.code }), headers });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    const whoami = (hub: TestHub) =>
      hub.request("POST", "/api/tools/whoami", { body: "{}", headers: { ...JSON_TYPE, origin: hub.url, cookie } });
    expect((await whoami(one)).body.principal).toBe("admin");
    await one.request("POST", "/logout", { body: "{}", headers: { ...JSON_TYPE, origin: one.url, cookie } });
    await expect.poll(async () => (await whoami(second)).status).toBe(401);
  });
});

interface Listed {
  principal: string;
  label: string | null;
  revoked_at: string | null;
  current: boolean;
}

/** By hand: fetch would not let us say where we come from. */
function status(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = ask(url, { headers, agent: false }, (response) => {
      resolve(response.statusCode ?? 0);
      response.on("error", () => undefined).destroy();
    });
    sent.on("error", reject).end();
  });
}
