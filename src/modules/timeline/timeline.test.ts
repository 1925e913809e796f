import fc from "fast-check";
import { expect, test } from "vitest";
import { createClient } from "../../client/index.ts";
import { nodeTransport } from "../../client/node.ts";
import { Consumer } from "../../testing/agent-runtime.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";
import { readAll, reduced } from "../../testing/timeline-fold.ts";
import { TimelineClient } from "../../testing/timeline-socket.ts";

eachDatabase((open) => {
  const openHub = async () => {
    const hub = await open({ config: { rate_limit: 1_000_000 } });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const say = (content: string) => hub.call(ana, "chat_human_post", { content, agent: "scout" });
    const answer = (content: string) => hub.call(scout, "chat_assistant_post", { content });
    return { hub, ana, scout, say, answer, consumer: new Consumer(hub, scout) };
  };

  /** A turn with everything in it. */
  const work = async (consumer: Consumer, answer: (text: string) => Promise<unknown>): Promise<string> => {
    await consumer.drain();
    const turn_id = await consumer.begin();
    await consumer.call(turn_id, `${turn_id}.a`);
    await consumer.call(turn_id, `${turn_id}.b`, { tool: "runtime_exec", args: { cmd: ["ls", "-l"] } });
    await consumer.output(turn_id, `${turn_id}.b`, "x".repeat(40_000));
    await consumer.output(turn_id, `${turn_id}.a`);
    await answer("Done.");
    await consumer.end(turn_id, "finished", { cost_usd: 0.02, input_tokens: 10, output_tokens: 4 });
    return turn_id;
  };

  test("an agent that no runtime runs has a timeline of what was said", async () => {
    const { hub, ana, say, answer } = await openHub();
    await say("Hello?");
    await answer("Yes.");
    await say("Good.");
    expect(await readAll(hub, ana, { limit: 2 })).toMatchObject([
      { kind: "UserMessage", content: "Hello?", author_principal: "ana" },
      { kind: "AssistantMarkdown", content: "Yes.", author_principal: "scout" },
      { kind: "UserMessage", content: "Good." },
    ]);
  });

  test("TIMELINE-1 and TIMELINE-7: messages, tools and the ends of turns stand in one order, that of their ids and times", async () => {
    const { hub, ana, scout, say, answer, consumer } = await openHub();
    await say("List my mail.");
    await consumer.start();
    const turn_id = await work(consumer, answer);
    const items = await readAll(hub, ana);
    expect(items).toMatchObject([
      { kind: "UserMessage", content: "List my mail." },
      { kind: "Tool", tool: "mail_inbox", content_kind: "Json", turn_id, outcome: "done", output: "ok" },
      { kind: "Tool", tool: "runtime_exec", content_kind: "Exec", arguments: '{"cmd":["ls","-l"]}' },
      { kind: "AssistantMarkdown", content: "Done." },
      { kind: "EndTurn", turn_id, outcome: "finished", cost_usd: 0.02, input_tokens: 10, output_tokens: 4 },
    ]);
    const times = items.map((item) => ("ts" in item ? item.ts : ""));
    expect(times).toEqual(times.toSorted());
    expect(items.map((item) => "cut_parts" in item && item.cut_parts)).toEqual([
      false,
      false,
      ["output"],
      false,
      false,
    ]);
    // What is long is shown by its beginning; the model is given the whole.
    expect(items[2]).toMatchObject({ output: expect.stringMatching(/^x{16384}…$/) });
    const { body } = await hub.call(scout, "runtime_log", {});
    expect(body.events.find(({ output }: { output?: string }) => output?.startsWith("x")).output).toHaveLength(40_000);
  });

  test("TIMELINE-5: the rows are what the reducer makes of the log, whatever happens in whichever order", async () => {
    const { hub, ana, scout } = await openHub();
    let spaces = 0;
    const step = fc.constantFrom(
      "say",
      "answer",
      "drain",
      "begin",
      "call",
      "output",
      "yield",
      "end",
      "restart",
      "resume",
    );
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      spaces += 1;
      const { body: space } = await hub.call(hub.admin, "space_create", { id: `sess_fold_${spaces}` });
      const headers = { "x-session-id": space.space };
      for (const [role, name] of [
        ["human", "ana"],
        ["agent", "scout"],
      ] as const)
        await hub.token(role, name, space.space);
      const inside = { call: (t: string, tool: string, args: object) => hub.call(t, tool, args, headers) };
      // All that a consumer uses of a hub is `call`.
      const consumer = new Consumer(inside as TestHub, scout);
      await consumer.start();
      let turn: string | undefined;
      let calls: string[] = [];
      for (const [at, what] of steps.entries()) {
        if (what === "say") await inside.call(ana, "chat_human_post", { content: `${at}` });
        if (what === "answer") await inside.call(scout, "chat_assistant_post", { content: `${at}` });
        if (what === "drain") await consumer.drain();
        if (what === "begin") turn ??= await consumer.begin();
        if (what === "call" && turn) {
          calls.push(`c${at}`);
          await consumer.call(turn, `c${at}`);
        }
        if (what === "output" && turn && calls[0]) await consumer.output(turn, calls.shift() ?? "");
        if (what === "yield") await inside.call(scout, "loop_yield_turn", {});
        if (what === "resume") await inside.call(ana, "agent_resume", { agent: "scout" });
        if (what === "end" && turn) await consumer.end(turn);
        if (what === "restart") await consumer.start();
        if (what === "end" || what === "restart") [turn, calls] = [undefined, []];
      }
      const rows = await readAll(hub, ana, { headers, limit: 3 });
      expect(rows).toEqual(await reduced(hub, scout, headers));
      expect(await readAll(hub, ana, { headers })).toEqual(rows);
    });
    await fc.assert(property, { numRuns: 12, endOnFailure: true });
  });

  test("CRASH-4: after a restart of hub and runtime the timeline is the one that it was", async () => {
    const { hub, ana, say, answer, consumer } = await openHub();
    await say("Go.");
    await consumer.start();
    await work(consumer, answer);
    const before = await readAll(hub, ana);
    await hub.stop();
    const again = await open({ same: hub });
    expect(await readAll(again, ana)).toEqual(before);
    await new Consumer(again, await again.token("agent", "scout")).start();
    expect(await readAll(again, ana)).toEqual(before);
  });

  test("it leads back from its end, and a page is never further than both kinds of items are known", async () => {
    const { hub, ana, say, answer, consumer } = await openHub();
    await consumer.start();
    for (let n = 0; n < 4; n += 1) {
      await say(`${n}`);
      await work(consumer, answer);
    }
    const all = await readAll(hub, ana);
    const back: unknown[] = [];
    for (let before_id: string | null = null, more = true; more; ) {
      const { body } = await hub.call(ana, "timeline_read", { agent: "scout", before_id, limit: 3 });
      back.unshift(...body.items);
      before_id = body.items[0].id;
      more = body.has_more;
    }
    expect(back).toEqual(all);
  });

  test("an agent sees its own timeline and nobody else's", async () => {
    const { hub, scout } = await openHub();
    const mason = await hub.token("agent", "mason");
    expect((await hub.call(scout, "timeline_read", {})).status).toBe(200);
    expect((await hub.call(mason, "timeline_read", { agent: "scout" })).body.code).toBe("AGENT_NOT_FOUND");
  });

  test("parley://timeline/{agent} and parley://subscriptions are read and followed", async () => {
    const { hub, ana, say, answer, consumer } = await openHub();
    await consumer.start();
    for (const connect of Object.values(CLIENTS)) {
      await using client = await connect({ url: hub.url, token: ana });
      await client.subscribe("parley://timeline/scout");
      await say("Go.");
      await work(consumer, answer);
      await expect.poll(() => client.updates.map(({ uri }) => uri)).toContain("parley://timeline/scout");
      const kinds = async () => JSON.stringify((await client.read("parley://timeline/scout")).body).match(/EndTurn/g);
      await expect.poll(kinds).not.toBeNull();
      expect((await client.read("parley://subscriptions")).body).toMatchObject({
        subscriptions: [{ agent: "scout", uri: "ui://chat/scout/inbox", pinned: true, active: true, last_error: null }],
      });
    }
  });

  test("TIMELINE-8, TIMELINE-9 and TIMELINE-15: a page is told what there is, and then each change, in order", async () => {
    const { hub, ana, say, answer, consumer } = await openHub();
    await say("Before.");
    await consumer.start();
    using page = await TimelineClient.open(hub, ana);
    await expect.poll(() => page.told.map(({ type }) => type)).toEqual(["accepted", "ui_state_snapshot"]);
    expect(page.told[1]).toMatchObject({ v: "ui_state_v1", state: { agent: "scout", run: null, has_more: false } });
    expect(page.shown()).toMatchObject([{ kind: "UserMessage", content: "Before." }]);
    const turn_id = await work(consumer, answer);
    await expect.poll(() => page.of("run_status").at(-1)?.status).toBe("finished");
    expect(page.of("run_status")).toMatchObject([
      { turn_id, status: "starting" },
      { turn_id, status: "running" },
      { turn_id, status: "finished", outcome: "finished" },
    ]);
    expect(page.shown()).toEqual(await readAll(hub, ana));
    const seqs = page.told.flatMap(({ seq }) => seq ?? []);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
    const ids = page.told.map(({ event_id }) => event_id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));

    // One that comes in the middle of a turn is told of it at once.
    const next = await consumer.begin();
    using other = await TimelineClient.open(hub, ana);
    await expect.poll(() => other.told[1]?.state.run).toMatchObject({ id: next, status: "starting", outcome: null });
  });

  test("TIMELINE-10 and TIMELINE-11: who comes back is told what was missed, alone; a place that nobody knows gives all of it", async () => {
    const { hub, ana, say, answer, consumer } = await openHub();
    await consumer.start();
    await say("One.");
    let seen = 0;
    {
      using page = await TimelineClient.open(hub, ana);
      await expect.poll(() => page.told.length).toBe(2);
      await say("Two.");
      await expect.poll(() => page.shown()).toHaveLength(2);
      seen = page.told.at(-1)?.event_id ?? 0;
    }
    await say("Three.");
    await work(consumer, answer);
    using page = await TimelineClient.open(hub, ana);
    using other = await TimelineClient.open(hub, ana);
    await expect.poll(() => [page.told.length, other.told.length]).toEqual([2, 2]);
    page.say({ type: "resume", last_seen_event_id: seen });
    await expect.poll(() => page.told.length).toBe(3);
    const replayed = page.told[2];
    expect(replayed?.type).toBe("ui_state_updated");
    const missed = (await readAll(hub, ana)).slice(2);
    expect(replayed?.items).toEqual(expect.arrayContaining(missed));
    page.say({ type: "resume", last_seen_event_id: Number.MAX_SAFE_INTEGER });
    await expect.poll(() => page.told.at(-1)?.type).toBe("ui_state_snapshot");
    expect(other.told).toHaveLength(2);
  });

  test("TIMELINE-12 and TIMELINE-13: what is no command is refused and the socket stays open; without an agent it is closed, without a token there is none", async () => {
    const { hub, ana, scout, say } = await openHub();
    using page = await TimelineClient.open(hub, ana);
    page.say("{no json");
    page.say({ type: "dance" });
    page.say({ type: "resume", last_seen_event_id: "7" });
    await expect
      .poll(() => page.of("error").map(({ code }) => code))
      .toEqual(["INVALID_JSON", "INVALID_COMMAND", "INVALID_COMMAND"]);
    await say("Still there?");
    await expect.poll(() => page.shown()).toHaveLength(1);
    using nobody = await TimelineClient.open(hub, ana, "agent=nobody");
    await expect.poll(() => nobody.closed).toBeDefined();
    expect(nobody.told).toMatchObject([{ type: "error", code: "NO_AGENT" }]);
    const mason = await hub.token("agent", "mason");
    using foreign = await TimelineClient.open(hub, mason, "agent=scout");
    await expect.poll(() => foreign.told).toMatchObject([{ type: "error", code: "NO_AGENT" }]);
    using own = await TimelineClient.open(hub, scout);
    await expect.poll(() => own.told.length).toBe(2);
    await expect(TimelineClient.open(hub, "wrong")).rejects.toThrow("401");
  });

  test("LOOP-1: loop_yield_turn is acknowledged, and the turn's end is on the timeline once", async () => {
    const { hub, ana, scout, say, consumer } = await openHub();
    await say("Go.");
    await consumer.start();
    await consumer.drain();
    const turn_id = await consumer.begin();
    expect((await hub.call(scout, "loop_yield_turn", {})).body).toEqual({ ok: true });
    expect((await hub.call(scout, "loop.yield_turn", {})).body).toEqual({ ok: true });
    await consumer.end(turn_id);
    expect((await readAll(hub, ana)).filter(({ kind }) => kind === "EndTurn")).toMatchObject([{ outcome: "finished" }]);
    // Nobody runs it just now: there is no turn to end.
    expect((await hub.call(scout, "loop_yield_turn", {})).body).toEqual({ ok: true });
    expect((await hub.call(ana, "loop_yield_turn", {})).status).toBe(403);
  });

  test("people abort a turn, pause an agent and resume it, and its runtime hears of it; nobody else may", async () => {
    const { hub, ana, scout, say, consumer } = await openHub();
    await say("Go.");
    await consumer.start();
    await consumer.drain();
    const act = (tool: string, token = ana) => hub.call(token, tool, { agent: "scout" });
    expect((await act("agent_abort")).body.code).toBe("TURN_OVER");
    expect((await act("agent_pause", scout)).status).toBe(403);
    const waiting = consumer.next(50);
    expect((await act("agent_pause")).body).toMatchObject({ agent: "scout", paused_by: "ana" });
    expect(await waiting).toMatchObject({ paused: true, events: [] });
    expect((await act("agent_resume")).body).toMatchObject({ paused_at: null });
    const turn_id = await consumer.begin();
    await act("agent_abort");
    expect(await consumer.next(50)).toMatchObject({ paused: false, abort_turn_id: turn_id });
    await consumer.end(turn_id, "aborted");
    expect(await consumer.next()).toMatchObject({ abort_turn_id: null });
    // Without a pause it is asked to begin a turn by itself.
    await act("agent_resume");
    expect((await consumer.next()).events).toMatchObject([{ type: "Resumed", by: "ana" }]);
    expect((await act("agent_status", scout)).body).toMatchObject({
      ...{ agent: "scout", lifecycle: "starting", driver: "scripted", generation: 1, in_hub: false },
      turn: { id: turn_id, status: "finished", outcome: "aborted" },
    });
  });

  test("ui://agent/status says how the runtime is, and which servers it has mounted", async () => {
    const { hub, ana, consumer } = await openHub();
    using client = createClient({ transport: nodeTransport(hub.url), token: ana });
    const status = async () => JSON.parse((await client.read("ui://agent/scout/status"))[0]?.text ?? "");
    expect(await status()).toMatchObject({ mcp: { entries: { chat: { state: "running" } } } });
    const { fence } = await consumer.start();
    expect(await status()).toMatchObject({ lifecycle: "starting", run_phase: "idle" });
    const mounts = { mail: { state: "running" }, files: { state: "failed", error: "it has no such program" } };
    const token = await hub.token("agent", "scout");
    await hub.call(token, "runtime_report", { fence, lifecycle: "ready", mounts });
    expect(await status()).toMatchObject({
      lifecycle: "ready",
      mcp: { entries: { ...mounts, chat: { state: "running" } } },
    });
    const turn_id = await consumer.begin();
    await hub.call(token, "runtime_record", {
      ...{ fence, turn_id, run_phase: "tools_running" },
      events: [{ type: "ToolCall", key: "k", sample: 0, call_id: "k", tool: "mail_inbox", arguments: "{}" }],
    });
    expect(await status()).toMatchObject({ run_phase: "tools_running" });
    await hub.call(token, "runtime_report", { fence, lifecycle: "stopped" });
    expect(await status()).toMatchObject({ lifecycle: "stopped", run_phase: "idle", mcp: { entries: { chat: {} } } });
  });

  test("what was done in a turn has it as its cause, and the turn the message that it was begun for", async () => {
    const { hub, ana, scout, say, consumer } = await openHub();
    const { body: said } = await say("Write to ben.");
    await consumer.start();
    await consumer.drain();
    const turn_id = await consumer.begin();
    await hub.token("human", "ben");
    const letter = { to: ["ben"], subject: "Hello", body: "From scout" };
    const { body: mail } = await hub.call(scout, "mail_send", letter, { "x-parley-cause": turn_id });
    const { body } = await hub.call(hub.admin, "event_why", { id: mail.id });
    expect(body.steps.map(({ id, kind }: { id: string; kind: string }) => [id, kind])).toEqual([
      [mail.id, "mail"],
      [turn_id, "turn"],
      [said.id, "message"],
    ]);
    expect((await hub.call(ana, "event_why", { id: turn_id })).body.steps[0]).toMatchObject({ by: "scout" });
  });
});
