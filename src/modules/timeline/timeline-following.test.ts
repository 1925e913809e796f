import fc from "fast-check";
import { expect, test } from "vitest";
import { Consumer } from "../../testing/agent-runtime.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { readAll, reduced } from "../../testing/timeline-fold.ts";
import { TimelineClient } from "../../testing/timeline-socket.ts";

const PUSH = { cmd: ["git", "push"] };

eachDatabase((open) => {
  const openHub = async (now?: number) => {
    const hub = await open({ config: { rate_limit: 1_000_000 }, ...(now !== undefined && { now }) });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const call = async (token: string, tool: string, args: object = {}) => (await hub.call(token, tool, args)).body;
    return { hub, ana, scout, call, consumer: new Consumer(hub, scout) };
  };
  const requested = (hub: TestHub, token: string, call_id: string, more: object = {}, headers = {}) =>
    hub
      .call(
        token,
        "approval_request",
        { key: call_id, call_id, server: "runtime", tool: "runtime_exec", arguments: PUSH, ...more },
        headers,
      )
      .then(({ body }) => body);
  const begun = async (consumer: Consumer, ...calls: string[]) => {
    await consumer.start();
    const turn_id = await consumer.begin();
    for (const call_id of calls) await consumer.call(turn_id, call_id, { tool: "runtime_exec", args: PUSH });
    return turn_id;
  };

  test("POLICY-4: a call that waits for a person says so where it stands, without a reload, and so does the run", async () => {
    const { hub, ana, scout, call, consumer } = await openHub();
    const turn_id = await begun(consumer, "a", "b");
    using page = await TimelineClient.open(hub, ana);
    await expect.poll(() => page.told.length).toBe(2);
    const asked = await requested(hub, scout, "a");
    await expect
      .poll(() => page.of("ui_state_updated").at(-1))
      .toMatchObject({
        run: { id: turn_id, status: "awaiting_approval" },
        items: [{ kind: "Tool", call_id: "a", outcome: null, approval: { id: asked.id, state: "pending" } }],
      });
    expect(page.of("run_status").at(-1)).toMatchObject({ turn_id, status: "awaiting_approval" });
    expect(await call(ana, "agent_status", { agent: "scout" })).toMatchObject({
      ...{ run_phase: "waiting_approval", turn: { status: "awaiting_approval" } },
    });
    // The other call goes on.
    await consumer.output(turn_id, "b");
    const reason = "Only to the branch.";
    const edited_arguments = { cmd: ["git", "push", "origin", "branch"] };
    await call(ana, "approval_decide", { ...only(asked), decision: "approve", reason, edited_arguments });
    await expect.poll(() => page.of("run_status").at(-1)).toMatchObject({ status: "running" });
    const decided = { outcome: "user_approve", decided_by: "ana", reason, edited: true };
    await expect.poll(() => page.shown()[0]).toMatchObject({ approval: { state: "approved", ...decided } });
    await call(scout, "approval_claim", { id: asked.id, holder: "one" });
    await call(scout, "approval_finish", { id: asked.id, holder: "one", outcome: "completed" });
    await consumer.output(turn_id, "a");
    await consumer.end(turn_id);
    await expect.poll(() => page.of("run_status").at(-1)).toMatchObject({ status: "finished" });
    const items = await readAll(hub, ana);
    expect(items).toMatchObject([
      { call_id: "a", outcome: "done", approval: { id: asked.id, state: "completed", ...decided } },
      { call_id: "b", outcome: "done", approval: null },
      { kind: "EndTurn" },
    ]);
    expect(page.shown()).toEqual(items);
  });

  const only = ({ id, digest }: { id: string; digest: string }) => ({ id, digest });

  test("POLICY-6: what a person or the policy denied, and what nobody decided, stands at the call with who and why", async () => {
    const { hub, ana, scout, call, consumer } = await openHub(Date.parse("2027-03-01T08:00:00Z"));
    const turn_id = await begun(consumer, "denied", "ended", "late", "ruled");
    const denied = await requested(hub, scout, "denied");
    const reason = "Not on a Friday.";
    await call(ana, "approval_decide", { ...only(denied), decision: "deny_continue", reason });
    const ended = await requested(hub, scout, "ended");
    await call(ana, "approval_decide", { ...only(ended), decision: "deny_abort" });
    await requested(hub, scout, "late", { expires_seconds: 10 });
    await hub.tick(11_000);
    const rules = [{ tool: "runtime_exec", decision: "deny_continue", reason: "Never here." }];
    await call(ana, "policy_set", { document: { rules, default: "ask" }, expected_version: 0 });
    await requested(hub, scout, "ruled");
    const shown = async () => (await readAll(hub, ana)).map((item) => ("approval" in item ? item.approval : undefined));
    await expect.poll(shown).toMatchObject([
      { state: "denied", outcome: "user_deny_continue", decided_by: "ana", decided_via: "http", reason },
      { state: "denied", outcome: "user_deny_abort", decided_by: "ana" },
      { state: "expired", outcome: null, decided_by: null },
      { state: "denied", outcome: "policy_deny_continue", decided_by: "policy", reason: "Never here." },
    ]);
    // For how long a person was asked: not at all, where the policy decided.
    const waited = (await readAll(hub, ana)).flatMap((item) => ("waited_ms" in item ? [item.waited_ms] : []));
    expect(waited.map((ms) => ms !== null)).toEqual([true, true, true, false]);
    expect(waited[2]).toBeGreaterThanOrEqual(10_000);
    const { body } = await hub.call(ana, "agent_status", { agent: "scout" });
    expect(body.turn).toMatchObject({ id: turn_id, status: "running" });
  });

  test("what an agent asks people and the tasks it makes are on its timeline, with what became of them", async () => {
    const { hub, ana, scout, call, consumer } = await openHub();
    // As a runtime declares it in what it does for its model.
    const headers = { "x-parley-cause": await begun(consumer) };
    const task = async (content: string) => (await hub.call(scout, "task_create", { content }, headers)).body.id;
    const { question_id } = await call(scout, "add_question", { question: "Which colour?", blocking: true });
    const [task_id, dropped] = [await task("Paint the door"), await task("Paint the roof")];
    await call(scout, "task_create", { content: "Not in its turn" });
    await call(ana, "task_create", { content: "Another's" });
    const facts = [
      { kind: "Question", question_id, question: "Which colour?", blocking: true },
      { kind: "Task", task_id: String(task_id), content: "Paint the door" },
      { kind: "Task", task_id: String(dropped), content: "Paint the roof" },
    ];
    const open = facts.map((fact) => ({ ...fact, ...(fact.kind === "Task" ? { outcome: null } : { state: "open" }) }));
    const before = await readAll(hub, ana);
    expect(before).toMatchObject(open);
    await call(ana, "submit_answers", { answers: [{ question_id, answer: "Green" }] });
    const walt = await hub.token("worker", "walt");
    await call(walt, "get_next_task");
    await call(walt, "task_complete", { task_id, response_summary: "It is green" });
    await call(scout, "task_cancel", { task_id: dropped });
    const after = await readAll(hub, ana);
    expect(after).toMatchObject([
      { ...facts[0], state: "answered", answer: "Green", answered_by: "ana" },
      { ...facts[1], outcome: "done", result: "It is green" },
      { ...facts[2], outcome: "cancelled" },
    ]);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    // What has changed is found without reading everything.
    const changed_after = before.at(-1)?.id;
    const { items, last_id } = await call(ana, "timeline_read", { agent: "scout", changed_after });
    expect(items).toEqual(after);
    expect(await call(ana, "timeline_read", { agent: "scout", changed_after: last_id })).toMatchObject({ items: [] });
    const { steps } = await call(ana, "event_why", { id: after[0]?.id });
    expect(steps.length).toBeGreaterThan(1);
  });

  test("of an agent that no runtime runs its chat is the timeline, whatever it asks", async () => {
    const { hub, ana, scout, call } = await openHub();
    await call(scout, "add_question", { question: "Which?" });
    await call(scout, "task_create", { content: "Dust" });
    await requested(hub, scout, "a");
    expect(await readAll(hub, ana)).toEqual([]);
  });

  test("TIMELINE-5: the rows are what the reducer makes of the log, however calls are asked about and decided", async () => {
    const { hub, ana, scout } = await openHub();
    let spaces = 0;
    const step = fc.constantFrom(
      "begin",
      "call",
      "ask",
      "decide",
      "deny",
      "output",
      "end",
      "restart",
      "question",
      "task",
    );
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      spaces += 1;
      const { body: space } = await hub.call(hub.admin, "space_create", { id: `sess_follow_${spaces}` });
      const headers = { "x-session-id": space.space };
      await hub.token("human", "ana", space.space);
      await hub.token("agent", "scout", space.space);
      const inside = { call: (t: string, tool: string, args: object) => hub.call(t, tool, args, headers) };
      // All that a consumer uses of a hub is `call`.
      const consumer = new Consumer(inside as TestHub, scout);
      await consumer.start();
      let [turn, calls]: [string | undefined, string[]] = [undefined, []];
      const asked: { id: string; digest: string }[] = [];
      for (const [at, what] of steps.entries()) {
        if (what === "begin") turn ??= await consumer.begin();
        if (what === "call" && turn) {
          calls.push(`c${at}`);
          await consumer.call(turn, `c${at}`);
        }
        const last = calls.at(-1);
        if (what === "ask" && last) asked.push(await requested(hub, scout, last, {}, headers));
        const decision = what === "deny" ? "deny_continue" : "approve";
        const open = what === "decide" || what === "deny" ? asked.shift() : undefined;
        if (open) await inside.call(ana, "approval_decide", { ...only(open), decision });
        if (what === "output" && turn && calls[0]) await consumer.output(turn, calls.shift() ?? "");
        if (what === "question") await inside.call(scout, "add_question", { question: `${at}?` });
        const cause = turn === undefined ? {} : { "x-parley-cause": turn };
        if (what === "task") await hub.call(scout, "task_create", { content: `${at}` }, { ...headers, ...cause });
        if (what === "end" && turn) await consumer.end(turn);
        if (what === "restart") await consumer.start();
        if (what === "end" || what === "restart") [turn, calls] = [undefined, []];
      }
      const rows = await readAll(hub, ana, { headers, limit: 3 });
      expect(rows).toEqual(await reduced(hub, scout, headers));
    });
    await fc.assert(property, { numRuns: 12, endOnFailure: true });
  });
});
