/** An agent whose model is asked over HTTP: what it calls, what it is told, and what it costs. */
import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, say, YIELD } from "../testing/model.ts";
import { ModelServer, openaiEvents, refuse, streams } from "../testing/model-server.ts";
import { openAgentHub } from "../testing/running-agent.ts";
import type { Answer } from "./drivers/driver.ts";
import { openai } from "./drivers/openai.ts";

const USED = { input_tokens: 1000, output_tokens: 200 };
const PATIENCE = {
  tries: 4,
  pace: { first_ms: 1, most_ms: 5 },
  most_wait_ms: 1000,
  silent_ms: 10_000,
  whole_ms: 60_000,
};

eachDatabase((open) => {
  const openHub = async () => {
    const hub = await openAgentHub(open);
    const server = await ModelServer.open();
    const price = { input: 3, output: 15 };
    const driver = openai({ model: "m", base_url: server.url, api_key: undefined, price, patience: PATIENCE });
    const answers = (...calls: { tool: string; arguments: string }[]) =>
      server.replies(streams(openaiEvents({ calls, ...USED })));
    return { ...hub, server, driver, answers };
  };

  test("unknown tools and malformed calls go back to the model, which goes on; tokens and cost of the turn are recorded", async () => {
    const { tell, start, ends, status, server, driver, answers } = await openHub();
    await using _ = await start(driver);
    answers(call("no_such_tool"), { tool: "mail_inbox", arguments: '{"agent' });
    answers(say("Hello."), YIELD);
    await tell("hello");
    await expect.poll(ends).toEqual(["finished"]);
    const results = server.asked[1]?.body.messages.filter(({ role }: { role: string }) => role === "tool");
    // In the order in which they were through.
    const codes = results.map(({ content }: { content: string }) => JSON.parse(content).code);
    expect(codes.sort()).toEqual(["INVALID_JSON", "UNKNOWN_TOOL"]);
    expect((await status()).turn).toMatchObject({ input_tokens: 2000, output_tokens: 400, cost_usd: 0.012 });
  });

  test.each<[string, Answer]>([
    ["a call of nothing", { calls: [{ tool: "", arguments: "{}" }] }],
    ["a call by a name without end", { calls: [call("x".repeat(5000))] }],
    ["a name and arguments that are no text", { calls: [{ tool: "a\ud800\0", arguments: '{"a":"\ud800\0"}' }] }],
    ["arguments without end", { calls: [call("mail_inbox", { a: "x".repeat(600_000) })] }],
    ["text without end, and none", { text: `\ud800\0${"x".repeat(600_000)}`, calls: [call("no_such_tool")] }],
    ["more calls than anybody makes", { calls: Array.from({ length: 128 }, () => call("no_such_tool")) }],
  ])("whatever a model writes, the turn goes on, and it is told: %s", async (_, answer) => {
    const { tell, start, ends, items } = await openAgentHub(open);
    const model = new Model();
    await using _running = await start(model);
    model.answer(answer);
    model.answers(say("Well."), YIELD);
    await tell("go");
    await expect.poll(ends).toEqual(["finished"]);
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results).toHaveLength(answer.calls.length);
    expect(results.every((result) => result.role === "tool" && result.is_error)).toBe(true);
    const tools = (await items()).filter(({ kind }: { kind: string }) => kind === "Tool");
    expect(tools).toHaveLength(answer.calls.length);
  });

  test("TASK-31: where an endpoint says when it can be asked again, the turn waits for that, and others of the account with it", async () => {
    const { hub, ana, tell, start, ends, status, server, driver, answers } = await openHub();
    const running = await start(driver, { account: "team" });
    server.replies(refuse(429, "come back tomorrow", { "retry-after": "86400" }));
    await tell("one");
    await expect.poll(async () => (await status()).paused_by).toBe("the quota");
    await tell("two");
    // The next runtime waits for it, too, and has both messages once.
    await running.stop();
    await using _ = await start(driver, { account: "team" });
    await expect.poll(async () => (await status()).lifecycle).toBe("ready");
    expect(server.asked).toHaveLength(1);
    answers(YIELD);
    await hub.call(ana, "throttle_set", { account: "team" });
    await expect.poll(ends).toEqual(["interrupted", "finished"]);
    expect(server.asked).toHaveLength(2);
    const users = server.asked[1]?.body.messages.filter(({ role }: { role: string }) => role === "user");
    expect(users.map(({ content }: { content: string }) => content)).toEqual(["one", "two"]);

    // Held by somebody else: it is not asked before that is over.
    await hub.call(ana, "throttle_set", { account: "team", until: new Date(Date.now() + 3_600_000).toISOString() });
    await tell("three");
    await expect.poll(async () => (await status()).paused_by).toBe("the quota");
    expect(server.asked).toHaveLength(2);
    answers(YIELD);
    await hub.call(ana, "throttle_set", { account: "team" });
    await expect.poll(ends).toEqual(["interrupted", "finished", "finished"]);
  });

  test("TASK-31: an endpoint that asks for more time than there is has the turn wait for as long as any quota lasts", async () => {
    const { tell, start, status, server, driver } = await openHub();
    await using _ = await start(driver);
    server.replies(refuse(429, "never again", { "retry-after": "9".repeat(14) }));
    await tell("one");
    await expect.poll(async () => (await status()).paused_by).toBe("the quota");
  });

  test("a budget that is reached pauses the agent and asks a person, whose word has it go on with what waits", async () => {
    const { hub, ana, tell, start, ends, status, server, driver, answers } = await openHub();
    const budget = { scope: "agent", name: "scout", per_day: { cost_usd: 0.005 } };
    expect((await hub.call(ana, "budget_set", budget)).status).toBe(200);
    await using _ = await start(driver);
    answers(YIELD);
    await tell("one");
    await expect.poll(ends).toEqual(["finished"]);
    expect(await status()).toMatchObject({ paused_by: "the budget", paused_at: expect.any(String) });

    await tell("two");
    const { needs } = (await hub.call(ana, "need_list", {})).body;
    expect(needs).toMatchObject([{ kind: "task.budget", choices: ["allow", "wait"] }]);
    expect(server.asked).toHaveLength(1);

    answers(YIELD);
    const { id, digest } = needs[0];
    expect((await hub.call(ana, "notice_settle", { id, digest, choice: "allow" })).status).toBe(200);
    await expect.poll(ends).toEqual(["finished", "finished"]);
    expect(server.asked).toHaveLength(2);
    expect(server.asked[1]?.body.messages.at(-1)).toEqual({ role: "user", content: "two" });
  });

  test("TASK-36: a budget that is reached within a turn pauses it before its model is asked again, and a person's word has the same turn go on", async () => {
    const { hub, ana, tell, start, ends, status, items, server, driver, answers } = await openHub();
    await hub.call(ana, "budget_set", { scope: "agent", name: "scout", per_day: { cost_usd: 0.01 } });
    await using _ = await start(driver);
    for (let n = 0; n < 5; n += 1) answers(call("mail_inbox"));
    await tell("one");
    await expect.poll(async () => (await status()).paused_by).toBe("the budget");
    const outputs = async () => (await items()).filter(({ outcome }: { outcome?: string }) => outcome === "done");
    // What was paid for is run; the third answer is not asked for.
    await expect.poll(outputs).toHaveLength(2);
    expect((await status()).turn).toMatchObject({ status: "running", cost_usd: 0.012, input_tokens: 2000 });
    expect(server.asked).toHaveLength(2);
    const { needs } = (await hub.call(ana, "need_list", {})).body;
    expect(needs).toMatchObject([{ kind: "task.budget", choices: ["allow", "wait"] }]);

    const { id, digest } = needs[0];
    await hub.call(ana, "notice_settle", { id, digest, choice: "allow" });
    await expect.poll(async () => server.asked.length).toBe(4);
    await expect.poll(async () => (await status()).paused_by).toBe("the budget");
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await expect.poll(ends).toEqual(["aborted"]);
    expect((await items()).at(-1)).toMatchObject({ kind: "EndTurn", cost_usd: 0.024, output_tokens: 800 });
    const [budget] = (await hub.call(ana, "budget_list", {})).body.budgets;
    expect(budget).toMatchObject({ used: { cost_usd: 0.024 } });
  });

  test("TASK-36: a budget that one answer uses up many times over is more again by a person's word", async () => {
    const { hub, ana, tell, start, ends, status, driver, answers } = await openHub();
    // An answer costs 0.006.
    await hub.call(ana, "budget_set", { scope: "agent", name: "scout", per_day: { cost_usd: 0.001, tasks: 5 } });
    await using _ = await start(driver);
    answers(say("On it."));
    answers(YIELD);
    await tell("hello");
    await expect.poll(async () => (await status()).paused_by).toBe("the budget");
    const { id, digest } = (await hub.call(ana, "need_list", {})).body.needs[0];
    await hub.call(ana, "notice_settle", { id, digest, choice: "allow" });
    await expect.poll(ends).toEqual(["finished"]);
    // That has used it up once more, so somebody is asked once more.
    expect((await status()).paused_by).toBe("the budget");
    expect((await hub.call(ana, "need_list", {})).body.needs).toMatchObject([{ kind: "task.budget" }]);
  });

  test("what a turn has used is charged and in its sum where its runtime ends in the middle of it, or another takes its place", async () => {
    const { hub, ana, scout, tell, start, ends, items, server, driver, answers } = await openHub();
    await hub.call(ana, "budget_set", { scope: "agent", name: "scout", per_day: { cost_usd: 1 } });
    const used = async () => (await hub.call(ana, "budget_list", {})).body.budgets[0].used.cost_usd;
    const first = await start(driver);
    answers(call("mail_inbox"));
    // The next one it never has.
    server.replies(() => {});
    await tell("one");
    await expect.poll(() => server.asked.length).toBe(2);
    expect(await used()).toBe(0.006);
    await first.stop();
    await expect.poll(ends).toEqual(["interrupted"]);

    const second = await start(driver);
    answers(call("mail_inbox"));
    server.replies(() => {});
    await tell("two");
    await expect.poll(() => server.asked.length).toBe(4);
    await using _ = await start(driver);
    expect(await second.ended).toBe("superseded");
    await expect.poll(ends).toEqual(["interrupted", "interrupted"]);
    expect(await used()).toBe(0.012);
    const costs = (await items()).flatMap(({ kind, cost_usd }: { kind: string; cost_usd: number }) =>
      kind === "EndTurn" ? cost_usd : [],
    );
    expect(costs).toEqual([0.006, 0.006]);
    // Each answer says in the log what it has used.
    const { events } = (await hub.call(scout, "runtime_log", {})).body;
    const calls = events.filter(({ type }: { type: string }) => type === "ToolCall");
    expect(calls).toMatchObject([
      { ...USED, cost_usd: 0.006 },
      { ...USED, cost_usd: 0.006 },
    ]);
  });

  test("a budget of the space that others have used up holds an agent back before its model is asked", async () => {
    const { hub, ana, tell, start, status, server, driver, answers, ends } = await openHub();
    await using _ = await start(driver);
    await hub.call(ana, "budget_set", { scope: "space", per_day: { cost_usd: 0 } });
    await tell("one");
    await expect.poll(async () => (await status()).paused_by).toBe("the budget");
    expect(server.asked).toHaveLength(0);
    answers(YIELD);
    await hub.call(ana, "budget_set", { scope: "space", per_day: {} });
    await expect.poll(ends).toEqual(["finished"]);
  });
});
