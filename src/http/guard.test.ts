import { beforeAll, describe, expect, test } from "vitest";
import { RawConnection, rawRequest } from "../testing/raw-http.ts";
import { onSharedHub } from "../testing/shared-hub.ts";
import { Guard } from "./guard.ts";

const ROUTES = [
  "GET /",
  "GET /livez",
  "GET /readyz",
  "GET /readyz?verbose",
  "GET /metrics",
  "GET /openapi.json",
  "GET /events?topics=chat",
  "POST /api/tools/whoami",
  "POST /api/mcp/call",
  "GET /api/messages",
  "POST /api/messages/1/read",
  "GET /api/thread/1",
  "POST /sessions",
  "GET /sessions/main",
  "DELETE /sessions/main",
  "POST /mcp",
  "GET /mcp",
  "DELETE /mcp",
  "POST /mcp/chat-human",
  "GET /sse",
  "POST /messages",
  "GET /nowhere",
  "OPTIONS /api/tools/whoami",
];
const OPEN = ["GET /", "GET /livez", "GET /readyz", "GET /openapi.json"];
const SENTENCE = expect.stringMatching(/^\S.*\.$/s);

onSharedHub((shared, database) => {
  let port: string;
  let ana: string;
  beforeAll(async () => {
    port = new URL(shared.hub.url).port;
    ana = await shared.hub.token("human", "ana");
  });

  const ask = (route: string, headers: readonly string[]) =>
    rawRequest(shared.hub.url, [`${route} HTTP/1.1`, ...headers, `Authorization: Bearer ${ana}`, "Content-Length: 0"]);

  test("what a form, a beacon or a plain page can send without a token does nothing", async () => {
    for (const type of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
      const { status } = await shared.hub.request("POST", "/api/tools/chat_human_post", {
        body: '{"content":"by a page"}',
        headers: { "content-type": type },
      });
      expect(status).toBe(401);
    }
    expect((await shared.hub.call(ana, "chat_read_since")).body.messages).toEqual([]);
  });

  test("IDENTITY-1: every route but those open to all asks for a token, and says how", async () => {
    for (const route of ROUTES.filter((route) => !OPEN.includes(route) && !/nowhere|OPTIONS/.test(route))) {
      const { status, headers, json } = await rawRequest(shared.hub.url, [
        `${route} HTTP/1.1`,
        `Host: localhost:${port}`,
        "Content-Length: 0",
      ]);
      expect([route, status, json]).toEqual([route, 401, { code: "UNAUTHENTICATED", error: SENTENCE }]);
      expect(headers["www-authenticate"]).toBe("Bearer");
    }
    for (const route of OPEN) expect((await ask(route, [`Host: localhost:${port}`])).status).toBe(200);
  });

  test("IDENTITY-1: a malformed, unknown or doubled token is no token", async () => {
    const unknown = `parley_${"A".repeat(43)}`;
    const malformed = [
      "",
      "Bearer",
      "Bearer ",
      `Basic ${ana}`,
      `Bearer  ${ana}`,
      `Bearer ${ana}x`,
      `Bearer ${ana.slice(0, -1)}`,
      `Bearer ${ana.toLowerCase()}`,
      `Bearer ${ana}, Bearer ${ana}`,
      `Bearer ${"A".repeat(10_000)}`,
      "Bearer parley_ünïcode",
      `Bearer ${unknown}`,
      `Bearer ${unknown}' or '1'='1`,
      ana,
    ];
    for (const authorization of malformed) {
      const { status, json, headers } = await rawRequest(shared.hub.url, [
        "POST /api/tools/whoami HTTP/1.1",
        `Host: localhost:${port}`,
        `Authorization: ${authorization}`,
        "Content-Length: 0",
      ]);
      expect([authorization.slice(0, 60), status, json]).toEqual([
        authorization.slice(0, 60),
        401,
        { code: "UNAUTHENTICATED", error: SENTENCE },
      ]);
      expect(headers["www-authenticate"]).toBe("Bearer");
      if (authorization.length > 20) expect(JSON.stringify(json)).not.toContain(authorization.slice(7, 27));
    }
    const twice = [`Host: localhost:${port}`, `Authorization: Bearer ${ana}`];
    expect((await ask("POST /api/tools/whoami", twice)).status).toBe(401);
  });

  test("the scheme's name may be written in any case, as HTTP has it", async () => {
    const { status } = await shared.hub.request("POST", "/api/tools/whoami", {
      headers: { authorization: `bEaReR ${ana}` },
    });
    expect(status).toBe(200);
  });

  test("headers that are doubled or hold no name are refused, not guessed at", async () => {
    const host = `Host: localhost:${port}`;
    const cases: [string[], string][] = [
      [["X-Session-ID: main", "X-Session-ID: main"], "INVALID_SESSION_ID"],
      [["X-Session-ID: "], "INVALID_SESSION_ID"],
      [["X-Session-ID: ../main"], "INVALID_SESSION_ID"],
      [["X-Caller-Agent: scout", "X-Caller-Agent: mason"], "INVALID_ARGUMENT"],
      [["X-Caller-Agent: sc\xf6ut"], "INVALID_ARGUMENT"],
      [[`X-Caller-Agent: ${"a".repeat(41)}`], "INVALID_ARGUMENT"],
    ];
    for (const [headers, code] of cases) {
      const { status, json } = await ask("POST /api/tools/whoami", [host, ...headers]);
      expect([headers, status, json]).toEqual([headers, 400, { code, error: SENTENCE }]);
    }
  });

  test("NUL in a header, a line that is no header and headers without end are answered and end the connection", async () => {
    const cases: [string, number][] = [
      [`GET /livez HTTP/1.1\r\nHost: localhost:${port}\r\nX-Session-ID: ma\0in\r\n\r\n`, 400],
      [`GET /livez HTTP/1.1\r\nHost localhost:${port}\r\n\r\n`, 400],
      [`GET /li vez HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`, 400],
      ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
      [`GET /livez HTTP/1.1\r\nHost: localhost:${port}\r\nX-Much: ${"x".repeat(20_000)}\r\n\r\n`, 431],
      [
        `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        400,
      ],
    ];
    for (const [bytes, expected] of cases) {
      using connection = await RawConnection.open(shared.hub.url);
      connection.send(Buffer.from(bytes, "latin1"));
      const { status, json } = await connection.answer();
      expect([bytes.slice(0, 60), status, json]).toEqual([
        bytes.slice(0, 60),
        expected,
        { code: "INVALID_REQUEST", error: SENTENCE },
      ]);
      await connection.closed;
    }
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a request under a foreign name is refused on every route, so that no page can point its own name here", async () => {
    for (const route of ROUTES) {
      const { status, json } = await ask(route, ["Host: evil.example"]);
      expect([route, status, json]).toEqual([route, 403, { code: "HOST_DENIED", error: SENTENCE }]);
    }
  });

  test("only the exact names of the hub are its own", async () => {
    const foreign = [
      "",
      "127.0.0.1",
      "localhost",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
      `evil.example:${port}`,
      `localhost:${port}.evil.example`,
      `localhost.:${port}`,
      `user@localhost:${port}`,
      `0.0.0.0:${port}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `127.0.0.1:0${port}`,
      `127.0.0.1:${port}, evil.example`,
    ];
    for (const host of foreign) {
      const { status, json } = await ask("GET /livez", [`Host: ${host}`]);
      expect([host, status, json.code]).toEqual([host, 403, "HOST_DENIED"]);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`, `[::1]:${port}`])
      expect([host, (await ask("GET /livez", [`Host: ${host}`])).status]).toEqual([host, 200]);
  });

  test("no Host at all, or two of them, are refused like a foreign one", async () => {
    const host = `Host: 127.0.0.1:${port}`;
    for (const headers of [[], [host, "Host: evil.example"], ["Host: evil.example", host], [host, host]])
      expect((await ask("GET /livez", headers)).json.code).toBe("HOST_DENIED");
  });

  test("a page of another origin is refused on every route, even with a token", async () => {
    for (const route of ROUTES) {
      const headers = [`Host: 127.0.0.1:${port}`, "Origin: https://evil.example"];
      const { status, json, headers: sent } = await ask(route, headers);
      expect([route, status, json]).toEqual([route, 403, { code: "ORIGIN_DENIED", error: SENTENCE }]);
      expect(Object.keys(sent).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("null, look-alikes, other ports and other schemes are other origins", async () => {
    const foreign = [
      "",
      "null",
      "file://",
      "http://127.0.0.1",
      "http://127.0.0.1:1",
      `https://127.0.0.1:${port}`,
      `ws://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}.evil.example`,
      `http://evil.example:${port}`,
      `http://localhost.:${port}`,
      `http://user@localhost:${port}`,
      `http://localhost:${port}, http://localhost:${port}`,
      "chrome-extension://abcdefghijklmnop",
    ];
    for (const origin of foreign) {
      const { status, json } = await ask("POST /api/tools/whoami", [`Host: localhost:${port}`, `Origin: ${origin}`]);
      expect([origin, status, json.code]).toEqual([origin, 403, "ORIGIN_DENIED"]);
    }
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`])
      expect((await ask("POST /api/tools/whoami", [`Host: localhost:${port}`, `Origin: ${origin}`])).status).toBe(200);
  });

  test("asking for a WebSocket is no way around", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13"];
    const foreign = [`Host: localhost:${port}`, "Origin: https://evil.example", ...upgrade];
    for (const route of ["GET /ws", "GET /events?topics=chat", "GET /mcp"])
      expect([route, (await ask(route, foreign)).json.code]).toEqual([route, "ORIGIN_DENIED"]);
    expect((await ask("GET /nowhere", [`Host: localhost:${port}`, ...upgrade])).json.code).toBe("NOT_FOUND");
  });

  test("the start page cannot be framed and loads nothing", async () => {
    const { headers } = await shared.hub.request("GET", "/");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a token in the query string is not looked at", async () => {
    for (const name of ["token", "access_token", "authorization", "api_key", "key"]) {
      const path = `/api/tools/whoami?${name}=${encodeURIComponent(`Bearer ${ana}`)}`;
      expect((await shared.hub.request("POST", path)).status).toBe(401);
      expect((await shared.hub.request("GET", `/events?topics=chat&${name}=${ana}`)).status).toBe(401);
    }
  });
});

describe("names under which the hub is reached", () => {
  const guard = new Guard(
    { host: "127.0.0.1", allowed_hosts: ["Hub.Example", "other.example:8443"] },
    8765,
    "parley_1",
  );
  const passes = (host: string, origin?: string): boolean => {
    try {
      // The guard looks at nothing but these two.
      guard.check({ headers: { host, ...(origin && { origin }) } } as Parameters<Guard["check"]>[0]);
      return true;
    } catch {
      return false;
    }
  };

  test("a further name is one with or without a port as it was given, in any case, over http and https", () => {
    expect(passes("hub.example")).toBe(true);
    expect(passes("HUB.example", "https://hub.example")).toBe(true);
    expect(passes("hub.example", "http://hub.example")).toBe(true);
    expect(passes("other.example:8443", "https://other.example:8443")).toBe(true);
    expect(passes("hub.example:8765")).toBe(false);
    expect(passes("other.example")).toBe(false);
    expect(passes("hub.example", "https://hub.example.evil")).toBe(false);
    expect(passes("hub.example", "https://localhost:8765")).toBe(false);
  });

  test("on port 80 the names stand alone, as browsers write them", () => {
    const plain = new Guard({ host: "127.0.0.1", allowed_hosts: [] }, 80, "parley_1");
    // As above.
    const request = { headers: { host: "localhost", origin: "http://localhost" } } as Parameters<Guard["check"]>[0];
    expect(() => plain.check(request)).not.toThrow();
  });
});
