import { expect, test } from "vitest";
import { Consumer } from "../testing/agent-runtime.ts";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, textsOf, YIELD } from "../testing/model.ts";
import { openAgentHub, portOf, Running, WAYS } from "../testing/running-agent.ts";
import { BOUGHT, MountedShop } from "../testing/shop.ts";
import type { ToolResult } from "./toolset.ts";

const TEA = { what: "tea" };

eachDatabase((open) => {
  async function openShop(way: (typeof WAYS)[number] = "in process") {
    const opened = await openAgentHub(open, way);
    const { hub, ana, start, items } = opened;
    const ben = await hub.token("human", "ben");
    const [shop, model] = [new MountedShop(), new Model()];
    const begin = async () => {
      const running = await start(model, { around: shop.around });
      await expect.poll(async () => (await opened.status()).lifecycle).toBe("ready");
      return running;
    };
    const rule = async (decision: string) => {
      const { body } = await hub.call(ana, "policy_get");
      const document = { rules: [{ tool: "shop_buy", decision, reason: "no shopping" }] };
      await hub.call(ana, "policy_set", { document, expected_version: body.version });
    };
    /** As a person does with curl. */
    const bridge = (body: object = {}, { token = ana, key }: { token?: string; key?: string } = {}) =>
      hub.request("POST", "/api/mcp/call", {
        token,
        body: JSON.stringify({ agent: "scout", server: "shop", tool: "buy", arguments: TEA, ...body }),
        headers: key === undefined ? {} : { "idempotency-key": key },
      });
    const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
    const pending = async () => {
      await expect.poll(async () => (await asked())[0]?.state).toBe("pending");
      return (await asked())[0];
    };
    const decide = async (decision: string, { token = ben, ...more }: { token?: string; reason?: string } = {}) => {
      const { id, digest } = await pending();
      return hub.call(token, "approval_decide", { id, digest, decision, ...more });
    };
    const tools = async () => (await items()).filter(({ kind }: { kind: string }) => kind === "Tool");
    return { ...opened, ben, shop, model, begin, rule, bridge, asked, pending, decide, tools };
  }

  for (const way of WAYS)
    test(`HTTP-6: what the policy allows of an agent's server is run over the bridge, once, with the runtime ${way}`, async () => {
      const { begin, rule, bridge, shop, asked, tools, model } = await openShop(way);
      await rule("allow");
      await using _ = await begin();
      const { status, body } = await bridge();
      expect([status, body]).toMatchObject([
        200,
        {
          ok: true,
          result: { state: "completed", agent: "scout", server: "shop", tool: "buy", output: BOUGHT.output },
        },
      ]);
      expect(shop.bought).toEqual([TEA]);
      expect(await asked()).toMatchObject([
        {
          id: body.result.approval_id,
          called_by: "ana",
          agent: "scout",
          server: "shop",
          mount: "m1",
          tool: "shop_buy",
        },
      ]);
      expect(await tools()).toMatchObject([
        { tool: "shop_buy", called_by: "ana", outcome: "done", output: BOUGHT.output, turn_id: null },
      ]);
      expect(model.requests).toEqual([]);
    });

  test("HTTP-6: what the policy asks about waits for somebody else, on a card that says who called it", async () => {
    const { hub, ana, ben, begin, bridge, pending, decide, shop, tools, status } = await openShop();
    await using _ = await begin();
    const answered = bridge();
    const { id, digest } = await pending();
    const { needs } = (await hub.call(ben, "need_list")).body;
    expect(needs).toMatchObject([
      { id, digest, from: "ana", agents: ["scout"], choices: ["approve", "deny_continue"] },
    ]);
    expect(needs[0].title).toBe("ana asks: may shop_buy of scout be used?");
    expect(needs[0].text).toContain("ana called it over the bridge, and not scout");
    expect(await tools()).toMatchObject([{ called_by: "ana", outcome: null, approval: { id, state: "pending" } }]);
    // The agent itself waits for nothing.
    expect((await status()).run_phase).toBe("idle");
    const own = await decide("approve", { token: ana });
    expect([own.status, own.body]).toMatchObject([403, { code: "FORBIDDEN" }]);
    expect(shop.bought).toEqual([]);
    expect((await decide("approve")).status).toBe(200);
    expect((await answered).body).toMatchObject({ ok: true, result: { approval_id: id, output: BOUGHT.output } });
    expect([shop.bought, (await status()).turn]).toEqual([[TEA], null]);
    const { body } = await hub.call(ana, "approval_get", { id });
    expect(body).toMatchObject({ state: "completed", decided_by: "ben", called_by: "ana", output: BOUGHT.output });
  });

  test("HTTP-6: who called it may deny it themselves, which takes it back", async () => {
    const { ana, begin, bridge, decide, shop, tools } = await openShop();
    await using _ = await begin();
    const answered = bridge();
    expect((await decide("deny_continue", { token: ana, reason: "a slip" })).status).toBe(200);
    const { status, body } = await answered;
    expect([status, body]).toMatchObject([403, { code: "CALL_DENIED", error: "ana denied it: a slip" }]);
    expect([shop.bought, await tools()]).toMatchObject([[], [{ outcome: "denied", output: "ana denied it: a slip" }]]);
  });

  test("HTTP-6: the only person of a space approves what they called themselves", async () => {
    const hub = await open();
    const scout = await hub.token("agent", "scout");
    const shop = new MountedShop();
    const port = await portOf(hub, scout, "in process");
    await using _ = new Running({ port, driver: new Model(), around: shop.around });
    await expect
      .poll(async () => (await hub.call(hub.admin, "agent_status", { agent: "scout" })).body.lifecycle)
      .toBe("ready");
    const what = { agent: "scout", server: "shop", tool: "shop_buy", arguments: TEA, key: "1", wait_seconds: 0 };
    await hub.call(hub.admin, "agent_call", what);
    const first = async () => (await hub.call(hub.admin, "approval_list")).body.approvals[0];
    await expect.poll(async () => (await first())?.state).toBe("pending");
    const { id, digest } = await first();
    const decided = await hub.call(hub.admin, "approval_decide", { id, digest, decision: "approve" });
    expect(decided.status).toBe(200);
    const { body } = await hub.call(hub.admin, "agent_call", { ...what, wait_seconds: 50 });
    expect(body).toMatchObject({ state: "completed", approval_id: id, output: BOUGHT.output });
    expect(shop.bought).toEqual([TEA]);
  });

  test("HTTP-6: what the policy or a person denies is refused with a sentence and both codes, and not run", async () => {
    const { begin, rule, bridge, decide, shop, asked, tools } = await openShop();
    await using _ = await begin();
    for (const [decision, policy_code] of [["deny_continue", -32951] as const, ["deny_abort", -32950] as const]) {
      await rule(decision);
      const { status, body } = await bridge();
      const facts = { code: "CALL_DENIED", policy_code, outcome: `policy_${decision}`, decided_by: "policy" };
      expect([status, body]).toMatchObject([403, { ...facts, error: "The policy denies it: no shopping" }]);
    }
    await rule("ask");
    const answered = bridge();
    await decide("deny_continue", { reason: "We have tea." });
    const { status, body } = await answered;
    expect([status, body]).toMatchObject([403, { code: "CALL_DENIED", error: "ben denied it: We have tea." }]);
    expect([shop.bought, (await asked()).length]).toEqual([[], 3]);
    expect(await tools()).toMatchObject([{ outcome: "denied" }, { outcome: "denied" }, { outcome: "denied" }]);
  });

  test("HTTP-6: a tool that fails is told as that, with what it said", async () => {
    const { begin, rule, bridge, shop, asked, tools } = await openShop();
    await rule("allow");
    shop.answer = async () => ({ outcome: "failed", output: "The till is closed." });
    await using _ = await begin();
    const { status, body } = await bridge();
    expect([status, body]).toMatchObject([502, { code: "TOOL_FAILED", output: "The till is closed." }]);
    expect(await asked()).toMatchObject([{ state: "failed" }]);
    expect(await tools()).toMatchObject([{ outcome: "failed", output: "The till is closed." }]);
  });

  test("HTTP-6: what is not there is refused in a fitting way, and nothing is run or asked", async () => {
    const { hub, scout, begin, bridge, shop, asked, tools } = await openShop();
    await hub.token("agent", "mason");
    await using _ = await begin();
    const said = async (body: object, token?: string) => {
      const { status, body: answered } = await bridge(body, token === undefined ? {} : { token });
      expect(answered.error).toMatch(/\.$/);
      return [status, answered.code];
    };
    expect(await said({ server: "bank" })).toEqual([404, "UNKNOWN_SERVER"]);
    expect(await said({ tool: "steal" })).toEqual([404, "UNKNOWN_TOOL"]);
    expect(await said({ arguments: { what: 7 } })).toEqual([400, "INVALID_ARGUMENT"]);
    expect(await said({ arguments: {} })).toEqual([400, "INVALID_ARGUMENT"]);
    expect(await said({ arguments: { what: "tea", at: 2 ** 53 } })).toEqual([400, "INVALID_ARGUMENT"]);
    expect(await said({ arguments: [] })).toEqual([400, "INVALID_ARGUMENT"]);
    expect(await said({ agent: "nobody" })).toEqual([404, "AGENT_NOT_FOUND"]);
    expect(await said({ agent: "mason" })).toEqual([503, "RUNTIME_AWAY"]);
    expect(await said({}, scout)).toEqual([403, "FORBIDDEN"]);
    for (const server of ["parley", "chat", "mail", "chat-human", "approvals", "resources"])
      expect(await said({ server, tool: "chat_human_post" })).toEqual([404, "UNKNOWN_SERVER"]);
    expect([shop.bought, await asked(), await tools()]).toEqual([[], [], []]);
  });

  test("POLICY-19: what is called over the bridge is asked about and run with all its keys, whatever they are called", async () => {
    const { begin, rule, bridge, shop, asked } = await openShop();
    await rule("allow");
    await using _ = await begin();
    const odd = JSON.parse('{"what": "tea", "constructor": 1, "__proto__": {"admin": true}}');
    expect((await bridge({ arguments: odd })).status).toBe(200);
    const [{ arguments: shown }] = await asked();
    expect([JSON.stringify(shown), JSON.stringify(shop.bought)]).toEqual([
      '{"__proto__":{"admin":true},"constructor":1,"what":"tea"}',
      '[{"__proto__":{"admin":true},"constructor":1,"what":"tea"}]',
    ]);
  });

  test("HTTP-6: a server that is not there is named as that, and so is an agent whose tools are off", async () => {
    const { hub, ana, begin, bridge, shop } = await openShop();
    shop.broken = "no such program";
    await using _ = await begin();
    const { status, body } = await bridge();
    expect([status, body.code]).toEqual([503, "SERVER_AWAY"]);
    expect(body.error).toContain("no such program");
    await hub.call(ana, "agent_tools", { agent: "scout", on: false });
    const off = await bridge();
    expect([off.status, off.body.code]).toEqual([409, "CONFLICT"]);
    expect(shop.bought).toEqual([]);
  });

  test("HTTP-6: posting to the chat over the bridge asks no policy", async () => {
    const { hub, ana, asked } = await openShop();
    const { body: policy } = await hub.call(ana, "policy_get");
    const document = { rules: [{ tool: "*", decision: "deny_abort" }], default: "deny_abort" };
    await hub.call(ana, "policy_set", { document, expected_version: policy.version });
    const body = JSON.stringify({
      server: "ui",
      tool: "chat.human.post",
      arguments: { content: "hello", agent: "scout" },
    });
    const posted = await hub.request("POST", "/api/mcp/call", { token: ana, body });
    expect([posted.status, posted.body]).toMatchObject([200, { ok: true, result: { id: expect.any(String) } }]);
    expect(await asked()).toEqual([]);
  });

  test("HTTP-6: what takes longer than the request is answered 202 with its approval, and the same key gives the result", async () => {
    const { begin, bridge, pending, decide, shop } = await openShop();
    await using _ = await begin();
    await bridge({ wait_seconds: 0 }, { key: "k1" });
    const { id } = await pending();
    const waiting = await bridge({ wait_seconds: 0 }, { key: "k1" });
    const result = { state: "pending", approval_id: id, says: "It waits for a person to decide.", output: null };
    expect([waiting.status, waiting.body]).toMatchObject([202, { ok: true, waiting: true, result }]);
    const [first, second] = [bridge({}, { key: "k1" }), bridge({}, { key: "k1" })];
    await decide("approve");
    for (const { status, body } of [await first, await second])
      expect([status, body.result]).toMatchObject([200, { approval_id: id, output: BOUGHT.output }]);
    const other = await bridge({ arguments: { what: "milk" } }, { key: "k1" });
    expect([other.status, other.body.code]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
    expect(shop.bought).toEqual([TEA]);
  });

  test("HTTP-6: what the model is told of a turn has nothing of what people called beside it", async () => {
    const { begin, rule, bridge, tell, model, ends, items } = await openShop();
    await rule("allow");
    await using _ = await begin();
    await tell("go");
    await expect.poll(() => model.requests.length).toBe(1);
    expect((await bridge()).status).toBe(200);
    model.answers(call("read_notes"));
    await expect.poll(() => model.requests.length).toBe(2);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    await tell("and now?");
    await expect.poll(() => model.requests.length).toBe(3);
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain("shop_buy");
    expect(textsOf(model.requests[2]?.messages ?? [])).toEqual(["go", "and now?"]);
    const called = (await items()).filter(({ called_by }: { called_by?: string }) => called_by === "ana");
    expect(called).toMatchObject([{ tool: "shop_buy", outcome: "done" }]);
  });

  test("HTTP-6 and POLICY-5: what waits outlives its runtime and is run once by the next, which tells no model of it", async () => {
    const { begin, bridge, pending, decide, shop, asked, tell, model } = await openShop();
    const first = await begin();
    const answered = bridge();
    await pending();
    await first.stop();
    await using _ = await begin();
    await decide("approve");
    expect((await answered).body).toMatchObject({ ok: true, result: { output: BOUGHT.output } });
    expect([shop.bought, await asked()]).toMatchObject([[TEA], [{ state: "completed" }]]);
    await tell("and now?");
    await expect.poll(() => model.requests.length).toBe(1);
    expect(textsOf(model.requests[0]?.messages ?? [])).toEqual(["and now?"]);
  });

  test("HTTP-6 and POLICY-5: what was being run when its runtime was replaced is unknown, and never run again", async () => {
    const { begin, rule, bridge, shop, asked, tools } = await openShop();
    await rule("allow");
    const never = Promise.withResolvers<ToolResult>();
    shop.answer = () => never.promise;
    await using _first = await begin();
    const answered = bridge({}, { key: "k1" });
    await expect.poll(() => shop.bought.length).toBe(1);
    await using _second = await begin();
    const { status, body } = await answered;
    expect([status, body]).toMatchObject([502, { code: "CALL_UNKNOWN", state: "unknown" }]);
    never.resolve(BOUGHT);
    expect((await bridge({}, { key: "k1" })).body.code).toBe("CALL_UNKNOWN");
    expect(await asked()).toMatchObject([{ state: "unknown" }]);
    expect(await tools()).toMatchObject([{ outcome: "interrupted" }]);
    expect(shop.bought).toHaveLength(1);
  });

  test("HTTP-6: another server that was mounted in its place meanwhile does not get what was approved", async () => {
    const { begin, bridge, pending, decide, shop } = await openShop();
    const first = await begin();
    const answered = bridge();
    await pending();
    await first.stop();
    shop.fingerprint = "m2";
    await using _ = await begin();
    await decide("approve");
    expect((await answered).body).toMatchObject({
      code: "TOOL_FAILED",
      output: expect.stringContaining("SERVER_CHANGED"),
    });
    expect(shop.bought).toEqual([]);
  });

  test("event_why goes from what was called back to who called it", async () => {
    const { hub, ana, begin, rule, bridge, tools } = await openShop();
    await rule("allow");
    await using _ = await begin();
    const { result } = (await bridge()).body;
    const [{ id }] = await tools();
    for (const made of [id, result.approval_id]) {
      const { body } = await hub.call(ana, "event_why", { id: made });
      expect(JSON.stringify(body)).toContain('"text":"buy of shop"');
    }
    const { body } = await hub.call(ana, "event_why", { id: result.id });
    expect(JSON.stringify(body)).toContain('"by":"ana"');
  });

  test("HTTP-6: what no runtime takes in half a minute is never run, not even when one would take it later", async () => {
    const hub = await open({ now: Date.parse("2027-03-01T08:00:00Z") });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    // It hears of nothing that people call, as a runtime of before.
    const runtime = new Consumer(hub, scout);
    await runtime.start();
    const what = { agent: "scout", server: "shop", tool: "buy", arguments: TEA, key: "k1", wait_seconds: 0 };
    const { id, ...waiting } = (await hub.call(ana, "agent_call", what)).body;
    expect(waiting).toMatchObject({ state: "waiting", approval_id: null, output: null });
    const { fence } = runtime;
    const next = () => hub.call(scout, "runtime_next", { fence, after_id: null, heard: { calls: [] } });
    expect([(await runtime.next()).calls, (await next()).body.calls]).toEqual([
      [],
      [{ id, server: "shop", tool: "buy" }],
    ]);
    await hub.tick(31_000);
    const found = { tool: "shop_buy", mount: "m1", input_schema: {} };
    expect((await next()).body.calls).toEqual([]);
    const taken = await hub.call(scout, "runtime_take", { fence, id, holder: "runtime 1", found });
    expect([taken.status, taken.body]).toEqual([200, { requested: null }]);
    const late = await hub.call(ana, "agent_call", what);
    expect([late.status, late.body.code]).toEqual([503, "RUNTIME_AWAY"]);
    expect((await hub.call(ana, "approval_list")).body.approvals).toEqual([]);
  });

  test("HTTP-6: who called what is never what a runtime says, and of another's calls it takes none", async () => {
    const hub = await open();
    const [ana, scout, mason] = [
      await hub.token("human", "ana"),
      await hub.token("agent", "scout"),
      await hub.token("agent", "mason"),
    ];
    const [own, other] = [new Consumer(hub, scout), new Consumer(hub, mason)];
    await own.start();
    await other.start();
    const what = { agent: "scout", server: "shop", tool: "buy", arguments: TEA, key: "k1", wait_seconds: 0 };
    const { id } = (await hub.call(ana, "agent_call", what)).body;
    const found = { tool: "shop_buy", mount: "m1", input_schema: {} };
    const foreign = await hub.call(mason, "runtime_take", { fence: other.fence, id, holder: "x", found });
    expect([foreign.status, foreign.body.code]).toEqual([404, "NOT_FOUND"]);
    const asked = { key: "1", call_id: "1", server: "shop", tool: "shop_buy", arguments: TEA, called_by: "ana" };
    expect((await hub.call(scout, "approval_request", asked)).status).toBe(400);
    const taken = await hub.call(scout, "runtime_take", { fence: own.fence, id, holder: "x", found });
    expect(taken.body.requested).toMatchObject({ state: "pending", called_by: "ana", arguments: TEA });
    const again = await hub.call(scout, "runtime_take", { fence: own.fence, id, holder: "x", found });
    expect(again.body).toEqual(taken.body);
  });

  /** A runtime that has yet to take what ana called, of a tool of this schema. */
  async function openWaiting(input_schema: object = {}) {
    const hub = await open();
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const consumer = new Consumer(hub, scout);
    await consumer.start();
    const what = { agent: "scout", server: "shop", tool: "buy", arguments: TEA, key: "k1", wait_seconds: 0 };
    const called = () => hub.call(ana, "agent_call", what);
    const { id } = (await called()).body;
    const found = { tool: "shop_buy", mount: "m1", input_schema };
    const take = async () =>
      (await hub.call(scout, "runtime_take", { fence: consumer.fence, id, holder: "x", found })).body.requested;
    /** As if it were the agent's own call. */
    const ask = (key: string) => {
      const asked = { key, call_id: `called:${id}`, server: "shop", mount: "m1", tool: "shop_buy", arguments: TEA };
      return hub.call(scout, "approval_request", asked);
    };
    return { hub, ana, scout, id, called, take, ask };
  }

  test("HTTP-6: an agent cannot take back what a person called", async () => {
    const { hub, scout, called, take } = await openWaiting();
    const { id } = await take();
    const { status, body } = await hub.call(scout, "approval_withdraw", { id });
    expect([status, body.error]).toEqual([403, "ana called it, and takes it back by denying it."]);
    expect((await called()).body).toMatchObject({ state: "pending" });
  });

  test("HTTP-6: what the agent asked for under the name of a person's call does not pass for that call", async () => {
    const { called, take, ask, id } = await openWaiting();
    expect((await ask(`called:${id}`)).body).toMatchObject({ state: "pending", called_by: null });
    expect(await take()).toBe(null);
    const { status, body } = await called();
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
  });

  test("HTTP-6: an agent that asks for the same does not put its own request in the place of a person's", async () => {
    const { called, take, ask } = await openWaiting();
    expect(await take()).toMatchObject({ state: "pending", called_by: "ana" });
    expect((await ask("another")).body).toMatchObject({ state: "pending", called_by: null });
    expect((await called()).body).toMatchObject({ state: "pending" });
  });

  test("HTTP-6: no regular expression that a server wrote is run by the hub, and the rest of its schema counts", async () => {
    const what = { type: "string", pattern: "^(m|m)*ilk$" };
    const fits = [
      { type: "object", properties: { what }, required: ["what"] },
      { type: "object", patternProperties: { "^w": what }, additionalProperties: false },
      { type: "object", properties: { what: { oneOf: [what, { type: "string", pattern: "^silk$" }] } } },
      { type: "object", properties: { what, pattern: { type: "string" } }, additionalProperties: false },
    ];
    for (const schema of fits) expect(await (await openWaiting(schema)).take()).toMatchObject({ state: "pending" });
    const { take, called } = await openWaiting({
      ...{ type: "object", properties: { what, pattern: { type: "string" } }, required: ["pattern"] },
    });
    expect(await take()).toBe(null);
    expect((await called()).body.code).toBe("INVALID_ARGUMENT");
  });
});
