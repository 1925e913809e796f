import { beforeEach, expect, test } from "vitest";
import { parseId, timeOfId } from "../../ids.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T08:00:00Z");
const HOUR = 3600_000;
const PUSH = { cmd: ["git", "push"] };
const BASE = { call_id: "c", server: "runtime", tool: "runtime_exec", arguments: PUSH };

eachDatabase((open, database) => {
  let hub: TestHub;
  let [ana, ben, scout, mason, chief]: string[] = [];
  let asked = 0;
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    [scout, mason] = [await hub.token("agent", "scout"), await hub.token("agent", "mason")];
    chief = await hub.token("orchestrator", "chief");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}, headers = {}) =>
    (await hub.call(token, tool, args, headers)).body;
  const request = (more: object = {}, token = scout) => {
    const key = `k${++asked}`;
    const made = { key, call_id: key, server: "runtime", tool: "runtime_exec", arguments: PUSH };
    return call(token, "approval_request", { ...made, ...more });
  };
  const decide = (to: { id: string; digest: string }, more: object = {}, token = ana) =>
    call(token, "approval_decide", { id: to.id, digest: to.digest, decision: "approve", ...more });
  const claim = (id: string, more: object = {}, token = scout) =>
    call(token, "approval_claim", { id, holder: "one", ...more });
  const get = (id: string) => call(ana, "approval_get", { id });
  const wait = (id: string, wait_seconds = 0) => call(scout, "approval_wait", { id, wait_seconds });
  const allow = (rules: object[]) =>
    call(ana, "policy_set", { document: { rules, default: "ask" }, expected_version: 0 });

  test("POLICY-1: allow executes; record PENDING->EXECUTING->COMPLETED with timestamps in order", async () => {
    await allow([{ tool: "runtime_exec", decision: "allow" }]);
    const ruled = await request();
    expect(ruled).toMatchObject({ state: "approved", outcome: "policy_allow", arguments: PUSH });
    await hub.tick(1000);
    expect(await claim(ruled.id)).toMatchObject({ state: "executing", holder: "one", arguments: PUSH });
    await hub.tick(1000);
    const finished = { id: ruled.id, holder: "one", outcome: "completed" };
    expect(await call(scout, "approval_finish", finished)).toMatchObject({ state: "completed" });
    const { requested_at, decided_at, executing_at, ended_at, decided_by } = await get(ruled.id);
    expect(decided_by).toBe("policy");
    const times = [requested_at, decided_at, executing_at, ended_at];
    expect(times).toEqual(times.toSorted());
    expect(new Set(times).size).toBe(3);
    // Claimed with the request, where the policy allows it.
    const at_once = await request({ key: "same", holder: "one" });
    expect(at_once).toMatchObject({ state: "executing", holder: "one" });
    expect(await request({ key: "same", holder: "one" })).toEqual(at_once);
  });

  test.each([
    ["POLICY-2: deny_continue: not executed, `-32951`, model sees the reason", "deny_continue", -32951],
    ["POLICY-3: deny_abort: not executed, `-32950`, model sees the reason", "deny_abort", -32950],
  ])("%s", async (_, decision, code) => {
    await allow([{ tool: "runtime_exec", decision, reason: "Not from here." }]);
    const denied = await request({ holder: "one" });
    expect(denied).toMatchObject({ state: "denied", outcome: `policy_${decision}`, code, holder: null });
    expect(denied.says).toBe("The policy denies it: Not from here.");
    expect(await claim(denied.id)).toMatchObject({ code: "APPROVAL_STATE", state: "denied" });
    expect(await decide(denied)).toMatchObject({ code: "ALREADY_DECIDED", decided_by: "policy" });
    expect((await call(ana, "need_list")).needs).toEqual([]);
  });

  test("POLICY-4: an approval item (call_id of the model, tool, args) appears without reload; run phase waiting_approval", async () => {
    using stream = await EventStream.open(hub.url, { token: ana ?? "", topics: "approvals" });
    const { id, digest, state, says } = await request({ call_id: "call_7" });
    expect({ state, says }).toEqual({ state: "pending", says: "It waits for a person to decide." });
    const about = { approval_id: id, agent: "scout", tool: "runtime_exec" };
    expect((await stream.until(1))[0]?.data).toMatchObject({ type: "approval.requested", ...about });
    expect(await get(id)).toMatchObject({ call_id: "call_7", tool: "runtime_exec", arguments: PUSH, agent: "scout" });
    const [need] = (await call(ana, "need_list")).needs;
    expect(need).toMatchObject({ id, digest, kind: "approval", from: "scout", tool: "approval_decide" });
    const { agents } = await call(ana, "agent_list");
    expect(agents).toContainEqual(expect.objectContaining({ name: "scout", run_phase: "waiting_approval", asks: 1 }));
    const status = await hub.hub.resources.read(await hub.actor(ana ?? ""), "ui://agent/scout/status");
    expect(status.body).toMatchObject({ pending_approvals: 1 });
  });

  test("U32: what waits says whether it can be run with other arguments, and whether all of them are shown", async () => {
    const whole = await request({ key: "whole" });
    const fixed = await request({ key: "fixed", editable: false });
    const shown = await request({ key: "shown", covers: "preview", arguments: { preview: "git push" } });
    expect((await call(ana, "need_list")).needs).toMatchObject([
      { id: shown.id, editable: false, covers: "preview" },
      { id: fixed.id, editable: false, covers: "arguments" },
      { id: whole.id, editable: true, covers: "arguments" },
    ]);
  });

  test("POLICY-5: approve executes at most once: of ten who claim one has it, and nobody after a crash", async () => {
    const made = await request();
    expect(await claim(made.id)).toMatchObject({ code: "APPROVAL_STATE", state: "pending" });
    expect(await decide(made)).toMatchObject({ state: "approved", outcome: "user_approve", decided_by: "ana" });
    const second = database === "postgres" ? await open({ same: hub }) : hub;
    const tries = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const args = { id: made.id, holder: `holder ${n}`, fence: 1 };
        return (await (n % 2 ? second : hub).call(scout, "approval_claim", args)).body;
      }),
    );
    expect(tries.filter(({ state, code }) => state === "executing" && !code)).toHaveLength(1);
    // The runtime dies, and the next one begins.
    const recovered = await call(scout, "approval_recover", { fence: 2 });
    expect(recovered).toMatchObject({ unknown: [{ id: made.id, state: "unknown" }], open: [] });
    expect(await claim(made.id, { holder: "two", fence: 2 })).toMatchObject({ code: "APPROVAL_STATE" });
    expect(await claim(made.id, { fence: 1 })).toMatchObject({ code: "LEASE_LOST" });
    const [notice] = (await call(ana, "need_list")).needs;
    expect(notice).toMatchObject({ kind: "approval.unknown", agents: ["scout"] });
  });

  test("POLICY-6: user deny_continue / deny_abort: outcome user_*, the tool is not run, the reason reaches the model", async () => {
    for (const [decision, code] of [
      ["deny_continue", -32951],
      ["deny_abort", -32950],
    ] as const) {
      const made = await request();
      await decide(made, { decision, reason: "Ask mason first." });
      const seen = await wait(made.id);
      expect(seen).toMatchObject({ state: "denied", outcome: `user_${decision}`, code, reason: "Ask mason first." });
      expect(seen.says).toBe("ana denied it: Ask mason first.");
      expect(await claim(made.id)).toMatchObject({ code: "APPROVAL_STATE", state: "denied" });
    }
  });

  test("POLICY-7: approve in the same tick as the notice works: who begins to wait later has not missed it", async () => {
    const made = await request();
    const [seen, decided] = await Promise.all([wait(made.id, 30), decide(made)]);
    expect([seen.state, decided.state]).toEqual(["approved", "approved"]);
    expect(await wait(made.id, 30)).toMatchObject({ state: "approved" });
  });

  test("POLICY-8: second decision, unknown id -> conflict/not-found error, no effect", async () => {
    const made = await request();
    await decide(made, { decision: "deny_continue" });
    const late = await decide(made, {}, ben);
    expect(late).toMatchObject({ code: "ALREADY_DECIDED", decided_by: "ana", outcome: "user_deny_continue" });
    expect(await get(made.id)).toMatchObject({ state: "denied", decided_by: "ana" });
    expect(await decide({ id: "4711", digest: made.digest })).toMatchObject({ code: "APPROVAL_NOT_FOUND" });
    expect(await call(ana, "notice_settle", { id: made.id, digest: made.digest })).toMatchObject({
      error: expect.stringContaining("approval_decide"),
    });
  });

  test("POLICY-9: abort of the run withdraws its pending approvals; late approve does not execute", async () => {
    const made = await request();
    const taken = await call(scout, "approval_withdraw", { id: made.id });
    expect(taken).toMatchObject({ state: "withdrawn", outcome: null, code: null });
    expect(await decide(made)).toMatchObject({ code: "NOTICE_CLOSED", state: "withdrawn" });
    expect(await claim(made.id)).toMatchObject({ code: "APPROVAL_STATE" });
    expect((await call(ana, "need_list")).count).toBe(0);
  });

  test("POLICY-14: pending approvals are not shown to the model: its tools name none of them", async () => {
    await request();
    for (const tool of ["approval_list", "approval_get", "approval_decide", "need_list"])
      expect(await call(scout, tool, { id: "1" })).toMatchObject({ code: "FORBIDDEN" });
    expect((await call(scout, "mail_inbox")).messages).toEqual([]);
  });

  test("POLICY-16: history lists who decided (policy/user), outcome, reason, request and decision time", async () => {
    await allow([{ tool: "safe", decision: "allow" }]);
    const first = await request({ tool: "safe" });
    const second = await request();
    await hub.tick(1000);
    await decide(second, { decision: "deny_continue", reason: "No." }, ben);
    const { approvals, next } = await call(ana, "approval_list", { limit: 1 });
    const later = new Date(START + 1000).toISOString();
    expect(approvals).toMatchObject([
      { id: second.id, outcome: "user_deny_continue", decided_by: "ben", reason: "No.", decided_at: later },
    ]);
    expect(approvals[0].requested_at < later).toBe(true);
    const rest = await call(ana, "approval_list", { before: next });
    expect(rest.approvals).toMatchObject([{ id: first.id, outcome: "policy_allow", decided_by: "policy" }]);
    expect((await call(ana, "approval_list", { state: "denied" })).approvals).toHaveLength(1);
    expect((await call(ana, "approval_list", { agent: "mason" })).approvals).toEqual([]);
  });

  test("POLICY-17: ends that no person chose are named so, never as denied by the user", async () => {
    const made = await request({ expires_seconds: 60 });
    await hub.tick(HOUR);
    const seen = await wait(made.id);
    expect(seen).toMatchObject({ state: "expired", outcome: null, code: null, decided_by: null });
    expect(seen.says).toBe("Nobody decided in time. It was not run, and nobody has refused it.");
    expect(await decide(made)).toMatchObject({ code: "NOTICE_CLOSED", state: "expired" });
    expect(await claim(made.id)).toMatchObject({ code: "APPROVAL_STATE" });
    // Its time counts before anybody has noted that it is over.
    const next = await request({ expires_seconds: 60 });
    expect((await call(ana, "approval_list", { state: "pending" })).approvals).toMatchObject([{ id: next.id }]);
  });

  test("POLICY-19: every decision carries id and digest: a stale card can never decide the next request", async () => {
    const [first, second] = [await request({ key: "same" }), await request({ arguments: { cmd: ["rm", "-r", "/"] } })];
    expect(await decide({ id: second.id, digest: first.digest })).toMatchObject({ code: "NOTICE_CHANGED" });
    expect(await get(second.id)).toMatchObject({ state: "pending" });
    expect(await call(ana, "approval_decide", { id: first.id, decision: "approve" })).toMatchObject({
      code: "INVALID_ARGUMENT",
      error: expect.stringContaining("digest"),
    });
    // The same key is the same request, and no other.
    expect(await request({ key: "same" })).toMatchObject({ id: first.id, state: "pending" });
    expect(await request({ key: "same", arguments: {} })).toMatchObject({ code: "CONFLICT" });
  });

  test("the requester cannot decide, neither for itself nor for the agent it acts for", async () => {
    const as = { "x-caller-agent": "mason" };
    const own = await call(chief, "approval_request", { ...BASE, key: "c1" }, as);
    expect(own).toMatchObject({ state: "pending" });
    for (const token of [scout, mason, chief])
      expect(await decide(own, {}, token)).toMatchObject({ code: "FORBIDDEN" });
    expect(await call(scout, "approval_wait", { id: own.id })).toMatchObject({ code: "APPROVAL_NOT_FOUND" });
    expect(await claim(own.id)).toMatchObject({ code: "APPROVAL_NOT_FOUND" });
  });

  test("not now: it is out of this person's list, others still decide, and whoever asks is told pending", async () => {
    const made = await request();
    const waiting = wait(made.id, 30);
    await call(ana, "need_later", { id: made.id, until: "2h" });
    const until = new Date(START + 2 * HOUR).toISOString();
    expect(await waiting).toMatchObject({ state: "pending", pending_until: until });
    expect((await call(ana, "need_list")).needs).toEqual([]);
    expect((await call(ben, "need_list")).needs).toHaveLength(1);
    expect(await decide(made, {}, ben)).toMatchObject({ state: "approved" });
  });

  test("edit and approve: the others are run, under a digest of their own, and the model is told", async () => {
    const input_schema = { type: "object", properties: { cmd: { type: "array" } }, required: ["cmd"] };
    const made = await request({ input_schema });
    expect(await decide(made, { edited_arguments: { command: "x" } })).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await decide(made, { decision: "deny_continue", edited_arguments: PUSH })).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    const dry = { cmd: ["git", "push", "--dry-run"] };
    const decided = await decide(made, { edited_arguments: JSON.stringify(dry), reason: "Only try." });
    expect(decided).toMatchObject({ state: "approved", arguments: PUSH, edited_arguments: dry });
    expect(decided.edited_digest).not.toBe(made.digest);
    const claimed = await claim(made.id);
    expect(claimed).toMatchObject({ arguments: dry, edited: true, digest: decided.edited_digest });
    expect(claimed.says).toBe("ana approved it with other arguments: Only try.");
  });

  test("what the policy denies nobody can approve by editing", async () => {
    await allow([{ tool: "runtime_exec", when: { "cmd.0": "rm" }, decision: "deny_continue", reason: "Never." }]);
    const made = await request();
    const refused = await decide(made, { edited_arguments: { cmd: ["rm"] } });
    expect(refused).toMatchObject({ code: "FORBIDDEN", error: expect.stringContaining("Never.") });
    expect(await get(made.id)).toMatchObject({ state: "pending" });
  });

  test("several at once: each is decided by itself, and what cannot be keeps nothing else from it", async () => {
    const [first, second, third] = [await request(), await request(), await request()];
    await decide(second, { decision: "deny_continue" }, ben);
    const approvals = [first, second, { ...third, digest: first.id }].map(({ id, digest }) => ({ id, digest }));
    const said = await call(ana, "approval_decide_several", { approvals, decision: "approve" });
    expect(said).toMatchObject({
      decided: [first.id],
      refused: [
        { id: second.id, code: "ALREADY_DECIDED" },
        { id: third.id, code: "NOTICE_CHANGED" },
      ],
    });
    expect(await get(third.id)).toMatchObject({ state: "pending" });
  });

  test("it waits for approval while its call is open, and is then what it reports, however that ended", async () => {
    const phase = async () => {
      const { agents } = await call(ana, "agent_list");
      return agents.find(({ name }: { name: string }) => name === "scout").run_phase;
    };
    await call(scout, "agent_report", { run_phase: "tools_running" });
    const ends: ((made: { id: string; digest: string }) => Promise<unknown>)[] = [
      (made) => decide(made, { decision: "deny_continue" }),
      ({ id }) => call(scout, "approval_withdraw", { id }),
      () => hub.tick(HOUR),
    ];
    for (const end of ends) {
      const made = await request({ expires_seconds: 60 });
      expect(await phase()).toBe("waiting_approval");
      await end(made);
      expect(await phase()).toBe("tools_running");
    }
  });

  test("U39: since when an agent waits for a person is the time of the first that is open, of whatever kind", async () => {
    const since = async () => {
      const { agents } = await call(ana, "agent_list");
      return agents.find(({ name }: { name: string }) => name === "scout").waiting_since;
    };
    expect(await since()).toBe(null);
    const first = await request();
    const asked_at = await since();
    expect(asked_at).toBe(timeOfId(parseId(first.id)));
    await hub.tick(4 * 60_000);
    const second = await request();
    const question = { key: "q", kind: "question", title: "Which?", choices: ["left", "right"] };
    const { id } = await call(scout, "notice_raise", question);
    expect(await since()).toBe(asked_at);
    await decide(first, { decision: "approve" });
    expect(Date.parse(await since()) - Date.parse(asked_at)).toBeGreaterThanOrEqual(4 * 60_000);
    await decide(second, { decision: "approve" });
    expect(await since()).toBe(timeOfId(parseId(id)));
    const [{ digest }] = (await call(ana, "need_list")).needs;
    await call(ana, "notice_settle", { id, digest, choice: "left" });
    expect(await since()).toBe(null);
  });

  test("no notice of an agent passes for a request: there is one way to ask whether a tool may be used", async () => {
    for (const kind of ["permission", "approval", "policy"])
      expect(await call(scout, "notice_raise", { key: "k", kind, title: "May I?" })).toMatchObject({
        code: "INVALID_ARGUMENT",
        error: expect.stringContaining("approval_request"),
      });
  });

  test("one agent has at most twenty open, and what is refused asks nobody", async () => {
    for (let n = 0; n < 20; n++) await request();
    expect(await request()).toMatchObject({ code: "TOO_MANY_APPROVALS", limit: 20 });
    expect(await request({}, mason)).toMatchObject({ state: "pending" });
  });

  test("an approval leads to what the agent was told, and only its agent and people see that", async () => {
    const { id: said } = await call(ana, "chat_human_post", { content: "Push it", agent: "scout" });
    const { id } = await call(scout, "approval_request", { ...BASE, key: "why" }, { "x-parley-cause": said });
    const steps = async (token: string | undefined) => (await call(token, "event_why", { id })).steps;
    expect(await steps(ana)).toMatchObject([{ id, kind: "approval", by: "scout" }, { id: said }]);
    expect(await steps(scout)).toMatchObject([{ id, kind: "approval" }, { id: said }]);
  });
});
