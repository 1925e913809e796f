import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, say, textsOf, YIELD } from "../testing/model.ts";
import { openAgentHub } from "../testing/running-agent.ts";
import type { ToolResult, Toolset } from "./toolset.ts";

const BUY = { name: "shop_buy", description: "Buys something.", input_schema: { type: "object" } };
const DONE: ToolResult = { outcome: "done", output: "It was bought." };

/** A server that is mounted beside the hub's tools: it notes what was bought, and answers as the test says. */
class Shop {
  readonly bought: unknown[] = [];
  answer: () => Promise<ToolResult> = async () => DONE;

  readonly around = (tools: Toolset): Toolset => ({
    list: () => [...tools.list(), BUY],
    call: async (call, context) => {
      if (call.tool !== BUY.name) return tools.call(call, context);
      this.bought.push(JSON.parse(call.arguments));
      return this.answer();
    },
    originOf: (call) =>
      call.tool === BUY.name
        ? { server: "shop", mount: "m1", input_schema: BUY.input_schema, hints: ["destructive"] }
        : tools.originOf(call),
    mounts: () => tools.mounts(),
    takeChanges: () => tools.takeChanges(),
  });
}

eachDatabase((open) => {
  async function openShop() {
    const opened = await openAgentHub(open);
    const { hub, ana, tell, start } = opened;
    const [shop, model] = [new Shop(), new Model()];
    const begin = () => start(model, { around: shop.around });
    const rule = async (decision: string) => {
      const document = { rules: [{ tool: BUY.name, decision, reason: "no shopping" }] };
      const { body } = await hub.call(ana, "policy_get");
      await hub.call(ana, "policy_set", { document, expected_version: body.version });
    };
    const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
    const pending = async () => {
      await expect.poll(async () => (await asked())[0]?.state).toBe("pending");
      return (await asked())[0];
    };
    const decide = async (decision: string, more: object = {}) => {
      const { id, digest } = await pending();
      return hub.call(ana, "approval_decide", { id, digest, decision, ...more });
    };
    /** The model wants to buy, and hears what came of it in its next question. */
    const buy = async (args: object = { what: "tea" }) => {
      await tell("go");
      model.answers(call(BUY.name, args));
    };
    const heard = async (nth = 2) => {
      await expect.poll(() => model.requests.length).toBe(nth);
      const told = model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
      return told?.role === "tool" ? told.output : "";
    };
    return { ...opened, shop, model, begin, rule, asked, pending, decide, buy, heard };
  }

  test("POLICY-1: what the policy allows is run, and noted as completed", async () => {
    const { begin, rule, buy, heard, shop, asked } = await openShop();
    await rule("allow");
    await using _ = await begin();
    await buy();
    expect(await heard()).toBe("It was bought.");
    expect(shop.bought).toEqual([{ what: "tea" }]);
    expect(await asked()).toMatchObject([{ state: "completed", outcome: "policy_allow", server: "shop", mount: "m1" }]);
  });

  test("POLICY-2 and POLICY-3: what the policy denies is not run: the model is told why, or the turn ends", async () => {
    const { begin, rule, buy, heard, shop, model, ends } = await openShop();
    await rule("deny_continue");
    await using _ = await begin();
    await buy();
    expect(JSON.parse(await heard())).toEqual({ code: -32951, error: expect.stringContaining("no shopping") });
    await rule("deny_abort");
    model.answers(call(BUY.name));
    await expect.poll(ends).toEqual(["failed"]);
    expect([shop.bought, model.requests.length]).toEqual([[], 2]);
  });

  test("what a person is asked about has the turn as its cause, back to what a person said", async () => {
    const { hub, ana, begin, tell, pending, model } = await openShop();
    await using _ = await begin();
    const { body } = await tell("go");
    model.answers(call(BUY.name, { what: "tea" }));
    const { steps, end } = (await hub.call(ana, "event_why", { id: (await pending()).id })).body;
    expect(steps.slice(1)).toMatchObject([{ kind: "turn" }, { id: body.id, by: "ana" }]);
    expect(end).toBe("first");
  });

  test("POLICY-4 and POLICY-5: a call that is asked about waits, alone, and runs once when a person approves it", async () => {
    const { hub, scout, begin, tell, allow, decide, heard, shop, model, status, pending } = await openShop();
    await allow("add_note");
    await using _ = await begin();
    await tell("go");
    model.answers(call(BUY.name, { what: "tea" }), call("add_note", { content: "meanwhile" }));
    expect(await pending()).toMatchObject({ hints: ["destructive"], risk: "medium" });
    await expect.poll(async () => (await hub.call(scout, "read_notes")).body.count).toBe(1);
    await expect.poll(status).toMatchObject({ run_phase: "waiting_approval" });
    expect(shop.bought).toEqual([]);
    expect((await decide("approve")).status).toBe(200);
    await heard();
    const outputs = model.requests.at(-1)?.messages.flatMap((each) => (each.role === "tool" ? each.tool : []));
    expect([outputs?.toSorted(), shop.bought]).toEqual([["add_note", BUY.name], [{ what: "tea" }]]);
  });

  test("POLICY-15: the hub's own tools are asked about too, all but yielding, posting and reading, which leave no approval", async () => {
    const { hub, ana, scout, begin, tell, pending, decide, asked, heard, model, ends } = await openShop();
    await using _ = await begin();
    await tell("go");
    model.answers(call("read_notes"), say("I look."), call("mail_inbox"));
    await heard(2);
    expect(await asked()).toEqual([]);
    model.answers(call("add_note", { content: "draft" }));
    expect(await pending()).toMatchObject({ server: "parley", mount: "", tool: "add_note" });
    expect((await hub.call(scout, "read_notes")).body.count).toBe(0);
    await decide("approve", { edited_arguments: { content: "final" } });
    await heard(3);
    expect((await hub.call(scout, "read_notes")).body.notes).toMatchObject([{ content: "final" }]);
    expect(await asked()).toMatchObject([{ state: "completed", outcome: "user_approve", decided_by: "ana" }]);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["finished"]);
    expect((await hub.call(ana, "approval_list")).body.approvals).toHaveLength(1);
  });

  test("POLICY-12: a rule binds the hub's own tools from the next call on, by whichever name a model calls them", async () => {
    const { hub, ana, start, tell, allow, heard, model, asked } = await openShop();
    await using _ = await start(model, { compat: "v1" });
    await allow("add_note");
    await tell("go");
    model.answers(call("add_note", { content: "one" }));
    await heard(2);
    expect(await asked()).toEqual([]);
    const rules = ["chat_assistant_post", "add_note"].map((tool) => ({
      tool,
      decision: "deny_continue",
      reason: "hush",
    }));
    await hub.call(ana, "policy_set", { document: { rules }, expected_version: 1 });
    model.answers(call("ui_send_message", { content: "hello" }), call("add_note", { content: "two" }));
    expect(JSON.parse(await heard(3))).toMatchObject({ code: -32951, error: expect.stringContaining("hush") });
    const denied = await asked();
    expect(denied.map(({ tool }: { tool: string }) => tool).toSorted()).toEqual(["add_note", "chat_assistant_post"]);
    expect(denied).toMatchObject([{ outcome: "policy_deny_continue" }, { outcome: "policy_deny_continue" }]);
    expect((await hub.call(ana, "read_notes")).body.count).toBe(1);
  });

  test("POLICY-20: a preview looks at all that the policy let through, of the hub's own tools too, and at each call once", async () => {
    const { hub, ana, begin, tell, allow, heard, decide, model } = await openShop();
    await allow("add_note");
    await using _ = await begin();
    await tell("go");
    model.answers(call("add_note", { content: "one" }), call("read_notes"), call("no_such_tool"));
    await heard(2);
    model.answers(call("task_create", { channel: "internal", content: "two" }));
    await decide("approve");
    await heard(3);
    const preview = async (rule: object) => (await hub.call(ana, "policy_preview", { rule })).body;
    const denied = await preview({ tool: "add_note", decision: "deny_continue" });
    expect(denied).toMatchObject({ looked_at: 3, changed: { deny_continue: 1 } });
    expect(denied.calls).toMatchObject([
      { agent: "scout", server: "parley", tool: "add_note", decision: "allow", would: "deny_continue" },
    ]);
    const [task, read, ...more] = (await preview({ tool: "*", decision: "deny_abort" })).calls;
    expect([task.tool, read.tool, more.length]).toEqual(["task_create", "read_notes", 1]);
    const paged = { rule: { tool: "*", decision: "deny_abort" }, limit: 1, before: task.id };
    expect((await hub.call(ana, "policy_preview", paged)).body).toMatchObject({ calls: [read], next: read.id });
  });

  test("POLICY-13: the model of an agent that Parley runs proposes a rule, and only a person accepts it", async () => {
    const { hub, ana, begin, tell, decide, heard, model } = await openShop();
    await using _ = await begin();
    await tell("go");
    const rule = { tool: "add_note", agent: "scout", decision: "allow" };
    model.answers(call("policy_propose", { rule, reason: "I note a lot." }));
    await decide("approve");
    const { id, digest } = JSON.parse(await heard(2));
    const tools = model.requests[0]?.tools.map(({ name }) => name).filter((name) => /^(policy|approval)_/.test(name));
    expect(tools).toEqual(["policy_get", "policy_propose"]);
    const accept = { id, digest, decision: "accept" };
    model.answers(call("policy_decide", accept), call("policy_set", { document: {}, expected_version: 0 }));
    expect(await heard(3)).toContain("UNKNOWN_TOOL");
    expect((await hub.call(ana, "policy_proposals")).body.proposals).toMatchObject([
      { id, state: "pending", proposed_by: "scout", reason: "I note a lot.", rule },
    ]);
    expect((await hub.call(ana, "policy_decide", accept)).body).toMatchObject({ state: "approved", version: 1 });
    model.answers(call("add_note", { content: "by the rule" }));
    await heard(4);
    expect((await hub.call(ana, "read_notes")).body.count).toBe(1);
  });

  test("what a person changed is what is run, and the model goes on with what came of it", async () => {
    const { begin, buy, decide, heard, shop } = await openShop();
    await using _ = await begin();
    await buy({ what: "tea", number: 100 });
    await decide("approve", { edited_arguments: { what: "tea", number: 1 } });
    await heard();
    expect(shop.bought).toEqual([{ what: "tea", number: 1 }]);
  });

  test("POLICY-6: what a person denies is not run, and the reason reaches the model word for word", async () => {
    const { begin, buy, decide, heard, shop, model, ends } = await openShop();
    await using _ = await begin();
    await buy();
    await decide("deny_continue", { reason: "We have tea." });
    expect(JSON.parse(await heard())).toEqual({ code: -32951, error: expect.stringContaining("We have tea.") });
    model.answers(call(BUY.name));
    await decide("deny_abort");
    await expect.poll(ends).toEqual(["failed"]);
    expect(shop.bought).toEqual([]);
  });

  test("POLICY-9: an abort takes back what waits for a person, and a late approval runs nothing", async () => {
    const { hub, ana, begin, buy, pending, asked, ends, shop } = await openShop();
    await using _ = await begin();
    await buy();
    const { id, digest } = await pending();
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await expect.poll(ends).toEqual(["aborted"]);
    await expect.poll(async () => (await asked())[0].state).toBe("withdrawn");
    const late = await hub.call(ana, "approval_decide", { id, digest, decision: "approve" });
    expect([late.status, shop.bought]).toEqual([410, []]);
  });

  test("arguments that are no JSON object reach nobody, and the model is told", async () => {
    const { begin, tell, heard, shop, model, asked } = await openShop();
    await using _ = await begin();
    await tell("go");
    model.answer({ calls: [{ tool: BUY.name, arguments: `{"what":` }] });
    expect(JSON.parse(await heard())).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect([shop.bought, await asked()]).toEqual([[], []]);
  });

  test("CRASH-3: what waits for a person outlives its runtime, is run once by the next, and told in the next turn", async () => {
    const { begin, tell, buy, pending, decide, shop, model, ends, asked } = await openShop();
    const first = await begin();
    await buy();
    const { digest } = await pending();
    await first.stop();
    await using _ = await begin();
    expect((await pending()).digest).toBe(digest);
    await decide("approve");
    await expect.poll(() => shop.bought).toEqual([{ what: "tea" }]);
    await expect.poll(async () => (await asked())[0].state).toBe("completed");
    // By itself it begins no turn.
    expect([await ends(), model.requests.length]).toEqual([["interrupted"], 1]);
    await tell("and now?");
    await expect.poll(() => model.requests.length).toBe(2);
    const texts = textsOf(model.requests[1]?.messages ?? []);
    expect(texts.find((text) => text.startsWith("<system notification>"))).toMatch(
      /shop_buy .* since:\nIt was bought\./s,
    );
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["interrupted", "finished"]);
    expect(shop.bought).toHaveLength(1);
  });

  test("POLICY-5 and CRASH-3: what was being run when its runtime was replaced is unknown, and never run again", async () => {
    const { begin, tell, rule, buy, shop, model, asked } = await openShop();
    await rule("allow");
    const never = Promise.withResolvers<ToolResult>();
    shop.answer = () => never.promise;
    await using _first = await begin();
    await buy();
    await expect.poll(() => shop.bought.length).toBe(1);
    await using _second = await begin();
    await expect.poll(async () => (await asked())[0].state).toBe("unknown");
    await tell("and now?");
    await expect
      .poll(() => textsOf(model.requests.at(-1)?.messages ?? []).join())
      .toContain("nobody knows whether it was");
    never.resolve(DONE);
    expect(shop.bought).toHaveLength(1);
  });

  test("what a program of its own had asked for ends with its runtime; what another client of the agent asked for stays open", async () => {
    const { hub, scout, begin, asked, model, tell } = await openShop();
    const calls = { "7-0-0": "parley", "7-0-1": "acp", "7-0-ask-1": "claude-code", "permission 5": "claude-code" };
    for (const [call_id, server] of Object.entries(calls)) {
      const what = { key: call_id, call_id, server, tool: "mail_send", arguments: {}, executes: "client" };
      expect((await hub.call(scout, "approval_request", what)).body.state).toBe("pending");
    }
    await using _ = await begin();
    const states = async () =>
      Object.fromEntries((await asked()).map(({ call_id, state }: Record<string, string>) => [call_id, state]));
    const withdrawn = { "7-0-0": "withdrawn", "7-0-1": "withdrawn", "7-0-ask-1": "withdrawn" };
    await expect.poll(states).toEqual({ ...withdrawn, "permission 5": "pending" });
    await tell("and now?");
    await expect.poll(() => model.requests.length).toBe(1);
    expect(textsOf(model.requests[0]?.messages ?? []).join()).not.toContain("permission 5");
  });
});
