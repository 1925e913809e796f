import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { legacy, openDoor, Raw } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";
import { stopTime } from "../testing/stopwatch.ts";

const INBOX = "ui://chat/inbox";
const PING = { id: 1, method: "ping" };

eachDatabase((open, database) => {
  test("a session's id cannot be guessed and needs no escaping", async () => {
    const { scout } = await people(open);
    const ids = await Promise.all(Array.from({ length: 20 }, () => scout.session()));
    expect(new Set(ids).size).toBe(20);
    expect(ids.every((id) => /^[A-Za-z0-9_-]{32,}$/.test(id))).toBe(true);
  });

  test("a session that was deleted is over, with its stream", async () => {
    const { hub, scout } = await people(open);
    const session = await scout.session();
    const headers = { "mcp-session-id": session };
    const stream = await scout.stream("GET", "/mcp", { headers });
    expect((await scout.send("DELETE", "/mcp", { headers })).status).toBe(204);
    expect(await stream.all()).toEqual([]);
    expect((await scout.legacy(session, PING)).status).toBe(404);
    expect(sessionsOf(hub)).toBe(0);
  });

  test("hints that found no open stream are told on the next one, and not after unsubscribing", async () => {
    const { hub, ana, scout } = await people(open);
    const session = await scout.session();
    const headers = { "mcp-session-id": session };
    for (const uri of [INBOX, "ui://chat/scout/inbox"])
      await scout.legacy(session, { id: 1, method: "resources/subscribe", params: { uri } });
    for (const content of ["one", "two"]) await hub.call(ana, "chat_human_post", { content });
    await scout.legacy(session, { id: 2, method: "resources/unsubscribe", params: { uri: "ui://chat/scout/inbox" } });

    using stream = await scout.stream("GET", "/mcp", { headers });
    await stream.first(1);
    await hub.call(ana, "chat_human_post", { content: "three" });
    const [missed, told] = await stream.first(2);
    expect(missed.params).toEqual({ uri: INBOX, _meta: {} });
    expect(told.params).toMatchObject({ uri: INBOX, messages: [{ content: "three" }] });
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a session has one stream at a time", async () => {
    const { scout } = await people(open);
    const headers = { "mcp-session-id": await scout.session() };
    const first = await scout.stream("GET", "/mcp", { headers });
    expect((await scout.send("GET", "/mcp", { headers })).status).toBe(409);
    first[Symbol.dispose]();
    using second = await until(async () => {
      const stream = await scout.stream("GET", "/mcp", { headers });
      return stream.status === 200 ? stream : undefined;
    });
    expect(second.ended).toBe(false);
  });

  test("an idle session is forgotten, one with an open stream is not", async () => {
    const { hub, token } = await people(open);
    await using door = await openDoor(hub.hub, { idle_ms: 50 });
    const time = stopTime();
    const scout = new Raw(door.url, token);
    const [idle, watched] = [await scout.session(), await scout.session()];
    using stream = await scout.stream("GET", "/mcp", { headers: { "mcp-session-id": watched } });
    expect(sessionsOf(hub)).toBe(2);
    time.pass(51);
    await until(() => sessionsOf(hub) === 1);
    expect((await scout.legacy(idle, PING)).status).toBe(404);
    expect((await scout.legacy(watched, PING)).status).toBe(200);
    expect(stream.ended).toBe(false);
  });

  test("whoever never says goodbye loses the oldest idle session, and is refused when all are in use", async () => {
    const { hub, token } = await people(open);
    await using door = await openDoor(hub.hub, { sessions: 2 });
    const scout = new Raw(door.url, token);
    const [first, second] = [await scout.session(), await scout.session()];
    await scout.legacy(first, PING);
    const third = await scout.session();
    expect((await scout.legacy(second, PING)).status).toBe(404);
    expect((await scout.legacy(first, PING)).status).toBe(200);

    const headers = (id: string) => ({ headers: { "mcp-session-id": id } });
    using _one = await scout.stream("GET", "/mcp", headers(first));
    using _two = await scout.stream("GET", "/mcp", headers(third));
    const refused = await scout.send("POST", "/mcp", { body: legacy({ id: 9, method: "initialize", params: INIT }) });
    expect(refused.body).toMatchObject({ id: 9, error: { code: 42900, data: { code: "TOO_MANY_SESSIONS" } } });
    const ben = new Raw(door.url, await hub.token("human", "ben"));
    expect((await ben.legacy(await ben.session(), PING)).status).toBe(200);
  });

  test("a session that follows as many resources as it may is refused another", async () => {
    const { hub, token } = await people(open);
    await using door = await openDoor(hub.hub, { uris: 1 });
    const scout = new Raw(door.url, token);
    const session = await scout.session();
    const subscribe = (uri: string) => scout.legacy(session, { id: 1, method: "resources/subscribe", params: { uri } });
    expect((await subscribe(INBOX)).body.result).toEqual({});
    expect((await subscribe(INBOX)).body.result).toEqual({});
    expect((await subscribe("ui://agent/status")).body.error.data.code).toBe("TOO_MANY_SUBSCRIPTIONS");
  });

  test("a request that does not fit a session is refused with what to do", async () => {
    const { scout } = await people(open);
    const session = await scout.session();
    const send = (method: string, rpc: unknown, headers = {}) =>
      scout.send(method, "/mcp", { ...(rpc !== undefined && { body: JSON.stringify(rpc) }), headers });
    const rpc = { jsonrpc: "2.0", id: 1, method: "ping" };
    const own = { "mcp-session-id": session };
    const batch = Array.from({ length: 101 }, () => rpc);
    const answers = [
      await send("POST", rpc),
      await send("POST", rpc, { ...own, "mcp-protocol-version": "2001-01-01" }),
      await send("POST", batch, own),
      await send("POST", [{ ...rpc, method: "initialize", params: INIT }]),
      await send("POST", { ...rpc, method: "initialize", params: {} }),
      await send("GET", undefined),
      await send("GET", undefined, { ...own, accept: "application/json" }),
      await send("DELETE", undefined),
      await send("GET", undefined, { ...own, "mcp-protocol-version": "2026-07-28" }),
      await send("PUT", rpc, own),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400, 406, 400, 405, 405]);
    for (const { body } of answers) expect(body.error.message).toMatch(/\w/);
    expect((await scout.legacy(session, PING)).status).toBe(200);
  });

  test("a call that ends its own session is still answered", async () => {
    const { hub } = await people(open);
    const admin = new Raw(hub.url, await hub.token("admin", "eva"));
    const session = await admin.session();
    const tokens = (await hub.call(hub.admin, "token_list")).body.tokens;
    const { id } = tokens.find(({ principal }: { principal: string }) => principal === "eva");
    const params = { name: "token_revoke", arguments: { id } };
    const { body } = await admin.legacy(session, { id: 1, method: "tools/call", params });
    expect(body.result.structuredContent).toMatchObject({ id });
    await until(() => sessionsOf(hub) === 0);
  });

  test("a cancelled request is not answered, and the session goes on", async () => {
    const { scout } = await people(open);
    const session = await scout.session();
    const call = { id: "late", method: "tools/call", params: { name: "agent_list", arguments: {} } };
    const cancelled = { method: "notifications/cancelled", params: { requestId: "late" } };
    const messages = [call, cancelled].map((rpc) => JSON.parse(legacy(rpc)));
    const body = JSON.stringify(messages);
    const answer = await scout.send("POST", "/mcp", { body, headers: { "mcp-session-id": session } });
    expect(answer).toMatchObject({ status: 202, body: "" });
    expect((await scout.legacy(session, PING)).body.result).toEqual({});
  });

  test("a call is answered alike whether or not more stands in it than a call is made of", async () => {
    const { scout } = await people(open);
    const session = await scout.session();
    const ask = async (params: Record<string, unknown>) =>
      (await scout.legacy(session, { id: 1, method: "tools/call", params })).body;
    // The first is found, the second refused by its role and the third by its arguments.
    for (const name of ["whoami", "token_create", "chat_read_since"]) {
      const params = { name, arguments: name === "chat_read_since" ? { limit: "many" } : {} };
      expect(await ask({ ...params, _meta: { progressToken: "one" } })).toEqual(await ask({ ...params, more: true }));
    }
  });

  test("a wait that is cancelled is over at once", async () => {
    const { hub, scout } = await people(open);
    const session = await scout.session();
    const waits = (): number => hub.hub.streams.count(({ kind }) => kind === "wait");
    const params = { name: "mail_poll", arguments: { wait_seconds: 50 } };
    const waiting = scout.legacy(session, { id: "late", method: "tools/call", params });
    await until(() => waits() === 1);
    await scout.legacy(session, { method: "notifications/cancelled", params: { requestId: "late" } });
    expect((await waiting).status).toBe(202);
    await until(() => waits() === 0);
  });
});

const INIT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

const sessionsOf = (hub: TestHub): number => hub.hub.streams.count(({ kind }) => kind === "session");

async function people(open: () => Promise<TestHub>) {
  const hub = await open();
  const token = await hub.token("agent", "scout");
  const ana = await hub.token("human", "ana");
  return { hub, ana, token, scout: new Raw(hub.url, token) };
}
