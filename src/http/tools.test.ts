import { beforeAll, expect, test } from "vitest";
import { rawRequest } from "../testing/raw-http.ts";
import { onSharedHub } from "../testing/shared-hub.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);

onSharedHub((shared) => {
  let ana: string;
  let scout: string;
  beforeAll(async () => {
    ana = await shared.hub.token("human", "ana");
    scout = await shared.hub.token("agent", "scout");
  });

  const bridge = (body: unknown, token = ana) =>
    shared.hub.request("POST", "/api/mcp/call", { token, body: JSON.stringify(body) });
  const raw = (line: string, token = ana) =>
    rawRequest(shared.hub.url, [
      `${line} HTTP/1.1`,
      `Host: localhost:${new URL(shared.hub.url).port}`,
      `Authorization: Bearer ${token}`,
      "Content-Length: 0",
    ]);

  test("HTTP-1: the bridge posts for server ui and chat, by every spelling of the tool", async () => {
    for (const server of ["ui", "chat", "chat-human"])
      for (const tool of ["chat.human.post", "chat_human_post", "ui_chat_human_post"]) {
        const { status, body } = await bridge({ server, tool, arguments: { content: "hello" } });
        expect([status, body]).toEqual([200, { ok: true, result: { id: expect.any(String), ts: expect.any(String) } }]);
      }
  });

  test("HTTP-2: a tool answers with its own result, under its seeds' name too", async () => {
    const { status, body, headers } = await shared.hub.call(ana, "ui_chat_human_post", { content: "hello" });
    expect([status, Object.keys(body)]).toEqual([200, ["id", "ts"]]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("HTTP-3: an unknown server or tool is not found, at every door", async () => {
    const cases: [unknown, string][] = [
      [{ server: "pigeons", tool: "mail_send" }, "UNKNOWN_SERVER"],
      [{ server: "", tool: "whoami" }, "UNKNOWN_SERVER"],
      [{ server: "__proto__", tool: "whoami" }, "UNKNOWN_SERVER"],
      [{ server: "chat", tool: "chat_shout" }, "UNKNOWN_TOOL"],
      [{ server: "chat", tool: "" }, "UNKNOWN_TOOL"],
      [{ server: "chat", tool: "whoami" }, "UNKNOWN_TOOL"],
      [{ server: "identity", tool: "chat_human_post" }, "UNKNOWN_TOOL"],
      [{ server: "s".repeat(100_000), tool: "t" }, "UNKNOWN_SERVER"],
      [{ server: "chat", tool: "t".repeat(100_000) }, "UNKNOWN_TOOL"],
    ];
    for (const [call, code] of cases) {
      const { status, body } = await bridge(call);
      expect([status, body]).toEqual([404, { code, error: SENTENCE }]);
      expect(body.error.length).toBeLessThan(400);
    }
    for (const name of ["chat_shout", "Chat_Human_Post", "constructor", "toString", "x".repeat(5000)])
      expect((await shared.hub.call(ana, name)).body).toEqual({ code: "UNKNOWN_TOOL", error: SENTENCE });
    for (const facet of ["chat", "Chat-Human", ".."])
      expect((await raw(`POST /mcp/${facet}`)).json).toMatchObject({
        error: { code: 40400, message: SENTENCE, data: { code: "UNKNOWN_SERVER" } },
      });
  });

  test("HTTP-3: a call of another form is refused with what it has to be", async () => {
    const calls = [
      [],
      {},
      "chat",
      7,
      null,
      { server: "chat" },
      { tool: "chat_human_post" },
      { server: ["chat"], tool: "chat_human_post" },
      { server: "chat", tool: "chat_human_post", arguments: [] },
      { server: "chat", tool: "chat_human_post", arguments: "content" },
      { server: "chat", tool: "chat_human_post", args: { content: "x" } },
      { server: "chat", tool: "chat_human_post", arguments: { content: "x" }, author: "assistant" },
    ];
    for (const call of calls) {
      const { status, body } = await bridge(call);
      expect([call, status, body]).toEqual([call, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
    }
  });

  test("an address is taken as it is written: no dots, doubled or encoded slashes lead around a check", async () => {
    const nowhere = [
      "//livez",
      "/livez/",
      "/LIVEZ",
      "/api/../livez",
      "/api/tools/",
      "/api/tools",
      "/api/tools/whoami/x",
      "/mcp/mail/x",
      "//api/tools/whoami",
      "/api//tools/whoami",
      "/api%2ftools%2fwhoami",
      "/./api/tools/whoami",
      "/mcp/",
      "/sessions/",
      "/livez%00",
      "/api/tools/whoami%00",
      "/livez;x",
      "/admin.token",
      "/../../etc/passwd",
      "http://evil.example/livez",
    ];
    for (const path of nowhere) {
      const { status, json } = await raw(`GET ${path}`);
      expect([path, status, json]).toEqual([path, 404, { code: "NOT_FOUND", error: SENTENCE }]);
    }
    for (const path of ["/api/tools/..", "/api/tools/%2e%2e%2fwhoami"])
      expect((await raw(`POST ${path}`)).json).toEqual({ code: "UNKNOWN_TOOL", error: SENTENCE });
    expect((await raw("POST /api/tools/who%61mi")).status).toBe(200);
  });

  test("an address that cannot be decoded is the caller's mistake, not the hub's", async () => {
    for (const path of ["/api/tools/%", "/api/tools/%zz", "/api/tools/%ff", "/sessions/%e0%a4", "/mcp/%c0%af"])
      for (const method of path.startsWith("/sessions") ? ["GET", "DELETE"] : ["POST"]) {
        const { status, json } = await raw(`${method} ${path}`);
        expect([path, status, json]).toEqual([path, 400, { code: "INVALID_REQUEST", error: SENTENCE }]);
      }
    expect((await raw("GET /events?topics=%")).json).toEqual({ code: "INVALID_ARGUMENT", error: SENTENCE });
    expect((await raw("GET /livez?%zz=%")).status).toBe(200);
  });

  test("a method that an address does not have is refused with those that it has", async () => {
    const cases: [string, string][] = [
      ["GET /api/tools/whoami", "POST"],
      ["PUT /api/tools/whoami", "POST"],
      ["DELETE /api/mcp/call", "POST"],
      ["POST /livez", "GET"],
      ["PATCH /metrics", "GET"],
      ["POST /events", "GET"],
      ["GET /sessions", "POST"],
      ["PUT /sessions/main", "GET, DELETE"],
      ["POST /sse", "GET"],
      ["GET /messages", "POST"],
      ["OPTIONS /api/tools/whoami", "POST"],
      ["TRACE /", "GET"],
    ];
    for (const [line, allow] of cases) {
      const { status, headers, json } = await raw(line);
      expect([line, status, headers.allow]).toEqual([line, 405, allow]);
      expect(json).toMatchObject({ code: "METHOD_NOT_ALLOWED", error: SENTENCE });
    }
  });

  test("HEAD asks pages and checks that are open to all without their body, and nothing else", async () => {
    for (const path of ["/", "/livez", "/readyz"]) {
      const response = await fetch(shared.hub.url + path, { method: "HEAD" });
      expect([path, response.status, await response.text()]).toEqual([path, 200, ""]);
    }
    const response = await fetch(`${shared.hub.url}/metrics`, { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  });

  test("IDENTITY-2: what another role may do is forbidden, and says what you are", async () => {
    const forbidden: [string, string, object][] = [
      [ana, "chat_assistant_post", { content: "x" }],
      [ana, "token_create", { role: "admin", name: "eve" }],
      [ana, "token_list", {}],
      [ana, "agent_report", { run_phase: "idle" }],
      [scout, "chat_human_post", { content: "x" }],
      [scout, "agent_default", { name: "scout" }],
      [scout, "space_create", {}],
      [scout, "space_list", {}],
    ];
    for (const [token, tool, args] of forbidden) {
      const { status, body, headers } = await shared.hub.call(token, tool, args);
      expect([tool, status, body]).toEqual([tool, 403, { code: "FORBIDDEN", error: SENTENCE }]);
      expect(headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope"');
      expect(body.error).toContain(token === ana ? "human" : "agent");
    }
  });

  test("what is not a ParleyError is logged and told as an internal error, without a word of it", async () => {
    const tool = shared.hub.hub.tools.find("whoami");
    const { run } = tool;
    Object.assign(tool, {
      run: async () => {
        throw new Error("the key is under the mat");
      },
    });
    try {
      const { status, body } = await shared.hub.call(ana, "whoami");
      const sentence = expect.stringMatching(/^Internal error\. The hub's log has it as [0-9a-f]{8}\.$/);
      expect([status, body]).toEqual([500, { code: "INTERNAL", error: sentence }]);
    } finally {
      Object.assign(tool, { run });
    }
  });
});
