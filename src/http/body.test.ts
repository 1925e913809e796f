import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { until } from "../testing/process.ts";
import { RawConnection } from "../testing/raw-http.ts";
import { onSharedHub } from "../testing/shared-hub.ts";
import { defineTool } from "../tool.ts";
import { limitOfTool, MOST_BODY_BYTES } from "./body-limit.ts";
import { checkShape } from "./json-shape.ts";

const POST = "/api/tools/chat_human_post";
const MIB = 1024 * 1024;
const NAMED = { name: "sized", title: "", description: "", roles: [], writes: false, run: async () => ({}) } as const;
/** Larger than anybody sends for long. */
const LARGE_BODIES = { config: { rate_limit_kb: 1_000_000 } };
const SENTENCE = expect.stringMatching(/^\S.*\.$/s);

onSharedHub((shared, database) => {
  let ana: string;
  beforeAll(async () => {
    ana = await shared.hub.token("human", "ana");
  });

  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    shared.hub.request("POST", POST, { token: ana, body, headers });
  const head = async (): Promise<unknown> => {
    const { body } = await shared.hub.call(ana, "chat_read_since", { limit: 500 });
    return [body.last_id, body.messages.length];
  };
  const opened = (lines: string): string =>
    `POST ${POST} HTTP/1.1\r\nHost: localhost:${new URL(shared.hub.url).port}\r\nAuthorization: Bearer ${ana}\r\n${lines}\r\n`;

  test("HTTP-2: a body is read as JSON whatever its content type says, as plain curl -d sends it", async () => {
    for (const type of [
      "application/json",
      "application/x-www-form-urlencoded",
      "text/plain",
      "application/octet-stream",
    ])
      expect((await send('{"content":"hello"}', { "content-type": type })).status).toBe(200);
  });

  test("content of exactly 1 MiB is taken and comes back as it was, one byte more is not, in any alphabet", async () => {
    for (const letter of ["a", "é", "語", "🙂"]) {
      const bytes = Buffer.byteLength(letter);
      const fill = "a".repeat(MIB % bytes);
      const fits = fill + letter.repeat((MIB - fill.length) / bytes);
      const { status, body } = await send(JSON.stringify({ content: fits }));
      expect([letter, status]).toEqual([letter, 200]);
      const before = String(Number(body.id) - 1);
      const page = await shared.hub.call(ana, "chat_read_since", { after_id: before, limit: 1 });
      expect(page.body.messages[0].content === fits).toBe(true);

      const known = await head();
      const over = await send(JSON.stringify({ content: `${fits}a` }));
      expect([letter, over.status, over.body]).toEqual([letter, 413, { code: "CONTENT_TOO_LARGE", error: SENTENCE }]);
      expect(await head()).toEqual(known);
    }
  });

  test("HTTP-3: what is not JSON is refused with a sentence, and nothing happens", async () => {
    const known = await head();
    const broken = [
      "{",
      "}",
      '{"content":"x"',
      '{"content":"x"}}',
      '{"content":"x"} {}',
      "{content:'x'}",
      '{"content":"x",}',
      '{"content":"\u0001"}',
      '{"content":"\\x"}',
      "content=hello&agent=scout",
      "NaN",
      "undefined",
      "<html></html>",
      "\ufeff{",
      "\0",
    ];
    for (const text of broken) {
      const { status, body } = await send(text);
      expect([text, status, body]).toEqual([text, 400, { code: "INVALID_JSON", error: SENTENCE }]);
    }
    expect(await head()).toEqual(known);
  });

  test("JSON that is a hundred thousand levels deep is refused at every door, and the hub goes on", async () => {
    const deep = [
      "[".repeat(100_000) + "]".repeat(100_000),
      `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
      `{"content":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "[".repeat(100_000),
      `${'{"a":['.repeat(50_000)}`,
    ];
    const plain = { code: "INVALID_JSON", error: SENTENCE };
    const rpc = {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32700, message: SENTENCE, data: { code: "INVALID_JSON" } },
    };
    const doors = { [POST]: plain, "/api/mcp/call": plain, "/api/messages": plain };
    const mcp = { "/mcp": rpc, "/mcp/chat-human": rpc, "/messages?sessionId=x": rpc };
    for (const [path, refusal] of Object.entries({ ...doors, ...mcp }))
      for (const body of deep) {
        const answer = await shared.hub.request("POST", path, { token: shared.hub.admin, body });
        expect([path, answer.status, answer.body]).toEqual([path, 400, refusal]);
      }
    expect((await shared.hub.request("GET", "/livez")).status).toBe(200);
  });

  test("a prototype among the fields is a field like any other, and refused", async () => {
    for (const text of ['{"content":"x","__proto__":{"agent":"scout"}}', '{"content":"x","constructor":{}}'])
      expect((await send(text)).body.code).toBe("INVALID_ARGUMENT");
    expect({}).not.toHaveProperty("agent");
  });

  test("a client that hangs up in the middle of its body leaves nothing behind", async () => {
    const known = await head();
    for (const how of ["destroy", "resetAndDestroy"] as const)
      for (const part of ["", '{"content":"ha', '{"content":"half"}']) {
        const connection = await RawConnection.open(shared.hub.url);
        connection.send(opened("Content-Length: 1000\r\n") + part);
        await until(() => connection.socket.writableLength === 0);
        connection.socket[how]();
        await connection.closed;
      }
    expect(await head()).toEqual(known);
  });

  test("a client that hangs up before its answer is there does not disturb the hub", async () => {
    const text = JSON.stringify({ content: "never mind" });
    for (let n = 0; n < 20; n++) {
      const connection = await RawConnection.open(shared.hub.url);
      connection.send(opened(`Content-Length: ${text.length}\r\n`) + text);
      await until(() => connection.socket.writableLength === 0);
      connection.socket.resetAndDestroy();
    }
    expect((await send('{"content":"still here"}')).status).toBe(200);
  });

  test("a client that hangs up in the middle of a long answer does not disturb the hub", async () => {
    await send(JSON.stringify({ content: "long ".repeat(200_000) }));
    for (let n = 0; n < 10; n++) {
      const connection = await RawConnection.open(shared.hub.url);
      connection.send(opened("Content-Length: 0\r\n").replace(POST, "/api/tools/chat_read_since"));
      await until(() => connection.received.length > 0);
      connection.socket.resetAndDestroy();
    }
    expect((await send('{"content":"still here"}')).status).toBe(200);
  });

  test("requests sent in one go are answered in order", async () => {
    using connection = await RawConnection.open(shared.hub.url);
    const one = (text: string): string => opened(`Content-Length: ${text.length}\r\n`) + text;
    connection.send(one('{"content":"a"}') + one("{") + one('{"content":"b"}'));
    const statuses = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(statuses.map(({ status }) => status)).toEqual([200, 400, 200]);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a body of exactly 4 MiB is read, one byte more is not, with and without a length given before", async () => {
    const known = await head();
    // Too much for a message, but not for a body: what is said tells which limit it was.
    const body = (bytes: number): string => `{"content":"${"a".repeat(bytes - 14)}"}`;
    for (const [bytes, code] of [
      [MOST_BODY_BYTES, "CONTENT_TOO_LARGE"],
      [MOST_BODY_BYTES + 1, "BODY_TOO_LARGE"],
    ] as const) {
      expect(Buffer.byteLength(body(bytes))).toBe(bytes);
      const { status, body: told } = await send(body(bytes));
      expect([status, told]).toEqual([413, { code, error: SENTENCE }]);

      using connection = await RawConnection.open(shared.hub.url);
      connection.send(opened("Transfer-Encoding: chunked\r\n"));
      connection.send(`${bytes.toString(16)}\r\n${body(bytes)}\r\n0\r\n\r\n`);
      expect((await connection.answer()).json.code).toBe(code);
    }
    expect(await head()).toEqual(known);
  });

  test("a body is as large as its route can use and no larger: a code, the arguments of a tool, a call over MCP", async () => {
    const padded = (bytes: number): string => JSON.stringify({ agent: "scout" }).padEnd(bytes);
    const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "whoami" };
    for (const [path, most, headers] of [
      ["/api/tools/whoami", 8192, {}],
      ["/api/tools/chat_read_since", 11_410, {}],
      ["/sessions", 11_415, {}],
      ["/mcp", 8192 + 65_536, modern],
    ] as const) {
      const post = (bytes: number) =>
        shared.hub.request("POST", path, { token: ana, body: padded(bytes), headers: { ...headers } });
      expect([path, (await post(most)).status]).not.toEqual([path, 413]);
      expect([path, (await post(most + 1)).status]).toEqual([path, 413]);
    }
  });

  test("whoever has not signed in has a few hundred bytes and a few values, and no more is looked at", async () => {
    const login = (body: string) =>
      shared.hub.request("POST", "/login", {
        body,
        headers: { origin: shared.hub.url, "content-type": "application/json" },
      });
    const many = `{${Array.from({ length: 49_000 }, (_, n) => `"${"k".repeat(75)}${n}":1`).join()}}`;
    expect((await login(many)).body).toEqual({ code: "BODY_TOO_LARGE", error: SENTENCE });
    expect((await login(`{${'"a":1,'.repeat(20)}"code":"x"}`)).body).toEqual({ code: "INVALID_JSON", error: SENTENCE });
    expect((await login(JSON.stringify({ code: "x".repeat(200) }))).status).toBe(401);
    // No credential, no body: not even one that is far too large is waited for.
    using connection = await RawConnection.open(shared.hub.url);
    connection.send(opened("Content-Length: 4194304\r\n").replace(ana, "nobody"));
    expect((await connection.answer()).status).toBe(401);
  });

  test("whoever sends far too much is answered at once, nothing more of it is read, and the connection ends", async () => {
    for (const lines of ["Transfer-Encoding: chunked\r\n", `Content-Length: ${64 * MIB}\r\n`]) {
      using connection = await RawConnection.open(shared.hub.url);
      connection.send(opened(lines));
      const part = "x".repeat(MIB);
      const chunk = lines.startsWith("Transfer") ? `${MIB.toString(16)}\r\n${part}\r\n` : part;
      let left = 0;
      const count = (error?: Error | null): void => {
        if (!error) left += 1;
      };
      for (let n = 0; n < 64; n++) connection.socket.write(chunk, count);
      const { headers, json } = await connection.answer();
      expect([headers.connection, json.code]).toEqual(["close", "BODY_TOO_LARGE"]);
      await connection.closed;
      // Both kernels hold a few megabytes of what was sent; the rest has never left.
      expect(left).toBeLessThan(32);
    }
  });

  test("whoever sends a little too much may go on on the same connection", async () => {
    using connection = await RawConnection.open(shared.hub.url);
    const small = opened(`Content-Length: ${40 * 1024}\r\n`).replace("chat_human_post", "chat_read_since");
    connection.send(small + "x".repeat(40 * 1024));
    expect((await connection.answer()).json.code).toBe("BODY_TOO_LARGE");
    connection.send(`${opened("Content-Length: 19\r\n")}{"content":"after"}`);
    expect((await connection.answer()).status).toBe(200);
  });

  test("fetch gets to read the refusal of a body that is far too large", async () => {
    const { status, body } = await shared.hub.request("POST", POST, { token: ana, body: "x".repeat(16 * MIB) });
    expect([status, body.code]).toEqual([413, "BODY_TOO_LARGE"]);
  });

  test("a body in another encoding, or compressed, is refused instead of being stored garbled", async () => {
    const known = await head();
    const latin1 = Buffer.from('{"content":"caf\xe9"}', "latin1");
    const holding = (...bytes: number[]): Buffer =>
      Buffer.concat([Buffer.from('{"content":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const [half, surrogate, overlong] = [holding(0xc3), holding(0xed, 0xa0, 0xbd), holding(0xc0, 0x80)];
    for (const bytes of [latin1, half, surrogate, overlong, Buffer.from([0xff, 0xfe, 0x7b, 0])]) {
      const { status, body } = await send(bytes);
      expect([status, body]).toEqual([400, { code: "INVALID_TEXT", error: SENTENCE }]);
    }
    for (const text of ['{"content":"x"}', "{}"])
      expect((await send(Buffer.from(text, "utf16le"))).body.code).toBe("INVALID_JSON");
    for (const encoding of ["gzip", "br", "deflate", "utf-8", "identity, gzip"]) {
      const { status, body } = await send('{"content":"x"}', { "content-encoding": encoding });
      expect([status, body]).toEqual([415, { code: "UNSUPPORTED_MEDIA_TYPE", error: SENTENCE }]);
    }
    expect(await head()).toEqual(known);
    expect((await send('{"content":"x"}', { "content-encoding": "Identity" })).status).toBe(200);
  });

  test("arguments nested deeper than 32 levels are refused, also over MCP", async () => {
    const nested = (levels: number): unknown => (levels === 0 ? "x" : [nested(levels - 1)]);
    const args = { content: nested(40) };
    expect((await send(JSON.stringify(args))).body).toEqual({ code: "INVALID_TEXT", error: SENTENCE });
    const bridge = { server: "chat", tool: "chat_human_post", arguments: args };
    const { body } = await shared.hub.request("POST", "/api/mcp/call", { token: ana, body: JSON.stringify(bridge) });
    expect(body.code).toBe("INVALID_TEXT");
  });

  test("a body full of little values is refused unparsed: looking at each of them would keep everybody waiting", async () => {
    const wide = [
      `{"content":[${"0,".repeat(2_000_000)}0]}`,
      `{"content":[${"{},".repeat(1_300_000)}0]}`,
      `{${Array.from({ length: 280_000 }, (_, n) => `"k${n}":1`).join()}}`,
    ];
    for (const body of wide) {
      const { status, body: told } = await send(body);
      expect([status, told]).toEqual([400, { code: "INVALID_JSON", error: "The body holds more than 104 values." }]);
    }
  });

  test("fields that are unknown are named, but never repeated at length", async () => {
    const { body } = await send(JSON.stringify({ content: "x", ["k".repeat(MIB)]: 1, [`__proto__`]: 1 }));
    expect(body.code).toBe("INVALID_ARGUMENT");
    expect(body.error).toContain("kkkk");
    expect(body.error.length).toBeLessThan(400);
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`a_field_with_a_long_name_${n}`, 1]));
    const told = (await send(JSON.stringify({ content: "x", ...many }))).body;
    expect([told.code, told.error.length < 400]).toEqual(["INVALID_ARGUMENT", true]);
  });

  test("an empty body means no arguments", async () => {
    for (const body of ["", "  \n", "null"]) {
      const answer = await shared.hub.request("POST", "/api/tools/whoami", { token: ana, body });
      expect([body, answer.status]).toEqual([body, 200]);
    }
  });

  test("a body that trickles in is waited for, while others are served", async () => {
    using slow = await RawConnection.open(shared.hub.url);
    slow.send(opened("Content-Length: 18\r\n"));
    for (const letter of '{"content":"slow"}') {
      slow.send(letter);
      expect((await shared.hub.request("GET", "/livez")).status).toBe(200);
    }
    expect((await slow.answer()).status).toBe(200);
  });
}, LARGE_BODIES);

test("what a tool takes at most is read from its arguments, with room for escapes and for what is to be named", () => {
  const tool = (input: z.ZodObject) => limitOfTool(defineTool({ ...NAMED, input, output: z.object({}) }));
  const none = tool(z.object({}));
  expect(none).toEqual({ bytes: 8192, values: 101 });
  const text = tool(z.object({ subject: z.string().max(1000) }));
  const escaped = JSON.stringify({ subject: "\u0001".repeat(1000), idempotency_key: "\u0001".repeat(200) });
  expect(text.bytes).toBeGreaterThan(Buffer.byteLength(escaped));
  expect(text.bytes).toBeLessThan(2 * Buffer.byteLength(escaped) + none.bytes);
  expect(tool(z.object({ ids: z.array(z.string().max(10)).max(50) })).values).toBe(none.values + 51);
  // Its bytes are counted where it is stored.
  expect(tool(z.object({ content: z.string() })).bytes).toBe(MOST_BODY_BYTES);
});

test("what a tool takes as it comes, an object of any fields or anything, has the room that the longest text has", () => {
  for (const any of [z.record(z.string(), z.unknown()), z.unknown()]) {
    const { bytes, values } = limitOfTool(
      defineTool({ ...NAMED, input: z.object({ arguments: any }), output: z.object({}) }),
    );
    expect(bytes).toBe(MOST_BODY_BYTES);
    expect(values).toBeGreaterThan(1000);
  }
});

test("every JSON that is small enough passes the look at its shape, whatever its strings hold", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 30 }), (value) => {
      checkShape(JSON.stringify(value), 50_000);
      checkShape(JSON.stringify(value, null, 2), 50_000);
    }),
  );
});

test("a key that is there twice in one object is refused, however it is spelled and as deep as it is", () => {
  const twice = ['{"a":1,"a":2}', '{ "a" : 1 , "\\u0061" : 2 }', '[{"b":[{"a":{},"c":"a","a":[]}]}]', '{"":1,"":1}'];
  for (const text of twice) expect(() => checkShape(text, 100), text).toThrow("twice in one object");
  const once = ['{"a":{"a":1},"b":[{"a":1},{"a":"a"}],"A":"a"}', '{"__proto__":1,"constructor":2}', '{"a\\"":1,"a":2}'];
  for (const text of once) expect(() => checkShape(text, 100), text).not.toThrow();
  expect(() => checkShape('{"\\x":1}', 100)).toThrow("not JSON");
});

test("brackets in strings are no nesting, and escaped quotation marks end no string", () => {
  const strings = ["[".repeat(1000), '"['.repeat(1000), '\\"['.repeat(1000), `${"\\".repeat(99)}"[`.repeat(100), "\\"];
  for (const text of strings) expect(() => checkShape(JSON.stringify([text, text]), 3)).not.toThrow();
  const depth = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(() => checkShape(depth(64), 100)).not.toThrow();
  expect(() => checkShape(depth(65), 100)).toThrow("64 levels");
  expect(() => checkShape(`["\\\\",${depth(64)}]`, 100)).toThrow("64 levels");
  expect(() => checkShape(`[${"1,".repeat(99)}1]`, 100)).not.toThrow();
  expect(() => checkShape(`[${"1,".repeat(100)}1]`, 100)).toThrow("100 values");
});
