import { expect, test } from "vitest";
import { Consumer } from "../../testing/agent-runtime.ts";
import { eachDatabase, onDatabase } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";
import { readAll } from "../../testing/timeline-fold.ts";

eachDatabase((open) => {
  const openHub = async () => {
    const hub = await open({ config: { rate_limit: 1_000_000 } });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const say = (content: string, agent = "scout") => hub.call(ana, "chat_human_post", { content, agent });
    const fork = async (at_id: string, name: string, agent = "scout") =>
      (await hub.call(ana, "agent_fork", { agent, at_id, name })).body;
    const logOf = async (token: string) =>
      (await hub.call(token, "runtime_log", { limit: 500 })).body.events as { id: string; type: string }[];
    return { hub, ana, scout, say, fork, logOf, consumer: new Consumer(hub, scout) };
  };

  /** One turn with two calls at once, during which somebody says something, and another one. */
  const worked = async ({ say, consumer }: Awaited<ReturnType<typeof openHub>>) => {
    await consumer.start();
    await say("First.");
    await consumer.drain();
    const turn_id = await consumer.begin();
    await consumer.call(turn_id, "a");
    await consumer.call(turn_id, "b");
    await say("Meanwhile.");
    await consumer.drain();
    await consumer.output(turn_id, "b");
    await consumer.output(turn_id, "a");
    await consumer.end(turn_id, "finished", { cost_usd: 3 });
    await say("Later.");
    await consumer.drain();
    return turn_id;
  };

  test("an agent that was begun from another has its log up to there with all results, and hears nothing of what came after", async () => {
    const all = await openHub();
    const { hub, ana, scout, say, fork, logOf } = all;
    await worked(all);
    const items = await readAll(hub, ana);
    expect(items.map(({ kind }) => kind)).toEqual([
      ...["UserMessage", "Tool", "Tool", "UserMessage", "EndTurn", "UserMessage"],
    ]);
    const whole = await logOf(scout);
    const made = await fork(items[1]?.id ?? "", "scout-2");
    expect(made).toMatchObject({ agent: "scout-2", forked_from: "scout", in_hub: false, token: expect.any(String) });
    const consumer = new Consumer(hub, made.token);
    expect(await consumer.start()).toMatchObject({ known_as: "scout", tools_off: true, after_id: null });
    await say("What the other hears.");
    await say("For you.", "scout-2");
    expect(await consumer.drain()).toEqual(["For you."]);
    const log = await logOf(made.token);
    const cut = whole.findIndex(({ id }) => id === made.at_id);
    // Both calls of the answer with what came of them, and nothing of the end of the turn.
    expect(whole[cut]).toMatchObject({ type: "ToolOutput", call_id: "a" });
    expect(log.slice(0, cut + 1)).toEqual(whole.slice(0, cut + 1));
    expect(log.slice(cut + 1)).toMatchObject([{ type: "Notice" }, { type: "UserText", content: "For you." }]);
    expect(await readAll(hub, ana, { agent: "scout-2" })).toMatchObject([
      { kind: "Notice", content: expect.stringMatching(/^Begun by ana from scout/) },
      { kind: "UserMessage", content: "For you." },
    ]);
    expect((await hub.call(ana, "agent_status", { agent: "scout-2" })).body).toMatchObject({
      ...{ forked_from: "scout", forked_at_id: made.at_id, tools_off_at: expect.any(String), turn: null },
    });
    // What is read in pages is the same.
    const first = (await hub.call(made.token, "runtime_log", { limit: 3 })).body;
    const before_id = first.events[0].id;
    const second = (await hub.call(made.token, "runtime_log", { limit: 500, before_id })).body;
    expect([...second.events, ...first.events]).toEqual(log);
  });

  test("one begun from a fork has the log of both, and each stays what it was when the first is deleted", async () => {
    const all = await openHub();
    const { hub, ana, say, fork, logOf } = all;
    await worked(all);
    const [first] = await readAll(hub, ana);
    const second = await fork(first?.id ?? "", "scout-2");
    const consumer = new Consumer(hub, second.token);
    await consumer.start();
    const { body: said } = await say("Now you.", "scout-2");
    await consumer.drain();
    const third = await fork(said.id, "scout-3", "scout-2");
    await new Consumer(hub, third.token).start();
    const expected = [...(await logOf(second.token)), { type: "Notice" }];
    await hub.token("agent", "other");
    await hub.call(hub.admin, "agent_default", { name: "other" });
    expect((await hub.call(hub.admin, "agent_delete", { name: "scout" })).status).toBe(200);
    expect(await logOf(third.token)).toMatchObject(expected);
  });

  test("what cannot be begun is refused with a sentence, and nothing of it is made", async () => {
    const all = await openHub();
    const { hub, ana, scout, say, fork, consumer } = all;
    const { body: early } = await say("Nobody runs it yet.");
    expect(await fork(early.id, "scout-2")).toMatchObject({ code: "CONFLICT" });
    await consumer.start();
    const { body: unheard } = await say("Not heard yet.");
    expect(await fork(unheard.id, "scout-2")).toMatchObject({ code: "CONFLICT" });
    await consumer.drain();
    const turn_id = await consumer.begin();
    await consumer.call(turn_id, "a");
    const running = (await readAll(hub, ana)).at(-1)?.id ?? "";
    expect(await fork(running, "scout-2")).toMatchObject({ code: "CONFLICT", error: expect.stringContaining("still") });
    expect(await fork("1", "scout-2")).toMatchObject({ code: "NOT_FOUND" });
    expect(await fork(unheard.id, "scout")).toMatchObject({ code: "NAME_TAKEN" });
    expect(await fork(unheard.id, "ana")).toMatchObject({ code: "NAME_TAKEN" });
    expect(await fork(unheard.id, "x", "nobody")).toMatchObject({ code: "AGENT_NOT_FOUND" });
    const { status } = await hub.call(scout, "agent_fork", { agent: "scout", at_id: unheard.id, name: "scout-2" });
    expect(status).toBe(403);
    const { body } = await hub.call(ana, "agent_list", {});
    expect(body.agents.map(({ name }: { name: string }) => name)).toEqual(["scout"]);
    expect(await fork(unheard.id, "scout-2")).toMatchObject({ agent: "scout-2" });
  });

  test("what the hub runs it runs the fork of, too, by the same definition and with a token of its own", async () => {
    const all = await openHub();
    const { hub, ana, fork } = all;
    await worked(all);
    const definition = JSON.stringify({ driver: "scripted", script: { rules: [] } });
    expect((await hub.call(hub.admin, "agent_start", { agent: "scout", definition })).status).toBe(200);
    const [first] = await readAll(hub, ana);
    expect(await fork(first?.id ?? "", "scout-2")).toMatchObject({ agent: "scout-2", in_hub: true });
    expect((await hub.call(ana, "agent_status", { agent: "scout-2" })).body).toMatchObject({
      ...{ in_hub: true, tools_off_at: expect.any(String) },
    });
  });

  test("people let an agent use its tools and take them back, and its runtime hears of it at once", async () => {
    const { hub, ana, scout, consumer } = await openHub();
    await consumer.start();
    const waiting = consumer.next(50);
    const set = (on: boolean, token = ana) => hub.call(token, "agent_tools", { agent: "scout", on });
    expect((await set(false)).body).toMatchObject({ tools_off_at: expect.any(String) });
    expect(await waiting).toMatchObject({ tools_off: true, events: [] });
    expect((await set(true)).body).toMatchObject({ tools_off_at: null });
    expect(await consumer.next()).toMatchObject({ tools_off: false });
    expect((await set(true, scout)).status).toBe(403);
  });

  test("while its tools are off the hub takes nothing of it but its words and the end of its turn, by whichever of its tokens", async () => {
    const all = await openHub();
    const { hub, ana, fork } = all;
    await worked(all);
    const [first] = await readAll(hub, ana);
    const { token } = await fork(first?.id ?? "", "scout-2");
    const { body } = await hub.call(token, "runtime_start", { driver: "command", with_token: true });
    const mail = { to: ["ana"], subject: "Done", body: "As you said." };
    const bridge = { server: "mail", tool: "mail_send", arguments: mail };
    const off = { code: "TOOLS_OFF", error: expect.stringContaining("You can speak and end your turn") };
    for (const own of [token, body.token]) {
      expect(await hub.call(own, "mail_send", mail)).toMatchObject({ status: 403, body: off });
      expect((await hub.call(own, "mail_inbox")).body).toMatchObject(off);
      const bridged = await hub.request("POST", "/api/mcp/call", { token: own, body: JSON.stringify(bridge) });
      expect(bridged.body).toMatchObject(off);
      for (const connect of Object.values(CLIENTS)) {
        await using mcp = await connect({ url: hub.url, token: own });
        await expect(mcp.read("parley://mail/scout-2/inbox")).rejects.toThrow("You can speak and end your turn");
      }
      expect((await hub.call(own, "chat_assistant_post", { content: "I can speak." })).status).toBe(200);
      expect((await hub.call(own, "loop_yield_turn")).status).toBe(200);
    }
    // Nobody is asked about what is not done whatever they say.
    expect((await hub.call(ana, "approval_list")).body.approvals).toEqual([]);
    await hub.call(ana, "agent_tools", { agent: "scout-2", on: true });
    expect((await hub.call(token, "mail_send", mail)).status).toBe(200);
    expect((await hub.call(body.token, "mail_send", mail)).body).toMatchObject({ code: "APPROVAL_PENDING" });
    await hub.call(ana, "agent_tools", { agent: "scout-2", on: false });
    expect((await hub.call(token, "mail_send", mail)).body).toMatchObject(off);
  });

  test("that its tools are off counts with its very next call, and that they are on again too", async () => {
    const { hub, ana, scout } = await openHub();
    const set = (on: boolean) => hub.call(ana, "agent_tools", { agent: "scout", on });
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await hub.call(scout, "mail_inbox")).status).toBe(200);
      await set(false);
      expect((await hub.call(scout, "mail_inbox")).body).toMatchObject({ code: "TOOLS_OFF" });
      await set(true);
    }
  });
});

onDatabase("postgres", (open) => {
  test("what one node is told of an agent's tools counts on every other", async () => {
    const first = await open();
    const second = await open({ same: first });
    const [ana, scout] = [await first.token("human", "ana"), await first.token("agent", "scout")];
    const inbox = async (): Promise<number> => (await second.call(scout, "mail_inbox")).status;
    for (const on of [false, true]) {
      expect(await inbox()).toBe(on ? 403 : 200);
      await first.call(ana, "agent_tools", { agent: "scout", on });
      await expect.poll(inbox).toBe(on ? 200 : 403);
    }
  });
});
