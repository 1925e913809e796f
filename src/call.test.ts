import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ownWork } from "./own-work.ts";
import { eachDatabase, type TestHub } from "./testing/hub.ts";
import { legacy, modern, Raw } from "./testing/mcp-raw.ts";
import { until } from "./testing/process.ts";
import { onSharedHub } from "./testing/shared-hub.ts";
import { stopTime } from "./testing/stopwatch.ts";

/** Tools of the workspace assume no space. */
const IN_MAIN = { "x-session-id": "main" };
const SENTENCE = expect.stringMatching(/^\S.*\.$/s);

describe("a call that is repeated", () => {
  eachDatabase((open) => {
    let hub: TestHub;
    let ana: string;
    beforeEach(async () => {
      hub = await open();
      ana = await hub.token("human", "ana");
    });

    const post = (token: string, args: object, key?: string, headers = {}) =>
      hub.call(token, "chat_human_post", args, { ...headers, ...(key !== undefined && { "idempotency-key": key }) });
    const said = async (agent?: string): Promise<string[]> =>
      (await hub.call(ana, "chat_read_since", { limit: 500, ...(agent && { agent }) })).body.messages.map(
        ({ content }: { content: string }) => content,
      );

    test("G3: the same key gives the first result and has one effect, in the header or among the arguments, also after a restart", async () => {
      const first = await post(ana, { content: "once" }, "k");
      const again = [
        await post(ana, { content: "once" }, "k"),
        await post(ana, { content: "once", idempotency_key: "k" }),
        await post(ana, { content: "once", idempotency_key: "k" }, "k"),
        await post(ana, { content: "once", mime: "text/markdown" }, "k"),
        await hub.call(ana, "chat.human.post", { content: "once", idempotency_key: "k" }),
      ];
      for (const { status, body } of again) expect([status, body]).toEqual([200, first.body]);
      await hub.stop();
      hub = await open({ same: hub });
      expect((await post(ana, { content: "once" }, "k")).body).toEqual(first.body);
      expect(await said()).toEqual(["once"]);
    });

    test("G3: over MCP and HTTP it is the same key", async () => {
      const raw = new Raw(hub.url, ana);
      const { body } = await raw.call("chat_human_post", { content: "once", idempotency_key: "k" });
      expect(body.result.structuredContent).toEqual((await post(ana, { content: "once" }, "k")).body);
      expect(await said()).toEqual(["once"]);
    });

    test("G3: the same key with other arguments is a conflict and changes nothing", async () => {
      await hub.token("agent", "scout");
      await post(ana, { content: "once" }, "k");
      for (const args of [
        { content: "twice" },
        { content: "once", mime: "text/plain" },
        { content: "once", agent: "scout" },
      ]) {
        const { status, body } = await post(ana, args, "k");
        expect([status, body]).toEqual([409, { code: "IDEMPOTENCY_CONFLICT", error: SENTENCE }]);
      }
      expect(await said()).toEqual(["once"]);
    });

    test("G3: many at once with one key have one effect and one result", async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => post(ana, { content: "once" }, "k")));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
      expect(await said()).toEqual(["once"]);
    });

    test("a key belongs to its principal, its space and its tool", async () => {
      const ben = await hub.token("human", "ben");
      const phone = await hub.token("human", "ana");
      await hub.call(hub.admin, "space_create", { id: "sess_two" });
      await hub.token("human", "ana", "sess_two");
      await post(ana, { content: "ana" }, "k");
      expect((await post(ben, { content: "ben" }, "k")).status).toBe(200);
      expect((await post(phone, { content: "ana" }, "k")).status).toBe(200);
      expect((await post(ana, { content: "there" }, "k", { "x-session-id": "sess_two" })).status).toBe(200);
      expect((await hub.call(ana, "chat_read_and_advance", {}, { "idempotency-key": "k" })).status).toBe(200);
      expect(await said()).toEqual(["ana", "ben"]);
    });

    test("the same words said for two agents are not the same call", async () => {
      const boss = await hub.token("orchestrator", "boss");
      await hub.token("agent", "scout");
      await hub.token("agent", "mason");
      const say = (agent: string) =>
        hub.call(boss, "chat_assistant_post", { content: "hi" }, { "x-caller-agent": agent, "idempotency-key": "k" });
      const first = await say("scout");
      expect((await say("scout")).body).toEqual(first.body);
      expect((await say("mason")).body.code).toBe("IDEMPOTENCY_CONFLICT");
      expect(await said("mason")).toEqual([]);
    });

    test("a call that failed leaves its key free", async () => {
      const failed = await post(ana, { content: "hi", agent: "scout" }, "k");
      expect(failed.body.code).toBe("AGENT_NOT_FOUND");
      await hub.token("agent", "scout");
      expect((await post(ana, { content: "hi", agent: "scout" }, "k")).status).toBe(200);
      expect((await post(ana, { content: "  " }, "k2")).body.code).toBe("INVALID_ARGUMENT");
      expect((await post(ana, { content: "hi" }, "k2")).status).toBe(200);
    });

    test("a read that moves a mark gives the same page again for the same key", async () => {
      await post(ana, { content: "one" });
      const key = { "idempotency-key": "k" };
      const first = await hub.call(ana, "chat_read_and_advance", {}, key);
      expect(first.body.messages).toHaveLength(1);
      expect((await hub.call(ana, "chat_read_and_advance", {}, key)).body).toEqual(first.body);
      expect((await hub.call(ana, "chat_read_and_advance")).body.messages).toEqual([]);
    });

    test("a key that is none, or two that differ, are refused, and nothing happens", async () => {
      const inside = ["", "x".repeat(201), 7, null, true, [], { key: "k" }];
      for (const idempotency_key of inside) {
        const { status, body } = await post(ana, { content: "x", idempotency_key });
        expect([idempotency_key, status, body]).toEqual([
          idempotency_key,
          400,
          { code: "INVALID_ARGUMENT", error: SENTENCE },
        ]);
      }
      for (const idempotency_key of ["k\0", "k\ud83d"])
        expect((await post(ana, { content: "x", idempotency_key })).body.code).toBe("INVALID_TEXT");
      for (const key of ["", "x".repeat(201)])
        expect((await post(ana, { content: "x" }, key)).body.code).toBe("INVALID_ARGUMENT");
      expect((await post(ana, { content: "x", idempotency_key: "a" }, "b")).body.code).toBe("INVALID_ARGUMENT");
      expect(await said()).toEqual([]);

      for (const key of ["語".repeat(200), "x".repeat(200), " "])
        expect((await post(ana, { content: "x", idempotency_key: key })).status).toBe(200);
    });

    test("a read takes no key", async () => {
      for (const tool of ["chat_read_since", "whoami", "agent_list"])
        for (const [args, headers] of [
          [{ idempotency_key: "k" }, {}],
          [{}, { "idempotency-key": "k" }],
        ] as const)
          expect((await hub.call(ana, tool, args, headers)).body).toEqual({
            code: "INVALID_ARGUMENT",
            error: `${tool} takes no idempotency key.`,
          });
    });
  });
});

describe("a call that does not fit", () => {
  onSharedHub((shared, database) => {
    let ana: string;
    let scout: string;
    beforeAll(async () => {
      ana = await shared.hub.token("human", "ana");
      scout = await shared.hub.token("agent", "scout");
    });

    /** Everything that any of the calls below could have changed. */
    const state = async (): Promise<unknown> => {
      const admin = shared.hub.admin;
      const lists = await Promise.all(
        ["token_list", "space_list", "agent_list"].map(async (tool) => (await shared.hub.call(admin, tool)).body),
      );
      return [...lists, (await shared.hub.call(admin, "chat_read_since", { limit: 500 })).body];
    };

    const WRONG = [7, -1, 1.5, true, [], {}, "\0", "x\ud800y", "", "x".repeat(5000), { a: { b: ["\udfff"] } }];
    const VALID: Record<string, object> = {
      agent_default: { name: "scout" },
      agent_register: { name: "newcomer" },
      chat_assistant_post: { content: "x" },
      chat_human_post: { content: "x" },
      space_delete: { id: "sess_none" },
      token_create: { role: "human", name: "eve" },
      token_revoke: { id: "t_0" },
      token_rotate: { id: "t_0" },
    };

    test("NUL and half of a surrogate pair are refused wherever they stand, at every door", async () => {
      const before = await state();
      for (const bad of ["\0", "\ud83d", "\udc00", "a\ud83d\ud83d"]) {
        const calls: object[] = [
          { content: `x${bad}` },
          { content: "x", mime: `text/${bad}` },
          { content: "x", agent: bad },
          { content: "x", [`field${bad}`]: 1 },
          { content: "x", idempotency_key: bad },
          { content: "x", deep: [[{ deeper: bad }]] },
        ];
        for (const args of calls) {
          const { status, body } = await shared.hub.call(ana, "chat_human_post", args);
          expect([status, body]).toEqual([400, { code: "INVALID_TEXT", error: SENTENCE }]);
          expect(body.error).not.toMatch(/[\0\ud800-\udfff]/);
        }
        const { body } = await new Raw(shared.hub.url, ana).call("chat_human_post", { content: bad });
        expect(body.result.isError).toBe(true);
        expect(JSON.parse(body.result.content[0].text)).toEqual({ code: "INVALID_TEXT", error: SENTENCE });
      }
      expect(await state()).toEqual(before);
    });

    test("text that only looks odd is taken and comes back as it is", async () => {
      const odd = [
        "\u202eabc",
        "\ufffe",
        "\u{1f468}\u200d\u{1f469}",
        "\u0001\u001b[31m",
        "\\u0000",
        "é vs e\u0301",
        "' or 1=1 --",
        "\r\n\ttext",
      ];
      for (const content of odd) {
        const { status, body } = await shared.hub.call(ana, "chat_human_post", { content });
        expect([content, status]).toEqual([content, 200]);
        const page = await shared.hub.call(ana, "chat_read_since", { after_id: String(Number(body.id) - 1), limit: 1 });
        expect(page.body.messages[0].content).toBe(content);
      }
    });

    test("whitespace of every alphabet is no content", async () => {
      const before = await state();
      for (const content of ["", " ", "\n\t\r", "\u00a0", "\u2003\u3000", "\ufeff"])
        expect((await shared.hub.call(ana, "chat_human_post", { content })).body).toEqual({
          code: "INVALID_ARGUMENT",
          error: "chat_human_post: content: there is nothing in it.",
        });
      expect(await state()).toEqual(before);
    });

    test("page sizes from 1 to 500 are taken, and no others", async () => {
      for (const tool of ["chat_read_since", "chat_read_and_advance"]) {
        for (const limit of [1, 500]) expect((await shared.hub.call(ana, tool, { limit })).status).toBe(200);
        for (const limit of [0, -1, 501, 1.5, 1e21, "5", null, [5], true]) {
          const { status, body } = await shared.hub.call(ana, tool, { limit });
          expect([limit, status, body]).toEqual([limit, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
        }
      }
    });

    test("an id is a string of digits that could have been given out, or it is refused", async () => {
      const malformed = ["", "0", "01", "-1", "+1", "1.0", "1e3", " 1", "0x1", "９", "1".repeat(17), "main", 17];
      for (const after_id of malformed) {
        const { status, body } = await shared.hub.call(ana, "chat_read_since", { after_id });
        expect([after_id, status, body]).toEqual([after_id, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
      }
      const { status } = await shared.hub.call(ana, "mail_read", { id: "9007199254740993" });
      expect(status).toBe(400);
    });

    test("what may be written in several ways is refused with what is wrong in the way that was meant", async () => {
      const refused = async (tool: string, args: object) => (await shared.hub.call(ana, tool, args)).body.error;
      expect(await refused("task_get", {})).toBe("task_get: task_id: it is missing.");
      expect(await refused("submit_answers", { answers: [{ answer: "x" }] })).toBe(
        "submit_answers: answers.0.question_id: it is missing.",
      );
      expect(await refused("submit_answers", { answers: { "17": 5 } })).toBe(
        "submit_answers: answers.17: it has to be a text, not 5.",
      );
    });

    test("a position that no id has reached is ahead of everything, whatever number it is", async () => {
      for (const tool of ["chat_read_since", "chat_read_and_advance", "timeline_read"])
        for (const after_id of ["9007199254740991", "9007199254740993", "9999999999999999"]) {
          const { status, body } = await shared.hub.call(ana, tool, { after_id, agent: "scout" });
          expect([tool, after_id, status, body.code]).toEqual([tool, after_id, 400, "WATERMARK_INVALID"]);
        }
    });

    test("a message of another inbox or another space is a position like any other: it shows nothing of theirs", async () => {
      const mason = await shared.hub.token("agent", "mason");
      await shared.hub.call(shared.hub.admin, "space_create", { id: "sess_other" });
      const there = { "x-session-id": "sess_other" };
      const far = (await shared.hub.call(shared.hub.admin, "chat_human_post", { content: "far" }, there)).body.id;
      const near = (await shared.hub.call(ana, "chat_human_post", { content: "for scout" })).body.id;
      const page = (await shared.hub.call(mason, "chat_read_since", { after_id: near })).body;
      expect(page.messages).toEqual([]);
      const own = (await shared.hub.call(scout, "chat_read_since", { after_id: far })).body;
      expect(JSON.stringify(own)).not.toContain('"far"');
    });

    // The rest is decided by what was sent, whichever database there is.
    if (database !== "sqlite") return;

    test("every field of every tool refuses what it is not, with a sentence and a code, and nothing changes", async () => {
      const before = await state();
      let refused = 0;
      for (const tool of shared.hub.hub.tools.all) {
        const token = tool.roles.includes("admin") ? shared.hub.admin : scout;
        const { properties = {} } = z.toJSONSchema(tool.input, { io: "input" });
        for (const field of [...Object.keys(properties), "unknown_field", "session"])
          for (const value of WRONG) {
            const args = { ...VALID[tool.name], [field]: value };
            if (tool.input.safeParse(args).success && !/[\0\ud800-\udfff]/.test(JSON.stringify(value))) continue;
            const { status, body } = await shared.hub.call(token, tool.name, args, IN_MAIN);
            expect([tool.name, args, status < 500 && status >= 400, body]).toEqual([
              tool.name,
              args,
              true,
              { code: expect.stringMatching(/^(INVALID_ARGUMENT|INVALID_TEXT)$/), error: SENTENCE },
            ]);
            refused += 1;
          }
      }
      expect(refused).toBeGreaterThan(200);
      expect(await state()).toEqual(before);
    });

    test("arguments that are no object are refused by every tool", async () => {
      for (const tool of shared.hub.hub.tools.all) {
        const token = tool.roles.includes("admin") ? shared.hub.admin : scout;
        for (const args of [[], [{}], "text", 7, true])
          expect([tool.name, (await shared.hub.call(token, tool.name, args, IN_MAIN)).body]).toEqual([
            tool.name,
            { code: "INVALID_ARGUMENT", error: SENTENCE },
          ]);
        const key = { ...IN_MAIN, "idempotency-key": `no-object-${tool.name}` };
        expect((await shared.hub.call(token, tool.name, [], key)).body.code).toBe("INVALID_ARGUMENT");
      }
    });
  });
});

describe("calls that come too fast", () => {
  eachDatabase((open) => {
    test("G17: are refused with 429 and a time to wait, for that principal alone, and nothing is written", async () => {
      const hub = await open({ config: { rate_limit: 1 } });
      stopTime();
      const { token: ana } = (await hub.call(hub.admin, "token_create", { role: "human", name: "ana" })).body;
      const { token: phone } = (await hub.call(hub.admin, "token_create", { role: "human", name: "ana" })).body;
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => hub.call(n % 2 ? ana : phone, "chat_human_post", { content: `m${n}` })),
      );
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(30);
      for (const { body, headers } of refused) {
        expect(body).toEqual({ code: "RATE_LIMITED", error: SENTENCE, retry_after: expect.any(Number) });
        expect(headers.get("retry-after")).toBe(String(body.retry_after));
        expect(body.retry_after).toBeGreaterThanOrEqual(1);
      }
      const { body } = await hub.call(hub.admin, "chat_read_since", { limit: 500 });
      expect(body.messages).toHaveLength(answers.filter(({ status }) => status === 200).length);
      const { body: told } = await new Raw(hub.url, ana).call("chat_human_post", { content: "x" });
      expect(JSON.parse(told.result.content[0].text)).toMatchObject({ code: "RATE_LIMITED", retry_after: 1 });
      expect(await hub.hub.metrics.registry.metrics()).toMatch(/parley_rate_limited_total [1-9]/);
    });

    test("a call whose reads keep the hub at work counts as many: it is answered, and the next one is told to wait", async () => {
      const hub = await open({ config: { rate_limit: 1 } });
      stopTime();
      const { token: ana } = (await hub.call(hub.admin, "token_create", { role: "human", name: "ana" })).body;
      const { token: ben } = (await hub.call(hub.admin, "token_create", { role: "human", name: "ben" })).body;
      const statuses = async (token: string) => [
        (await hub.call(token, "agent_list")).status,
        (await hub.call(token, "agent_list")).status,
      ];
      expect(await statuses(ana)).toEqual([200, 200]);
      const { database } = hub.hub;
      const all = database.all.bind(database);
      const slow = vi.spyOn(database, "all").mockImplementation((...args) => {
        for (const until = ownWork() + 20; ownWork() < until; );
        return all(...args);
      });
      expect(await statuses(ana)).toEqual([200, 429]);
      slow.mockRestore();
      expect(await statuses(ben)).toEqual([200, 200]);
    });

    test("G17: so are streams, lists, sessions and everything else that a credential opens", async () => {
      const hub = await open({ config: { rate_limit: 1 } });
      stopTime();
      const headers = {
        authorization: `Bearer ${hub.admin}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const codeOf = async (
        path: string,
        rpc?: { body: string; headers?: Record<string, string> },
      ): Promise<unknown> => {
        using stack = new DisposableStack();
        const leave = stack.adopt(new AbortController(), (controller) => controller.abort());
        const response = await fetch(hub.url + path, {
          signal: leave.signal,
          headers: { ...headers, ...rpc?.headers },
          ...(rpc && { method: "POST", body: rpc.body }),
        });
        if (!response.headers.get("content-type")?.startsWith("application/json")) return undefined;
        const { code, error } = JSON.parse(await response.text());
        return code ?? error?.data?.code;
      };
      const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
      const ways: Record<string, () => Promise<unknown>> = {
        events: () => codeOf("/events?topics=chat"),
        "HTTP+SSE": () => codeOf("/sse"),
        session: () => codeOf("/sessions/main"),
        metrics: () => codeOf("/metrics"),
        "tools/list": () => codeOf("/mcp", modern({ method: "tools/list" })),
        "resources/list": () => codeOf("/mcp", modern({ method: "resources/list" })),
        "resources/templates/list": () => codeOf("/mcp", modern({ method: "resources/templates/list" })),
        initialize: () => codeOf("/mcp", { body: legacy({ id: 0, method: "initialize", params: initialize }) }),
      };
      for (const [way, ask] of Object.entries(ways)) expect([way, await until(ask)]).toEqual([way, "RATE_LIMITED"]);
    });
  });
});
