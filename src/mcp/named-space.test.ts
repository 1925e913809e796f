/** The facets `workspace` and `questions`, and their tools wherever they are called: X-Session-ID names the space. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { CLIENTS } from "../testing/mcp.ts";
import { legacy, modern, Raw } from "../testing/mcp-raw.ts";
import { shelf } from "../testing/shelf.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const START = Date.UTC(2026, 0, 1);
const FACETS = ["workspace", "questions", "mail+workspace", "questions+workspace"];
const LIST = { id: 7, method: "tools/list" };
const INITIALIZE = {
  id: 7,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

eachDatabase((open) => {
  let hub: TestHub;
  let scout: string;
  beforeEach(async () => {
    hub = await open({ now: START, modules: [shelf] });
    await hub.call(hub.admin, "create_session", { session_id: "sess_a" });
    await hub.call(hub.admin, "create_session", { session_id: "sess_short", ttl_seconds: 60 });
    scout = await hub.token("agent", "scout", "sess_a");
    await hub.token("agent", "scout", "sess_short");
    await hub.tick(61_000);
  });

  const CASES: [space: string | undefined, status: number, code: string][] = [
    [undefined, 400, "MISSING_SESSION_ID"],
    ["nonsense", 400, "INVALID_SESSION_ID"],
    ["sess_none", 404, "SESSION_NOT_FOUND"],
    ["main", 404, "SESSION_NOT_FOUND"],
    ["sess_short", 410, "SESSION_EXPIRED"],
  ];

  test("SPACE-1: at the facets a space that is missing, malformed, unknown or expired is refused before anything runs, in both eras", async () => {
    for (const facet of FACETS)
      for (const [space, status, code] of CASES) {
        const raw = new Raw(hub.url, scout, space);
        const answers = [
          await raw.send("POST", `/mcp/${facet}`, modern(LIST)),
          await raw.send("POST", `/mcp/${facet}`, { body: legacy(INITIALIZE) }),
          await raw.send("POST", `/mcp/${facet}`, { body: legacy({ ...LIST, method: "no/such" }) }),
        ];
        const error = { code: status * 100, message: SENTENCE, data: { code } };
        for (const answer of answers)
          expect([answer.status, answer.body]).toEqual([status, { jsonrpc: "2.0", id: 7, error }]);
        const stream = await raw.send("GET", `/mcp/${facet}`, { headers: { accept: "text/event-stream" } });
        expect([stream.status, stream.body]).toEqual([status, { jsonrpc: "2.0", id: null, error }]);
        const sse = await raw.send("GET", `/sse/${facet}`);
        expect([sse.status, sse.body]).toEqual([status, { code, error: SENTENCE }]);
      }
  });

  test("SPACE-1: who has no credential is told that before anything about spaces", async () => {
    const stranger = new Raw(hub.url, `parley_${"x".repeat(43)}`);
    for (const body of [modern(LIST), modern({ id: 1, method: "server/discover" })])
      expect((await stranger.send("POST", "/mcp/workspace", body)).status).toBe(401);
  });

  test("SPACE-1: what the hub speaks is told whoever has a credential, whatever is said of a space, and nothing else is", async () => {
    for (const [space] of CASES) {
      const raw = new Raw(hub.url, scout, space);
      for (const path of ["/mcp", "/mcp/workspace"]) {
        const { status, body } = await raw.send("POST", path, modern({ id: 3, method: "server/discover" }));
        expect([status, body.id, body.result?.supportedVersions]).toEqual([
          200,
          3,
          expect.arrayContaining(["2026-07-28"]),
        ]);
      }
      const { headers } = modern({ id: 3, method: "server/discover" });
      const lie = await raw.send("POST", "/mcp/workspace", { body: modern(LIST).body, headers });
      expect([lie.status, lie.body.result]).toEqual([CASES.find(([name]) => name === space)?.[1], undefined]);
    }
  });

  test("SPACE-2: at the facets not even a credential of one space falls back to it", async () => {
    const mason = await hub.token("agent", "mason", "sess_a");
    const raw = new Raw(hub.url, mason);
    expect((await raw.send("POST", "/mcp/workspace", modern(LIST))).body.error.data.code).toBe("MISSING_SESSION_ID");
    expect((await raw.send("POST", "/mcp/mail", modern(LIST))).status).toBe(200);
  });

  test("SPACE-2: elsewhere a tool or resource of theirs is refused without the header, unless the credential is of one space", async () => {
    const mason = await hub.token("agent", "mason", "sess_a");
    const uri = { method: "resources/read", params: { uri: "parley://shelf" } };
    for (const [token, space, code] of [
      [hub.admin, undefined, "MISSING_SESSION_ID"],
      [hub.admin, "sess_a", undefined],
      [hub.admin, "main", undefined],
      [scout, undefined, "MISSING_SESSION_ID"],
      [scout, "sess_a", undefined],
      [mason, undefined, undefined],
    ] as const) {
      const headers = space && { "x-session-id": space };
      for (const tool of ["shelf_look", "shelf_put"]) {
        const plain = await hub.call(token, tool, {}, { ...headers });
        const bridged = await hub.request("POST", "/api/mcp/call", {
          token,
          body: JSON.stringify({ server: "shelf", tool }),
          headers: { ...headers },
        });
        expect([plain.status, plain.body.code, bridged.status]).toEqual([code ? 400 : 200, code, code ? 400 : 200]);
        const { body } = await new Raw(hub.url, token, space).call(tool);
        if (code) expect(JSON.parse(body.result.content[0].text)).toEqual({ code, error: SENTENCE });
        else expect(body.result.structuredContent).toEqual({ space: space ?? "sess_a" });
      }
      const { body } = await new Raw(hub.url, token, space).modern(uri);
      expect(body.error?.data.code).toBe(code);
    }
  });

  test("SPACE-2: a credential that was let into a second space goes on in neither until it says which", async () => {
    await hub.call(hub.admin, "create_session", { session_id: "sess_first", ttl_seconds: 60 });
    const token = await hub.token("agent", "mason", "sess_first");
    expect((await hub.call(token, "shelf_look")).body).toEqual({ space: "sess_first" });
    await hub.tick(61_000);
    expect((await hub.call(token, "shelf_look")).body.code).toBe("SESSION_EXPIRED");
    await hub.token("agent", "mason", "sess_a");
    await expect.poll(async () => (await hub.call(token, "shelf_look")).body.code).toBe("MISSING_SESSION_ID");
  });

  test("a stream of the oldest transport at a facet takes no message that does not name the space", async () => {
    const mason = await hub.token("agent", "mason", "sess_a");
    using stream = await new Raw(hub.url, mason, "sess_a").stream("GET", "/sse/workspace");
    const [path] = await stream.first(1);
    const body = legacy({ id: 1, method: "ping" });
    const unnamed = await new Raw(hub.url, mason).send("POST", path, { body });
    expect([unnamed.status, unnamed.body.error.data.code]).toEqual([400, "MISSING_SESSION_ID"]);
    expect((await new Raw(hub.url, mason, "sess_a").send("POST", path, { body })).status).toBe(202);
  });

  test("SPACE-6: what is open in a space ends when its time comes, in both eras, and what is asked for then is told why", async () => {
    const raw = new Raw(hub.url, scout, "sess_a");
    const session = await raw.session();
    const headers = { "mcp-session-id": session, accept: "text/event-stream" };
    const streams = [
      await raw.listen(["parley://shelf"]),
      await raw.stream("GET", "/mcp", { headers }),
      await raw.stream("GET", "/sse/workspace"),
      await raw.stream("GET", "/events?topics=chat"),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await hub.tick(24 * 3600_000 - 61_000 - 1000);
    expect((await hub.call(scout, "shelf_put", {}, { "x-session-id": "sess_a" })).status).toBe(200);
    expect(streams.map(({ ended }) => ended)).toEqual([false, false, false, false]);
    await hub.tick(2000);
    await expect.poll(() => streams.map(({ ended }) => ended)).toEqual([true, true, true, true]);
    for (const answer of [
      await raw.legacy(session, LIST),
      await raw.modern(LIST),
      await hub.call(scout, "shelf_put", {}, { "x-session-id": "sess_a" }),
    ])
      expect(answer.status).toBe(410);
  });

  for (const [kind, connect] of Object.entries(CLIENTS))
    test(`${kind} at the facet sees its tools and works in the space that the header names`, async () => {
      await using client = await connect({ url: hub.url, token: scout, facet: "workspace", space: "sess_a" });
      const names = (await client.tools()).map(({ name }) => name);
      expect(names).toContain("shelf_look");
      expect(names).not.toContain("create_session");
      expect((await client.call("shelf_look")).structuredContent).toEqual({ space: "sess_a" });
      expect((await client.read("parley://shelf")).body).toEqual({ space: "sess_a" });
      const unnamed = async () => {
        await using client = await connect({ url: hub.url, token: scout, facet: "workspace" });
        return await client.tools();
      };
      await expect(unnamed()).rejects.toThrow(/X-Session-ID|400/);
    });

  test("create_session is listed by its name, needs no header, and its space can be used at once; twice is a conflict", async () => {
    const home = await hub.token("orchestrator", "boss", "sess_a");
    for (const session_id of ["sess_one", "sess_two"]) {
      const made = await hub.request("POST", "/sessions", { token: home, body: JSON.stringify({ session_id }) });
      expect([made.status, made.body]).toEqual([
        201,
        {
          session_id,
          space: session_id,
          created_at: new Date(START + 61_000).toISOString(),
          expires_at: new Date(START + 61_000 + 24 * 3600_000).toISOString(),
        },
      ]);
      expect((await hub.call(home, "shelf_look", {}, { "x-session-id": session_id })).body.space).toBe(session_id);
    }
    // By now it may use three, and names none.
    const boss = new Raw(hub.url, home);
    await expect.poll(async () => (await hub.call(home, "whoami")).body.code).toBe("MISSING_SESSION_ID");
    const listed = await boss.modern(LIST);
    expect(listed.body.result.tools.map(({ name }: { name: string }) => name)).toContain("create_session");
    const session = await boss.session();
    const call = (session_id: string) => ({ name: "create_session", arguments: { session_id } });
    const made = [
      await boss.modern({ method: "tools/call", params: call("sess_three") }),
      await boss.legacy(session, { id: 1, method: "tools/call", params: call("sess_four") }),
    ].map(({ body }) => body.result.structuredContent.session_id);
    expect(made).toEqual(["sess_three", "sess_four"]);
    expect((await hub.call(home, "space_create", { session_id: "sess_five" })).status).toBe(200);
    const twice = await hub.request("POST", "/sessions", { token: home, body: '{"session_id":"sess_five"}' });
    expect([twice.status, twice.body.code]).toEqual([409, "CONFLICT"]);
    const others = await boss.legacy(session, { id: 1, method: "tools/call", params: { name: "agent_list" } });
    expect(JSON.parse(others.body.result.content[0].text).code).toBe("MISSING_SESSION_ID");
    expect((await hub.request("GET", "/events?topics=chat", { token: home })).body.code).toBe("MISSING_SESSION_ID");
  });

  test("SPACE-3: no tool takes a session or space as its argument, but the one that makes them", async () => {
    const named = hub.hub.tools.all.filter(({ input }) => "session_id" in input.shape || "x_session_id" in input.shape);
    expect(named.map(({ name }) => name)).toEqual(["create_session"]);
    const refused = await hub.call(scout, "shelf_look", { session_id: "sess_a" }, { "x-session-id": "sess_a" });
    expect([refused.status, refused.body.code]).toEqual([400, "INVALID_ARGUMENT"]);
  });
});
