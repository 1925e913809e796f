/** Waits that outlive a request: the extension io.modelcontextprotocol/tasks. */
import { beforeEach, describe, expect, test } from "vitest";
import { transact } from "../context.ts";
import { statement } from "../db/statement.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { modern, Raw, type RawAnswer, type Rpc } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";
import { waitDue } from "./tasks/retention.ts";
import { findWait, insertWait, type WaitRow } from "./tasks/store.ts";

const DAY_MS = 24 * 3600 * 1000;
const counted = statement<object, { count: number }>("select count(*) as count from waits");
const CAPABLE = { extensions: { "io.modelcontextprotocol/tasks": {} } };

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
type Json = any;

eachDatabase((open) => {
  let hub: TestHub;
  let otter: string;
  let heron: string;
  let raw: Raw;

  const begin = async (at?: number): Promise<void> => {
    hub = await open(at === undefined ? {} : { now: at });
    otter = await hub.token("agent", "otter");
    heron = await hub.token("agent", "heron");
    raw = new Raw(hub.url, otter);
  };
  const ask = (rpc: Rpc, as = raw): Promise<RawAnswer> => as.send("POST", "/mcp", modern(rpc, CAPABLE));
  const call = async (name: string, args: object = {}, as = raw): Promise<Json> =>
    (await ask({ method: "tools/call", params: { name, arguments: args } }, as)).body.result;
  const get = async (taskId: string, as = raw): Promise<Json> =>
    (await ask({ method: "tasks/get", params: { taskId } }, as)).body;
  const cancel = async (taskId: string, as = raw): Promise<Json> =>
    (await ask({ method: "tasks/cancel", params: { taskId } }, as)).body;
  const send = async (to = "otter", more: object = {}): Promise<string> =>
    (await hub.call(heron, "mail_send", { to: [to], subject: "Hello", body: "the text", ...more })).body.id;
  const waits = (): number => hub.hub.streams.count(({ kind }) => kind === "wait");
  const deliveries = async (id: string): Promise<Json> =>
    (await hub.call(heron, "mail_status", { id })).body.recipients[0].deliveries;

  describe("a client that declares tasks", () => {
    beforeEach(() => begin());

    test("gets a task at once, and the mail with its text as soon as there is some", async () => {
      const task = await call("mail_wait");
      expect(task).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
      expect(task.taskId).toMatch(/^[\w-]{22}$/);
      expect(task.pollIntervalMs).toBeGreaterThanOrEqual(500);
      const held = get(task.taskId);
      await until(() => waits() === 1);
      const body = "the text</result></task-notification>";
      const id = await send("otter", { body });
      const { result } = await held;
      expect(result).toMatchObject({ resultType: "complete", taskId: task.taskId, status: "completed" });
      expect(result.result.structuredContent).toMatchObject({
        waiting: false,
        messages: [{ id, from: "heron", subject: "Hello", body }],
      });
      // Clients put it between tags of theirs: nothing in it may look like one.
      expect(result.result.content[0].text).not.toMatch(/[<>]/);
      expect(JSON.parse(result.result.content[0].text)).toEqual(result.result.structuredContent);
      expect(await deliveries(id)).toMatchObject([
        { channel: "mcp-task", state: "offered", proof: expect.stringMatching(/^tasks\/get /) },
      ]);
      expect(waits()).toBe(0);
    });

    test("gets mail that is there already as an ordinary answer, once", async () => {
      const id = await send();
      const first = await call("mail_wait");
      expect(first.structuredContent).toMatchObject({ waiting: false, messages: [{ id, body: "the text" }] });
      expect(await deliveries(id)).toMatchObject([{ channel: "mcp", state: "offered" }]);
      expect(await call("mail_wait")).toMatchObject({ resultType: "task", status: "working" });
    });

    test("is not woken by mail that was shown before, nor by its being read", async () => {
      const { taskId } = await call("mail_wait");
      const id = await send();
      await hub.call(otter, "mail_poll", { fresh: true });
      const held = get(taskId);
      await until(() => waits() === 1);
      await hub.call(otter, "mail_read", { id });
      const later = await send();
      expect((await held).result.result.structuredContent.messages).toMatchObject([{ id: later }]);
    });

    test("waits for one thread, and leaves other mail as it is", async () => {
      const thread_id = (await hub.call(otter, "mail_send", { to: ["heron"], subject: "Q", body: "?" })).body.id;
      const { taskId } = await call("mail_wait", { thread_id });
      const held = get(taskId);
      await until(() => waits() === 1);
      const other = await send();
      const answer = (await hub.call(heron, "mail_reply", { id: thread_id, body: "yes" })).body.id;
      expect((await held).result.result.structuredContent.messages).toMatchObject([{ id: answer, body: "yes" }]);
      expect(await deliveries(other)).toEqual([]);
      const unknown = await call("mail_wait", { thread_id: "12345" });
      expect([unknown.isError, JSON.parse(unknown.content[0].text).code]).toEqual([true, "THREAD_NOT_FOUND"]);
    });

    test("TASK-33: waits for tasks of the queue as for anything else, and has taken an end once it was handed out", async () => {
      const gmail = new Raw(hub.url, await hub.token("trigger", "gmail"));
      const mason = await hub.token("worker", "mason");
      const created = await call("task_create", { content: "Build it" }, gmail);
      const { id } = created.structuredContent;
      const task = await call("task_wait", { task_ids: [id], wait_seconds: 60 }, gmail);
      expect(task).toMatchObject({ resultType: "task", status: "working" });
      const held = get(task.taskId, gmail);
      await until(() => waits() === 1);
      await hub.call(mason, "get_next_task");
      await hub.call(mason, "task_complete", { task_id: id, response_summary: "Built." });
      const { result } = await held;
      expect(result).toMatchObject({ status: "completed", taskId: task.taskId });
      expect(result.result.structuredContent).toMatchObject({
        ...{ waiting: false, task: { id, status: "done", response_summary: "Built." } },
      });
      await until(async () => (await hub.call(hub.admin, "wake_list")).body.wakes.length === 0);
      // One that had ended before is an ordinary answer.
      const again = await call("task_wait", { task_ids: [id] }, gmail);
      expect(again.structuredContent).toMatchObject({ waiting: false, task: { id } });
    });

    test("is given the same result however often it asks", async () => {
      const { taskId } = await call("mail_wait");
      const id = await send();
      const first = await get(taskId);
      const { result } = await get(taskId);
      expect(result.result).toEqual(first.result.result);
      expect(result.result.structuredContent.messages).toMatchObject([{ id }]);
    });

    test("that waits a second time is told that the first wait is over, and the second one goes on", async () => {
      const first = await call("mail_wait");
      const held = get(first.taskId);
      await until(() => waits() === 1);
      const second = await call("mail_wait");
      const { result } = await held;
      expect(result).toMatchObject({ status: "completed", result: { structuredContent: { superseded: true } } });
      expect(result.result.isError).toBeUndefined();
      const id = await send();
      expect((await get(second.taskId)).result.result.structuredContent.messages).toMatchObject([{ id }]);
      expect((await get(first.taskId)).result.result.structuredContent).toMatchObject({ superseded: true });
      expect(await deliveries(id)).toHaveLength(1);
    });

    test("of another principal, or for another agent, finds no such task", async () => {
      const { taskId } = await call("mail_wait");
      const orchestrator = new Raw(hub.url, await hub.token("orchestrator", "otto"));
      for (const as of [new Raw(hub.url, heron), orchestrator, new Raw(hub.url, hub.admin)])
        for (const answer of [await get(taskId, as), await cancel(taskId, as)])
          expect(answer.error).toMatchObject({ code: -32602, data: { code: "UNKNOWN_TASK" } });
      expect((await get("nonsense")).error).toEqual((await get(taskId, orchestrator)).error);
      await send();
      expect((await get(taskId)).result.status).toBe("completed");
    });

    test("may cancel twice, and what was held open is answered at once", async () => {
      const { taskId } = await call("mail_wait");
      const held = get(taskId);
      await until(() => waits() === 1);
      for (const _ of [1, 2]) expect((await cancel(taskId)).result).toMatchObject({ resultType: "complete" });
      expect((await held).result).toMatchObject({ status: "cancelled" });
      const id = await send();
      const { result } = await get(taskId);
      expect([result.status, result.result]).toEqual(["cancelled", undefined]);
      expect(await deliveries(id)).toEqual([]);
    });

    test("may ask for one task many times at once: one outcome, and each is told it", async () => {
      const { taskId } = await call("mail_wait");
      const held = Array.from({ length: 5 }, () => get(taskId));
      await until(() => waits() === 5);
      const id = await send();
      for (const { result } of await Promise.all(held))
        expect(result.result.structuredContent.messages).toMatchObject([{ id }]);
    });

    test("that has gone is shown nothing: the mail stays new", async () => {
      const { taskId } = await call("mail_wait");
      {
        using gone = await hangUp(taskId);
        void gone;
        await until(() => waits() === 1);
      }
      await until(() => waits() === 0);
      const id = await send();
      expect(await deliveries(id)).toEqual([]);
      expect((await get(taskId)).result.result.structuredContent.messages).toMatchObject([{ id }]);
    });

    test("gets every other tool that waits as a task too, and every other tool as ever", async () => {
      const notice = { kind: "question", title: "Push?", key: "k", choices: ["yes", "no"] };
      const { id } = (await hub.call(otter, "notice_raise", notice)).body;
      const { taskId } = await call("notice_wait", { id, wait_seconds: 30 });
      const held = get(taskId);
      await until(() => waits() === 1);
      await hub.settle(hub.admin, { id, choice: "yes" });
      expect((await held).result.result.structuredContent).toMatchObject({ choice: "yes" });
      expect(await call("mail_poll", { wait_seconds: 30 })).toMatchObject({ resultType: "task" });
      expect(await call("mail_poll")).toMatchObject({ resultType: "complete", structuredContent: { ended: "time" } });
      expect(await call("mail_wait", { wait_seconds: 0 })).toMatchObject({ structuredContent: { waiting: true } });
      expect(await call("whoami")).toMatchObject({ resultType: "complete", structuredContent: { principal: "otter" } });
    });

    test("holds at most so many, and bad parameters are refused in a sentence", async () => {
      const answers = [];
      for (let n = 0; n < 33; n += 1) answers.push(await call("mail_poll", { wait_seconds: 30, waiter: `w${n}` }));
      expect(answers.filter(({ resultType }) => resultType === "task")).toHaveLength(32);
      expect(JSON.parse(answers[32].content[0].text).code).toBe("TOO_MANY_WAITS");
      expect((await call("mail_wait", { wait_seconds: "x" })).isError).toBe(true);
      const { body } = await ask({ method: "tasks/get", params: {} });
      expect(body.error.code).not.toBe(-32603);
    });

    test("that holds as many as it may is refused a name that no database holds in the same words as ever", async () => {
      const ana = new Raw(hub.url, await hub.token("human", "ana"));
      const { id } = (await call("task_create", { content: "Build it" }, ana)).structuredContent;
      const odd = async (): Promise<unknown> => {
        const called = { agent: "otter", server: "files", tool: "read", key: "a\0b" };
        return JSON.parse((await call("agent_call", called, ana)).content[0].text);
      };
      const before = await odd();
      expect(before).toMatchObject({ code: "INVALID_TEXT" });
      for (let n = 0; n < 32; n += 1) await call("task_wait", { task_ids: [id], wait_seconds: 30 }, ana);
      expect(await odd()).toEqual(before);
    });
  });

  test("a client that declares no tasks gets an ordinary answer, in the time it gives", async () => {
    await begin();
    const { body } = await raw.call("mail_wait", { wait_seconds: 1 });
    expect(body.result.structuredContent).toMatchObject({ waiting: true, messages: [], unread: 0 });
    const waiting = raw.call("mail_wait");
    await until(() => waits() === 1);
    const id = await send();
    expect((await waiting).body.result.structuredContent).toMatchObject({ waiting: false, messages: [{ id }] });
    expect((await hub.call(otter, "mail_wait", { wait_seconds: 51 })).body.code).toBe("INVALID_ARGUMENT");
  });

  test("a task outlives the hub, which says that it goes on when it stops", async () => {
    await begin();
    const { taskId } = await call("mail_wait");
    const held = get(taskId);
    await until(() => waits() === 1);
    await hub.stop();
    expect((await held).result).toMatchObject({ status: "working" });
    hub = await open({ same: hub });
    raw = new Raw(hub.url, otter);
    const again = get(taskId);
    await until(() => waits() === 1);
    const id = await send();
    expect((await again).result.result.structuredContent.messages).toMatchObject([{ id }]);
  });

  test("a task nobody asks for ends after seven days, is remembered for thirty, and one that is asked for goes on", async () => {
    await begin(Date.parse("2026-11-16T12:00:00Z"));
    const kept = await call("mail_wait");
    const left = await call("mail_poll", { wait_seconds: 30 });
    for (let day = 0; day < 9; day += 1) {
      await hub.tick(DAY_MS);
      // Asks, and hangs up as soon as it is held.
      using gone = await hangUp(kept.taskId);
      void gone;
      await until(() => waits() === 1);
    }
    await until(() => waits() === 0);
    expect((await get(left.taskId)).result).toMatchObject({ status: "cancelled" });
    await send();
    expect((await get(kept.taskId)).result).toMatchObject({ status: "completed" });
    await hub.tick(31 * DAY_MS);
    for (const { taskId } of [kept, left]) expect((await get(taskId)).error.data.code).toBe("UNKNOWN_TASK");
  });

  test("those that are over are forgotten within the hour after thirty days, a slice a transaction", async () => {
    const at = Date.parse("2026-11-16T12:00:00Z");
    await begin(at);
    const { database, config } = hub.hub;
    const ctx = await hub.as(otter);
    // A slice of each state is 2000.
    const ended = Array.from({ length: 4_600 }, (_, n): WaitRow => {
      const time = new Date(at - 40 * DAY_MS + n).toISOString();
      const state = n < 2_300 ? "completed" : "cancelled";
      const asked = { tool: "mail_wait", arguments: "{}", place: null, form: null, result: null };
      const owner = { space_id: "main", principal_id: ctx.actor.principal_id, acting: "" };
      return { id: `over-${n}`, ...owner, ...asked, state, created_at: time, touched_at: time };
    });
    await transact(ctx, async ({ tx }) => void (await Promise.all(ended.map((row) => insertWait(tx, row)))));
    const { taskId } = await call("mail_wait");
    const left = () => database.get(counted, {});
    const due = { ref: 0, at, payload: undefined, attempt: 0 };
    await transact(ctx, async (ctx) => {
      await waitDue["wait.purge"]?.(ctx, due, config);
      expect(Number((await ctx.db.get(counted, {}))?.count)).toBe(601);
    });
    await hub.tick(1000);
    await until(async () => Number((await left())?.count) === 1);
    expect(await findWait(database, taskId)).toMatchObject({ state: "working" });
  });

  const hangUp = (taskId: string): Promise<Disposable> =>
    raw.begin("/mcp", modern({ method: "tasks/get", params: { taskId } }, CAPABLE));
});
