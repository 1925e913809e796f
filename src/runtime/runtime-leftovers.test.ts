/** Calls that outlive their turn: what becomes of them is kept, told once, and said as it is. */
import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, say, textsOf, YIELD } from "../testing/model.ts";
import { openAgentHub } from "../testing/running-agent.ts";
import { BOUGHT, MountedShop } from "../testing/shop.ts";
import { reduced } from "../testing/timeline-fold.ts";
import type { ToolResult } from "./toolset.ts";

const BUY = "shop_buy";
const buyTea = call(BUY, { what: "tea" });

eachDatabase((open) => {
  async function openShop() {
    const opened = await openAgentHub(open);
    const { hub, ana, tell, start, items } = opened;
    const [shop, model] = [new MountedShop(), new Model()];
    const begin = async () => {
      const ready = Promise.withResolvers<void>();
      const running = await start(model, { around: shop.around, ready: ready.resolve });
      await ready.promise;
      return running;
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
    const state = async () => (await asked())[0]?.state;
    const rule = async (decision: string, tool = BUY) => {
      const { body } = await hub.call(ana, "policy_get");
      const rules = [{ tool, decision }, ...body.document.rules];
      await hub.call(ana, "policy_set", { document: { rules }, expected_version: body.version });
    };
    const tools = async () => (await items()).filter(({ kind }: { kind: string }) => kind === "Tool");
    /** Asks for tea, and is gone before anybody has decided. */
    const leave = async (...calls: ReturnType<typeof call>[]) => {
      const first = await begin();
      await tell("go");
      model.answers(...(calls.length > 0 ? calls : [buyTea]));
      await pending();
      await first.stop();
    };
    /** What the model was told in its last question of calls that were over already. */
    const since = () => textsOf(model.requests.at(-1)?.messages ?? []).filter((text) => text.includes(" since:\n"));
    const asksFor = async (text: string) => {
      const before = model.requests.length;
      await tell(text);
      await expect.poll(() => model.requests.length).toBe(before + 1);
    };
    const needs = async () =>
      (await hub.call(ana, "need_list")).body.needs.filter(({ kind }: { kind: string }) => kind === "approval.unknown");
    return {
      ...opened,
      ...{ shop, model, begin, asked, pending, decide, state, rule, tools, leave, since, asksFor, needs },
    };
  }

  test("CRASH-3: what came of a call that was approved after its runtime was gone is kept at once, over two more restarts, and told exactly once", async () => {
    const { hub, scout, begin, leave, decide, state, tools, since, asksFor, shop, model, ends } = await openShop();
    await leave();
    const second = await begin();
    await decide("approve");
    await expect.poll(state).toBe("completed");
    expect(await tools()).toMatchObject([{ outcome: "done", output: BOUGHT.output, approval: { state: "completed" } }]);
    await second.stop();
    await (await begin()).stop();
    await using fourth = await begin();
    await asksFor("and now?");
    const told = [expect.stringMatching(/shop_buy \(.*\) since:\nIt was bought\./)];
    expect(since()).toEqual(told);
    const before = model.requests.at(-1)?.messages ?? [];
    model.answers(say("There is tea."));
    await expect.poll(() => model.requests.length).toBe(3);
    expect(since()).toEqual(told);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["interrupted", "finished"]);
    await fourth.stop();
    await using _ = await begin();
    await asksFor("and then?");
    expect(since()).toEqual(told);
    // Where it was told before, to the letter.
    expect(model.requests.at(-1)?.messages.slice(0, before.length)).toEqual(before);
    expect(shop.bought).toHaveLength(1);
    expect(await tools()).toEqual((await reduced(hub, scout)).filter(({ kind }) => kind === "Tool"));
  });

  test("CRASH-3: a call that waits for a person when its runtime goes is not said to have run, and a denial after that is told once", async () => {
    const { begin, leave, decide, state, tools, since, asksFor, shop, model } = await openShop();
    await leave();
    expect(await tools()).toMatchObject([
      { outcome: "interrupted", output: expect.stringContaining("before this was") },
    ]);
    // Nobody runs the agent while it is decided.
    await decide("deny_continue", { reason: "We have tea." });
    expect(await state()).toBe("denied");
    expect(await tools()).toMatchObject([{ outcome: "denied", output: "ana denied it: We have tea." }]);
    await (await begin()).stop();
    await using _ = await begin();
    await asksFor("and now?");
    expect(since()).toEqual([expect.stringContaining("ana denied it: We have tea.")]);
    const result = model.requests.at(-1)?.messages.find(({ role }) => role === "tool");
    expect(result).toMatchObject({ output: expect.not.stringContaining("may have had an effect") });
    expect(shop.bought).toEqual([]);
  });

  test("CRASH-3: that nobody knows whether a call was run is told once, also over two restarts", async () => {
    const { begin, rule, tell, model, shop, state, since, asksFor, needs } = await openShop();
    await rule("allow");
    const never = Promise.withResolvers<ToolResult>();
    shop.answer = () => never.promise;
    const first = await begin();
    await tell("go");
    model.answers(buyTea);
    await expect.poll(() => shop.bought.length).toBe(1);
    await first.stop();
    await (await begin()).stop();
    expect(await state()).toBe("unknown");
    await (await begin()).stop();
    await using _ = await begin();
    await asksFor("and now?");
    expect(since()).toEqual([expect.stringContaining("nobody knows whether it was")]);
    expect(await needs()).toHaveLength(1);
    never.resolve(BOUGHT);
    expect(shop.bought).toHaveLength(1);
  });

  test("CRASH-3: of what people see nothing of, such as a post that is asked about, the model is told all the same", async () => {
    const { hub, ana, begin, rule, leave, decide, state, since, asksFor } = await openShop();
    await rule("ask", "chat_assistant_post");
    await leave(say("Hello."));
    const second = await begin();
    await decide("approve");
    await expect.poll(state).toBe("completed");
    const { body } = await hub.call(ana, "chat_read_since", { agent: "scout" });
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(["go", "Hello."]);
    await second.stop();
    await using _ = await begin();
    await asksFor("and now?");
    expect(since()).toHaveLength(1);
  });

  test("what comes of an earlier call while a turn runs is told in the next one", async () => {
    const { begin, leave, decide, state, since, asksFor, model, ends } = await openShop();
    await leave();
    await using _ = await begin();
    await asksFor("meanwhile");
    await decide("approve");
    await expect.poll(state).toBe("completed");
    model.answers(say("Well."));
    await expect.poll(() => model.requests.length).toBe(3);
    expect(since()).toEqual([]);
    model.answers(YIELD);
    await expect.poll(ends).toEqual(["interrupted", "finished"]);
    await asksFor("and now?");
    expect(since()).toEqual([expect.stringContaining("It was bought.")]);
  });

  test("POLICY-9: an abort counts though the runtime is gone before it hears of it: the turn is aborted, and what is approved late is never run", async () => {
    const { hub, ana, scout, tell, begin, state, ends, tools, asked, shop, model } = await openShop();
    const { body: started } = await hub.call(scout, "runtime_start", { driver: "test" });
    const fence = started.fence;
    await tell("go");
    await hub.call(scout, "runtime_next", { fence, after_id: null });
    const record = (turn_id: string | undefined, event: object) =>
      hub.call(scout, "runtime_record", { fence, turn_id, events: [event] });
    const { body } = await record(undefined, { type: "TurnStarted", key: "t" });
    const [turn_id] = body.ids;
    for (const call_id of ["a", "b"]) {
      const made = { call_id, tool: BUY, arguments: '{"what":"tea"}' };
      await record(turn_id, { type: "ToolCall", key: call_id, sample: 0, ...made });
      const request = { key: call_id, ...made, server: "shop", mount: "m1", fence };
      expect((await hub.call(scout, "approval_request", request)).body.state).toBe("pending");
    }
    // One is approved, and not begun yet.
    const [other, { id, digest }] = await asked();
    expect((await hub.call(ana, "approval_decide", { id, digest, decision: "approve" })).status).toBe(200);
    await hub.call(ana, "agent_abort", { agent: "scout" });
    expect((await asked()).map((each: { state: string }) => each.state)).toEqual(["withdrawn", "withdrawn"]);
    const late = { id: other.id, digest: other.digest, decision: "approve" };
    expect((await hub.call(ana, "approval_decide", late)).status).toBe(410);
    const claim = { id, holder: `runtime ${fence}`, fence };
    expect((await hub.call(scout, "approval_claim", claim)).body.code).toBe("APPROVAL_STATE");
    await using _ = await begin();
    await expect.poll(ends).toEqual(["aborted"]);
    const says = { outcome: "aborted", output: "Aborted by ana before it was run." };
    expect(await tools()).toMatchObject([says, says]);
    // What it was begun for is not begun again; what comes next is heard.
    await tell("and now?");
    await expect.poll(() => model.heard).toEqual(["go", "and now?"]);
    expect([await state(), shop.bought]).toEqual(["withdrawn", []]);
  });

  test("POLICY-9: what was on its way to be asked when its turn was aborted is taken back as it comes", async () => {
    const { hub, ana, scout, state, needs } = await openShop();
    const { fence } = (await hub.call(scout, "runtime_start", { driver: "test" })).body;
    const record = (turn_id: string | undefined, event: object) =>
      hub.call(scout, "runtime_record", { fence, turn_id, events: [event] });
    const [turn_id] = (await record(undefined, { type: "TurnStarted", key: "t" })).body.ids;
    const made = { call_id: "a", tool: BUY, arguments: "{}" };
    await record(turn_id, { type: "ToolCall", key: "a", sample: 0, ...made });
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await record(turn_id, { type: "TurnEnded", key: "e", outcome: "aborted" });
    await hub.call(scout, "approval_request", { key: "a", ...made, server: "shop", fence });
    expect([await state(), await needs()]).toEqual(["withdrawn", []]);
  });

  test("POLICY-3: of several calls in one answer, those that a denial ends with the turn say so, and whether they were run", async () => {
    const { hub, ana, begin, tell, rule, asked, ends, tools, shop, model, needs } = await openShop();
    await using _ = await begin();
    await rule("allow", "mail_wait");
    await tell("go");
    model.answers(buyTea, call(BUY, { what: "milk" }), call("mail_wait", { wait_seconds: 50 }));
    await expect.poll(async () => (await asked()).length).toBe(2);
    const tea = (await asked()).find((each: { arguments: { what: string } }) => each.arguments.what === "tea");
    await hub.call(ana, "approval_decide", { id: tea.id, digest: tea.digest, decision: "deny_abort", reason: "No." });
    await expect.poll(ends).toEqual(["failed"]);
    const why = "shop_buy was denied, and with it the turn.";
    expect(await tools()).toMatchObject([
      { outcome: "denied", output: expect.stringContaining("No.") },
      { outcome: "aborted", output: `The turn ended before it was run: ${why}` },
      { outcome: "aborted", output: `The turn ended before it gave a result: ${why} It may have had an effect.` },
    ]);
    expect((await asked()).map(({ state }: { state: string }) => state).toSorted()).toEqual(["denied", "withdrawn"]);
    expect([shop.bought, await needs()]).toEqual([[], []]);
    await tell("and now?");
    await expect.poll(() => model.requests.length).toBe(2);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("runtime went away");
  });

  test("RUN-15: an abort does not wait for a tool that does not hear of it: what it was running is unknown at once, and said once, with who aborted it", async () => {
    const { hub, ana, begin, tell, rule, state, ends, tools, shop, model, needs, since, asksFor } = await openShop();
    await rule("allow");
    const never = Promise.withResolvers<ToolResult>();
    shop.answer = () => never.promise;
    const first = await begin();
    await tell("go");
    model.answers(buyTea);
    await expect.poll(() => shop.bought.length).toBe(1);
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await expect.poll(ends).toEqual(["aborted"]);
    expect(await state()).toBe("unknown");
    const [need, ...others] = await needs();
    expect([need.text, others]).toEqual([expect.stringContaining("when ana aborted the turn"), []]);
    const output = "Aborted by ana before it gave a result. It may have had an effect.";
    expect(await tools()).toMatchObject([{ outcome: "aborted", output }]);
    never.resolve(BOUGHT);
    await first.stop();
    await using _ = await begin();
    await asksFor("and now?");
    expect([since(), await needs(), await tools()]).toMatchObject([[], [need], [{ output }]]);
  });
});
