import { describe, expect, test } from "vitest";
import type { Role } from "../context.ts";
import { eachDatabase } from "../testing/hub.ts";
import { clientsOn } from "../testing/mcp.ts";
import { Raw } from "../testing/mcp-raw.ts";

const LIST = { method: "tools/list" };

eachDatabase((open, database) => {
  test("what is listed depends on the role and the facet alone, in an order that never changes", async () => {
    const hub = await open();
    const listed = async (role: Role, name: string, path = "/mcp") => {
      const { body } = await new Raw(hub.url, await hub.token(role, name), "main").modern(LIST, path);
      return body.result.tools.map((tool: { name: string }) => tool.name);
    };
    const scout = await listed("agent", "scout");
    expect(scout).toEqual([...scout].sort());
    expect(await listed("agent", "mason")).toEqual(scout);
    expect(scout).toContain("chat_assistant_post");
    expect(scout).not.toContain("chat_human_post");
    const human = await listed("human", "ana");
    expect(human).toContain("chat_human_post");
    expect(human).not.toContain("chat_assistant_post");
    const chat = await listed("human", "ben", "/mcp/chat-human");
    expect(chat).toContain("chat_read_before");
    expect(chat).not.toContain("whoami");
    expect(human).not.toContain("chat_read_before");
    // The end of a turn is no person's to say.
    expect(await listed("human", "eva", "/mcp/loop")).toEqual(["policy_get", "policy_propose"]);
  });

  describe("an idempotency key", () => {
    const cases = clientsOn(database);
    test.each(cases)(
      "among the arguments lets %s repeat a call without repeating its effect",
      async (_kind, connect) => {
        const hub = await open();
        await hub.token("agent", "scout");
        await using ana = await connect({ url: hub.url, token: await hub.token("human", "ana") });
        const post = () => ana.call("chat_human_post", { content: "once", idempotency_key: "k1" });
        const [first, second] = [await post(), await post()];
        expect(second.structuredContent).toEqual(first.structuredContent);
        expect((await ana.read("ui://chat/inbox")).body.messages).toHaveLength(1);
      },
    );

    test("in the header means the same", async () => {
      const hub = await open();
      await hub.token("agent", "scout");
      const ana = new Raw(hub.url, await hub.token("human", "ana"));
      const session = await ana.session();
      const params = { name: "chat_human_post", arguments: { content: "once" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const headers = { "mcp-session-id": session, "idempotency-key": "k2" };
      const answers = [
        await ana.send("POST", "/mcp", { body, headers }),
        await ana.send("POST", "/mcp", { body, headers }),
      ];
      const [first, second] = answers.map((answer) => answer.body.result.structuredContent.id);
      expect(second).toBe(first);
    });
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("several facets list the tools of each, in whichever order they are named", async () => {
    const hub = await open();
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const names = async (path: string): Promise<string[]> =>
      (await ana.modern(LIST, path)).body.result.tools.map(({ name }: { name: string }) => name);
    const both = await names("/mcp/chat-human+mail");
    expect(both).toEqual([...(await names("/mcp/chat-human")), ...(await names("/mcp/mail"))].sort());
    expect(await names("/mcp/mail+chat-human+mail")).toEqual(both);
    expect((await ana.modern(LIST, "/mcp/mail+nothing")).body.error.data.code).toBe("UNKNOWN_SERVER");
    expect((await ana.modern(LIST, "/mcp/mail+")).body.error.data.code).toBe("UNKNOWN_SERVER");
  });

  test("what the role may do can be called and read at every address, listed there or not", async () => {
    const hub = await open();
    await hub.token("agent", "scout");
    const ana = new Raw(hub.url, await hub.token("human", "ana"), "main");
    const post = { method: "tools/call", params: { name: "chat_human_post", arguments: { content: "hello" } } };
    const inbox = { method: "resources/read", params: { uri: "ui://chat/inbox" } };
    for (const path of ["/mcp", "/mcp/mail", "/mcp/workspace+tasks"]) {
      expect((await ana.modern(post, path)).body.result.structuredContent).toHaveProperty("id");
      expect((await ana.modern(inbox, path)).body.result.contents).toHaveLength(1);
      const session = await ana.session(path);
      const { body } = await ana.legacy(session, { id: 1, ...post }, path);
      expect(body.result.structuredContent).toHaveProperty("id");
    }
  });

  test("to a trigger, which has taken what it waits for by reading it, looking at a task is not read-only", async () => {
    const hub = await open();
    const NAMES = { trigger: "gmail", worker: "mason", human: "ana" };
    const hint = async (role: keyof typeof NAMES) => {
      const { body } = await new Raw(hub.url, await hub.token(role, NAMES[role])).modern(LIST, "/mcp/tasks");
      const found = body.result.tools.find(({ name }: { name: string }) => name === "task_get");
      return found?.annotations.readOnlyHint;
    };
    expect([await hint("trigger"), await hint("worker"), await hint("human")]).toEqual([false, true, true]);
  });

  test("a tool says what it takes, what it gives and whether it changes anything", async () => {
    const hub = await open();
    const { body } = await new Raw(hub.url, await hub.token("human", "ana")).modern(LIST);
    const tool = (name: string) => body.result.tools.find((one: { name: string }) => one.name === name);
    expect(tool("chat_read_since").annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(tool("chat_human_post").annotations).toEqual({ readOnlyHint: false, openWorldHint: false });
    expect(tool("chat_human_post").inputSchema).toMatchObject({
      type: "object",
      properties: { content: { type: "string" }, idempotency_key: { type: "string" } },
      required: ["content"],
      additionalProperties: false,
    });
    expect(tool("chat_read_since").inputSchema.properties.idempotency_key).toBeUndefined();
    expect(tool("chat_read_since").outputSchema.properties).toMatchObject({
      messages: { type: "array" },
      last_id: {},
    });
    for (const { outputSchema, inputSchema, description, title } of body.result.tools) {
      expect([inputSchema.type, outputSchema.type]).toEqual(["object", "object"]);
      expect([inputSchema.$schema, outputSchema.$schema]).toEqual([undefined, undefined]);
      expect(description.length).toBeGreaterThan(20);
      expect(title).toMatch(/\w/);
    }
  });

  test("what is read or listed is nobody else's to cache", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    const asked = [
      { method: "resources/read", params: { uri: "ui://chat/inbox" } },
      { method: "resources/list" },
      { method: "resources/templates/list" },
      { method: "server/discover" },
      LIST,
    ];
    for (const rpc of asked)
      expect((await scout.modern(rpc)).body.result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  });

  test("a cursor that nobody gave is refused", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    const { body } = await scout.modern({ method: "tools/list", params: { cursor: "x" } });
    expect(body.error).toMatchObject({ code: -32602, data: { code: "INVALID_ARGUMENT" } });
  });
});
