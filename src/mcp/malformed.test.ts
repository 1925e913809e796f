import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { onDatabase, type TestHub } from "../testing/hub.ts";
import { Raw } from "../testing/mcp-raw.ts";
import { propertyRuns } from "../testing/property-runs.ts";
import { isPlainCall } from "./calling.ts";

onDatabase("sqlite", (open) => {
  test("whatever is posted is answered with a refusal or an answer, and the hub goes on", async () => {
    const { hub, ana } = await people(open);
    const session = await ana.session();
    const method = fc.constantFrom(
      "tools/call",
      "tools/list",
      "resources/read",
      "subscriptions/listen",
      "initialize",
      "ping",
      "",
    );
    const almost = fc.record(
      {
        jsonrpc: fc.constantFrom("2.0", "1.0", 2),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.object()),
        method: fc.oneof(method, fc.string(), fc.integer()),
        params: fc.oneof(
          fc.jsonValue(),
          fc.record({ name: fc.jsonValue(), uri: fc.jsonValue(), _meta: meta() }, { requiredKeys: [] }),
        ),
        result: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const headers = fc.record(
      {
        "mcp-session-id": fc.constantFrom(session, "nonsense"),
        "mcp-protocol-version": fc.constantFrom("2026-07-28", "2025-11-25", "2099-01-01", "x"),
        "mcp-method": fc.constantFrom("tools/call", "tools/list", "nonsense"),
        "mcp-name": fc.constantFrom("whoami", "=?base64?!!?=", "nonsense"),
      },
      { requiredKeys: [] },
    );
    const body = fc
      .oneof(almost, fc.array(almost, { maxLength: 3 }), fc.jsonValue())
      .map((value) => JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(body, headers, async (body, headers) => {
        using stream = await ana.stream("POST", "/mcp", { body, headers });
        expect(stream.status).toBeGreaterThanOrEqual(200);
        expect(stream.status).toBeLessThan(500);
        // What listens stays open; everything else is over soon.
        if (!stream.isStream) expect(await stream.text()).not.toContain('"code":-32603');
      }),
      { numRuns: propertyRuns(120) },
    );
    expect((await hub.request("GET", "/readyz")).status).toBe(200);
    expect((await ana.call("whoami")).body.result.structuredContent.principal).toBe("ana");
  });

  test("what is taken for a call of the older era without asking the SDK is one to the SDK too", () => {
    const usual = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: { limit: 3 } } };
    const _meta = { progressToken: 7, "claudecode/toolUseId": "toolu_1" };
    for (const call of [usual, { ...usual, id: "a", params: { name: "whoami", _meta } }])
      expect(isPlainCall(call)).toBe(true);
    const mostly = (value: unknown) =>
      fc.oneof({ weight: 8, arbitrary: fc.constant(value) }, fc.jsonValue(), fc.double(), fc.string());
    const params = fc.record(
      { name: mostly("whoami"), arguments: mostly({}), _meta: meta() },
      { requiredKeys: ["name"] },
    );
    const call = fc.record(
      { jsonrpc: mostly("2.0"), id: mostly(1), method: mostly("tools/call"), params: fc.oneof(params, mostly(null)) },
      { requiredKeys: ["jsonrpc", "method"] },
    );
    const more = fc.constantFrom({}, {}, { result: {} }, { error: {} }, { more: 1 }, { method: "initialize" });
    const message = fc.tuple(call, more).map(([call, more]) => ({ ...call, ...more }));
    const version = fc.constantFrom(...SUPPORTED_PROTOCOL_VERSIONS);
    fc.assert(
      fc.property(fc.oneof(message, fc.array(message, { maxLength: 2 })), version, (made, protocolVersionHeader) => {
        const body = JSON.parse(JSON.stringify(made));
        if (!isPlainCall(body)) return;
        const route = classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader, body });
        expect(route).toMatchObject({ kind: "legacy", reason: "no-claim" });
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  test("what is not JSON is refused", async () => {
    const { ana } = await people(open);
    for (const body of ["", "{", "nonsense", '{"jsonrpc":"2.0",}', "[".repeat(5000)]) {
      const answer = await ana.send("POST", "/mcp", { body });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain("INVALID_JSON");
    }
  });

  test("parameters that are missing or of another type are refused in a sentence, in both eras", async () => {
    const { ana } = await people(open);
    const session = await ana.session();
    const wrong = [
      ["resources/read", {}, "resources/read: uri is a text."],
      ["resources/read", { uri: 7 }, "resources/read: uri is a text."],
      ["tools/call", { arguments: {} }, "tools/call: name is a text."],
      ["tools/call", { name: "whoami", arguments: [] }, "tools/call: arguments are an object."],
      ["tools/list", { cursor: 7 }, "tools/list: cursor is a text."],
      ["resources/subscribe", {}, "resources/subscribe: uri is a text."],
      ["resources/unsubscribe", { uri: null }, "resources/unsubscribe: uri is a text."],
    ] as const;
    for (const [method, params, message] of wrong) {
      const { body } = await ana.legacy(session, { id: 1, method, params });
      expect(body.error).toEqual({ code: -32602, message, data: { code: "INVALID_ARGUMENT" } });
      if (method.endsWith("subscribe")) continue;
      const answer = await ana.modern({ method, params });
      expect(answer.body.error.code).toBeLessThan(-32000);
      expect(answer.body.error.code).not.toBe(-32603);
      expect(answer.body.error.message.length).toBeLessThan(200);
    }
    const { body } = await ana.send("POST", "/mcp", { body: '{"jsonrpc":"2.0","id":1,"method":"resources/read"}' });
    expect(body.error.code).not.toBe(-32603);
  });

  test("an unknown tool is a JSON-RPC error with a code", async () => {
    const { ana } = await people(open);
    const session = await ana.session();
    for (const name of ["no_such_tool", "__proto__", "x".repeat(300), "chat_human_post\u0000"]) {
      const params = { name, arguments: {} };
      const { body } = await ana.legacy(session, { id: 1, method: "tools/call", params });
      expect(body.error).toMatchObject({ code: -32602, data: { code: "UNKNOWN_TOOL" } });
    }
    expect((await ana.call("no_such_tool")).body.error).toMatchObject({ code: -32602, data: { code: "UNKNOWN_TOOL" } });
  });

  test("a tool of another role is refused as a result that the model can read", async () => {
    const { ana } = await people(open);
    const { body } = await ana.call("token_list");
    expect(body.result).toMatchObject({ isError: true, content: [{ type: "text" }] });
    expect(JSON.parse(body.result.content[0].text)).toMatchObject({ code: "FORBIDDEN", error: expect.any(String) });
    expect(body.result.structuredContent).toBeUndefined();
  });

  test("an unknown resource is a JSON-RPC error that names it", async () => {
    const { ana } = await people(open);
    for (const uri of ["ui://nothing", "file:///etc/passwd", "ui://chat/../inbox", "ui://chat//inbox"]) {
      const { body } = await ana.modern({ method: "resources/read", params: { uri } });
      expect(body.error).toMatchObject({ code: -32602, data: { uri } });
      expect(["UNKNOWN_RESOURCE", "AGENT_NOT_FOUND"]).toContain(body.error.data.code);
    }
  });

  test("an unknown facet is not found", async () => {
    const { ana } = await people(open);
    const { status, body } = await ana.modern({ method: "tools/list" }, "/mcp/nonsense");
    expect([status, body.error.data.code]).toEqual([404, "UNKNOWN_SERVER"]);
  });

  test("headers that contradict the body are refused as the specification has it", async () => {
    const { ana } = await people(open);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "whoami", arguments: {}, _meta: META },
    });
    const right = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "whoami" };
    expect((await ana.send("POST", "/mcp", { body, headers: right })).status).toBe(200);
    const encoded = `=?base64?${Buffer.from("whoami").toString("base64")}?=`;
    expect((await ana.send("POST", "/mcp", { body, headers: { ...right, "mcp-name": encoded } })).status).toBe(200);
    for (const wrong of [
      { "mcp-method": "tools/list" },
      { "mcp-name": "token_list" },
      { "mcp-name": "=?base64?!!?=" },
      { "mcp-protocol-version": "2025-11-25" },
    ]) {
      const answer = await ana.send("POST", "/mcp", { body, headers: { ...right, ...wrong } });
      expect(answer).toMatchObject({ status: 400, body: { id: 1, error: { code: -32020 } } });
    }
    for (const missing of Object.keys(right)) {
      const headers = Object.fromEntries(Object.entries(right).filter(([name]) => name !== missing));
      const answer = await ana.send("POST", "/mcp", { body, headers });
      expect(answer).toMatchObject({ status: 400, body: { id: 1, error: { code: -32020 } } });
    }
  });

  test("a method that does not exist is not found in the newer era", async () => {
    const { ana } = await people(open);
    for (const method of ["ping", "initialize", "resources/subscribe", "no/such"]) {
      const answer = await ana.modern({ method, params: { uri: "ui://chat/inbox" } });
      expect(answer).toMatchObject({ status: 404, body: { id: 1, error: { code: -32601 } } });
    }
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const meta = () =>
  fc.oneof(fc.constant(META), fc.jsonValue(), fc.constant({ ...META, "io.modelcontextprotocol/clientInfo": 7 }));

async function people(open: () => Promise<TestHub>) {
  const hub = await open();
  return { hub, ana: new Raw(hub.url, await hub.token("human", "ana")) };
}
