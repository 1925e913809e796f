import { expect, test } from "vitest";
import { statement } from "../../db/statement.ts";
import { Consumer, type Logged } from "../../testing/agent-runtime.ts";
import { eachDatabase } from "../../testing/hub.ts";

const MARKS = statement<Record<never, never>, { server: string; uri: string; last_id: number; updated_at: string }>(
  "select server, uri, last_id, updated_at from resource_watermarks",
);
const SPOIL = statement<{ last_id: number }>("update resource_watermarks set last_id = :last_id");

eachDatabase((open) => {
  const openHub = async () => {
    const hub = await open();
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const say = async (content: string) => (await hub.call(ana, "chat_human_post", { content, agent: "scout" })).body;
    return { hub, ana, scout, say, consumer: new Consumer(hub, scout) };
  };

  test("RUN-1: on start the inbox is pinned, and stored as such, before anything is read from it", async () => {
    const { hub, consumer, say } = await openHub();
    await say("one");
    await consumer.start();
    const rows = await hub.hub.database.all(
      statement<Record<never, never>, object>("select server, uri, is_pinned, last_error from subscriptions"),
      {},
    );
    expect(rows).toEqual([{ server: "chat", uri: "ui://chat/scout/inbox", is_pinned: 1, last_error: null }]);
    expect(await hub.hub.database.all(MARKS, {})).toEqual([]);
    expect(await consumer.drain()).toEqual(["one"]);
  });

  test("RUN-2 and RUN-4: without a mark every message of a person is injected once, in order, and what the agent said is not", async () => {
    const { hub, scout, consumer, say } = await openHub();
    const posted = [await say("one"), await say("two")];
    await hub.call(scout, "chat_assistant_post", { content: "mine" });
    posted.push(await say("three"));
    await consumer.start();
    expect(await consumer.drain()).toEqual(["one", "two", "three"]);
    expect(consumer.events.map(({ type, chat_id }) => [type, chat_id])).toEqual(
      posted.map(({ id }) => ["UserText", id]),
    );
    expect(await consumer.drain()).toEqual(["one", "two", "three"]);
  });

  test("RUN-3: with a mark only what came later is injected", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await say("one");
    await consumer.start();
    await consumer.drain();
    await say("two");
    const later = new Consumer(hub, scout);
    await later.start();
    // No turn has taken the first one, so it is given again; it is in the log once all the same.
    expect(await later.drain()).toEqual(["one", "two"]);
    const { body } = await hub.call(scout, "runtime_log", {});
    expect(body.events.map(({ content }: Logged) => content)).toEqual(["one", "two"]);
  });

  test("RUN-5: the mark moves with the entries, over what the agent said too, and is stored as server, uri, last_id, updated_at", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await say("one");
    await consumer.start();
    await consumer.drain();
    const { body: mine } = await hub.call(scout, "chat_assistant_post", { content: "mine" });
    await consumer.drain();
    expect(await hub.hub.database.all(MARKS, {})).toEqual([
      { server: "chat", uri: "ui://chat/scout/inbox", last_id: Number(mine.id), updated_at: expect.any(String) },
    ]);
  });

  test("RUN-6 and RUN-7: whoever asks in whatever order, twice at once or again, each message is there once", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await consumer.start();
    const { fence } = consumer;
    const ask = (after_id: string | null) => hub.call(scout, "runtime_next", { fence, after_id, wait_seconds: 0 });
    for (let n = 0; n < 5; n += 1) await Promise.all([say(`${n} a`), say(`${n} b`), ask(null), ask(null), ask(null)]);
    const [first, second] = [await ask(null), await ask(null)];
    expect(first.body.events).toEqual(second.body.events);
    const ids = first.body.events.map(({ chat_id }: Logged) => chat_id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toHaveLength(10);
  });

  test("a runtime that waits is told of a message as soon as it is said, and of a pause", async () => {
    const { consumer, say } = await openHub();
    await consumer.start();
    const waiting = consumer.next(50);
    await say("hello");
    expect((await waiting).events).toMatchObject([{ type: "UserText", content: "hello", author: "ana" }]);
  });

  test("whoever starts last runs the agent: what an earlier runtime writes is refused, and its wait ends", async () => {
    const { hub, scout, consumer } = await openHub();
    await consumer.start();
    const waiting = consumer.next(50);
    const second = new Consumer(hub, scout);
    expect((await second.start()).fence).toBe(consumer.fence + 1);
    expect(await waiting).toMatchObject({ code: "RUNTIME_SUPERSEDED" });
    const late = await consumer.record(undefined, { type: "TurnStarted", key: "t1" });
    expect([late.status, late.body.code]).toEqual([409, "RUNTIME_SUPERSEDED"]);
    expect((await second.record(undefined, { type: "TurnStarted", key: "t1" })).status).toBe(200);
  });

  test("RUN-10: an agent has one turn at a time, and what is recorded twice under its key is there once", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await say("go");
    await consumer.start();
    await consumer.drain();
    const begun = await consumer.record(undefined, { type: "TurnStarted", key: "t1" });
    const [turn_id] = begun.body.ids;
    expect((await consumer.record(undefined, { type: "TurnStarted", key: "t1" })).body).toEqual(begun.body);
    expect((await consumer.record(undefined, { type: "TurnStarted", key: "t2" })).body.code).toBe("CONFLICT");
    const used = { cost_usd: 0.5, input_tokens: 10, output_tokens: 2 };
    const call = { type: "ToolCall", key: "c", sample: 0, call_id: "c", tool: "mail_inbox", arguments: "{}", ...used };
    const called = await consumer.record(turn_id, call);
    expect((await consumer.record(turn_id, call)).body).toEqual(called.body);
    const end = {
      type: "TurnEnded",
      key: "end",
      outcome: "finished",
      cost_usd: 0.25,
      input_tokens: 7,
      output_tokens: 3,
    };
    expect((await consumer.record(turn_id, end)).status).toBe(200);
    expect((await consumer.record(turn_id, { ...call, key: "d", call_id: "d" })).body.code).toBe("TURN_OVER");
    const { body } = await hub.call(scout, "runtime_log", {});
    expect(body.events.map(({ type }: Logged) => type)).toEqual([
      ...["UserText", "TurnStarted", "ToolCall", "ToolOutput", "TurnEnded"],
    ]);
    // What the answer has used is counted once, and with what no answer said it is the turn's.
    expect(body.events.at(-1)).toMatchObject({ cost_usd: 0.75, input_tokens: 17, output_tokens: 5 });
    expect((await consumer.record(undefined, { type: "TurnStarted", key: "t2" })).status).toBe(200);
  });

  test("CRASH-3: a turn that its runtime left is interrupted, and what it had called has a result that says so", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await say("go");
    await consumer.start();
    await consumer.drain();
    const [turn_id] = (await consumer.record(undefined, { type: "TurnStarted", key: "t1" })).body.ids;
    const seen_id = consumer.after_id;
    const call = { type: "ToolCall", sample: 0, seen_id, tool: "mail_send", arguments: "{}" };
    await consumer.record(turn_id, { ...call, key: "a", call_id: "a" }, { ...call, key: "b", call_id: "b" });
    await consumer.record(turn_id, { type: "ToolOutput", key: "a.out", call_id: "a", outcome: "done", output: "sent" });
    const next = new Consumer(hub, scout);
    expect(await next.start()).toMatchObject({ interrupted_turn_id: turn_id });
    const { body } = await hub.call(scout, "runtime_log", {});
    expect(body.events.slice(-2)).toMatchObject([
      { type: "ToolOutput", call_id: "b", outcome: "interrupted", output: expect.stringContaining("may or may not") },
      { type: "TurnEnded", turn_id, outcome: "interrupted" },
    ]);
    // A model has answered what was said: nothing is to be begun by itself.
    expect(await next.drain()).toEqual([]);
  });

  test("CRASH-1: what a turn was begun for and no model has answered is there for the next runtime", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await say("go");
    await consumer.start();
    await consumer.drain();
    await consumer.record(undefined, { type: "TurnStarted", key: "t1" });
    await say("and hurry");
    const next = new Consumer(hub, scout);
    await next.start();
    expect(await next.drain()).toEqual(["go", "and hurry"]);
  });

  test("CRASH-6: a mark ahead of everything is reported, and nothing is skipped or taken in twice", async () => {
    const { hub, scout, consumer, say } = await openHub();
    await say("one");
    await consumer.start();
    await consumer.drain();
    await hub.hub.database.compareAndSet(SPOIL, { last_id: 8_999_999_999_999_999 });
    await say("two");
    expect(await consumer.drain()).toEqual(["one", "two"]);
    const { body } = await hub.call(scout, "runtime_log", {});
    expect(body.events.map(({ type }: Logged) => type)).toEqual(["UserText", "Notice", "UserText"]);
    expect(await consumer.drain()).toEqual(["one", "two"]);
  });

  test("TASK-31: a quota that a turn has met runs out by itself, and the agent is let go on then and no sooner", async () => {
    const now = Date.parse("2027-03-01T09:00:00Z");
    const hub = await open({ now });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const consumer = new Consumer(hub, scout);
    await consumer.start();
    await hub.call(ana, "chat_human_post", { content: "go", agent: "scout" });
    await consumer.drain();
    const turn_id = await consumer.begin();
    const until = new Date(now + 40_000).toISOString();
    const met = { fence: consumer.fence, turn_id, until, error: "Too many requests." };
    expect((await hub.call(scout, "runtime_throttle", met)).body).toEqual({ throttled_until: until });
    for (const [ms, paused] of [
      [20_000, true],
      [19_000, true],
      [2_000, false],
    ] as const) {
      await hub.tick(ms);
      expect([ms, (await consumer.next()).paused]).toEqual([ms, paused]);
    }
    const { body } = await hub.call(ana, "agent_status", { agent: "scout" });
    expect(body).toMatchObject({ paused_by: null, turn: { outcome: null } });
  });

  test("a runtime that is not heard of for half a minute is shown as failed, and its turn as interrupted", async () => {
    const hub = await open({ now: Date.parse("2027-03-01T09:00:00Z") });
    const scout = await hub.token("agent", "scout");
    const consumer = new Consumer(hub, scout);
    await consumer.start();
    await hub.call(scout, "runtime_report", { fence: consumer.fence, lifecycle: "ready" });
    const shown = async () => (await hub.call(hub.admin, "agent_list", {})).body.agents[0];
    expect(await shown()).toMatchObject({ lifecycle: "ready" });
    await consumer.record(undefined, { type: "TurnStarted", key: "t1" });
    await hub.tick(20_000);
    await consumer.next();
    await hub.tick(20_000);
    expect(await shown()).toMatchObject({ lifecycle: "ready" });
    await hub.tick(20_000);
    expect(await shown()).toMatchObject({ lifecycle: "failed", run_phase: "idle" });
    const { body } = await hub.call(scout, "runtime_log", {});
    expect(body.events.at(-1)).toMatchObject({ type: "TurnEnded", outcome: "interrupted" });
    // It was only out of reach, and goes on.
    await hub.call(scout, "runtime_report", { fence: consumer.fence, lifecycle: "ready" });
    expect(await shown()).toMatchObject({ lifecycle: "ready" });
  });
});
