/** What programs that Parley runs call of the hub by their token, without asking anybody: the hub asks for them. */
import { once } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { AGENTS } from "../../context.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";

const NOW = Date.parse("2026-11-18T09:00:00.000Z");
const WEEK_MS = 7 * 24 * 3600 * 1000;

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, scout, program, turn_id] = ["", "", "", ""];
  let fence = 0;

  beforeEach(async () => {
    hub = await open({ now: NOW, config: { rate_limit: 1_000_000 } });
    [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const { body } = await hub.call(scout, "runtime_start", { driver: "command", with_token: true });
    ({ token: program, fence } = body);
    turn_id = await begin("first");
  });

  const begin = async (key: string): Promise<string> => {
    const events = [{ type: "TurnStarted", key }];
    return (await hub.call(scout, "runtime_record", { fence, events })).body.ids[0];
  };
  const set = async (...rules: object[]) => {
    const { version } = (await hub.call(ana, "policy_get")).body;
    return hub.call(ana, "policy_set", { document: { rules }, expected_version: version });
  };
  const SENT = { id: expect.any(String), to: expect.any(Array) };
  const MAIL = { to: ["ana"], subject: "Done", body: "As you said." };
  const send = async (more: object = {}, headers: Record<string, string> = {}) =>
    (await hub.call(program, "mail_send", { ...MAIL, ...more }, headers)).body;
  const sent = async () => (await hub.call(ana, "mail_inbox")).body.messages.length;
  const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
  const decide = async (decision: string, reason = "") => {
    const [{ id, digest }] = await asked();
    return hub.call(ana, "approval_decide", { id, digest, decision, reason });
  };

  test.each([
    ["deny_continue", -32951],
    ["deny_abort", -32950],
  ])(
    "POLICY-2 and POLICY-3: what the policy denies (%s) is not run at any door, and its program is told why",
    async (decision, policy_code) => {
      await set({ tool: "mail_send", decision, reason: "not by mail" });
      const { status, body } = await hub.call(program, "mail_send", MAIL);
      expect(status).toBe(403);
      expect(body).toMatchObject({
        ...{ code: "CALL_DENIED", policy_code, error: "The policy denies it: not by mail", state: "denied" },
      });
      const bridge = { server: "mail", tool: "mail_send", arguments: MAIL };
      const bridged = await hub.request("POST", "/api/mcp/call", { token: program, body: JSON.stringify(bridge) });
      expect(bridged.body).toMatchObject({ code: "CALL_DENIED", policy_code });
      for (const connect of Object.values(CLIENTS)) {
        await using mcp = await connect({ url: hub.url, token: program, facet: "mail" });
        const { isError, content } = await mcp.call("mail_send", MAIL);
        expect(isError).toBe(true);
        expect(content[0]?.text).toContain(String(policy_code));
        expect(content[0]?.text).toContain("not by mail");
      }
      expect(await sent()).toBe(0);
      expect(await asked()).toMatchObject(
        Array(2 + Object.keys(CLIENTS).length).fill({ executes: "hub", outcome: `policy_${decision}` }),
      );
      // Its own token is that of no program: what its holder may do is what its role may.
      expect((await hub.call(scout, "mail_send", MAIL)).status).toBe(200);
    },
  );

  test("POLICY-15: reading, speaking and yielding run at once and leave no approval; a rule binds them from the next call on", async () => {
    for (const [tool, args] of [
      ["mail_inbox", {}],
      ["read_notes", {}],
      ["mail_counts", {}],
      ["agent_heartbeat", {}],
      ["chat_assistant_post", { content: "x".repeat(200_000) }],
      ["loop_yield_turn", {}],
    ] as const)
      expect([tool, (await hub.call(program, tool, args)).status]).toEqual([tool, 200]);
    expect(await asked()).toEqual([]);
    await set(
      { tool: "mail_inbox", decision: "ask" },
      { tool: "mail_send", when: { subject: "Done" }, decision: "allow" },
    );
    expect((await hub.call(program, "mail_inbox")).body).toMatchObject({ code: "APPROVAL_PENDING" });
    expect(await send()).toMatchObject(SENT);
    expect(await send({ subject: "Other" })).toMatchObject({ code: "APPROVAL_PENDING" });
    await set({ tool: "*", decision: "deny_continue" });
    expect(await send()).toMatchObject({ code: "CALL_DENIED" });
    expect((await hub.call(program, "task_create", { content: "x" })).body).toMatchObject({ code: "CALL_DENIED" });
    // What keeps a program going is no deed of its agent.
    expect((await hub.call(program, "agent_heartbeat")).status).toBe(200);
  });

  test("POLICY-2 and POLICY-15: a resource is read as the tool that gives the same: denied, asked about or let through", async () => {
    for (const connect of Object.values(CLIENTS)) {
      await set({ tool: "read_notes", decision: "deny_continue", reason: "not the notes" });
      await using mcp = await connect({ url: hub.url, token: program });
      const [notes, all, plan] = ["notes", "", "plan"].map((part) => `parley://workspace/${part}`.replace(/\/$/, ""));
      await expect(mcp.read(notes ?? "")).rejects.toThrow("The policy denies it: not the notes");
      await expect(mcp.read(all ?? "")).rejects.toThrow("The policy denies it: not the notes");
      expect((await mcp.read(plan ?? "")).body).toBeDefined();
      await set({ tool: "mail_inbox", decision: "ask" });
      const inbox = "parley://mail/scout/inbox";
      await expect(mcp.read(inbox)).rejects.toThrow("a person has to approve this call first");
      expect((await asked())[0]).toMatchObject({ tool: "mail_inbox", arguments: { agent: "scout" }, executes: "hub" });
      await decide("approve");
      expect((await mcp.read(inbox)).body).toMatchObject({ messages: [] });
      await expect(mcp.read(inbox)).rejects.toThrow("a person has to approve this call first");
      await decide("deny_continue");
      await expect(mcp.read(inbox)).rejects.toThrow("ana denied it");
      // Its own token is that of no program.
      await using own = await connect({ url: hub.url, token: scout });
      expect((await own.read(inbox)).body).toMatchObject({ messages: [] });
    }
  });

  test("POLICY-2 and POLICY-15: a resource is followed as it is read: what is denied or asked about is not told of either", async () => {
    const inbox = "ui://chat/inbox";
    for (const connect of Object.values(CLIENTS)) {
      await set({ tool: "chat_read_since", decision: "deny_continue", reason: "not the chat" });
      await using mcp = await connect({ url: hub.url, token: program });
      await expect(mcp.subscribe(inbox)).rejects.toThrow();
      await set({ tool: "chat_read_since", decision: "ask" });
      await expect(mcp.subscribe(inbox)).rejects.toThrow();
      await hub.call(ana, "chat_human_post", { content: "for nobody's eyes", agent: "scout" });
      expect(mcp.updates).toEqual([]);
      expect((await asked())[0]).toMatchObject({ tool: "chat_read_since", state: "pending", executes: "hub" });
      await decide("approve");
      await mcp.subscribe(inbox);
      await hub.call(ana, "chat_human_post", { content: "hello", agent: "scout" });
      await expect.poll(() => mcp.updates.map(({ uri }) => uri)).toEqual([inbox]);
      // What was allowed once has been used up.
      await using other = await connect({ url: hub.url, token: program });
      await expect(other.subscribe(inbox)).rejects.toThrow();
      await decide("deny_continue");
      await expect(other.subscribe(inbox)).rejects.toThrow();
      await set();
      await other.subscribe(inbox);
    }
  });

  test("POLICY-2 and POLICY-15: what is followed as events or over a WebSocket is decided about as the tools that give the same", async () => {
    const begun = async (path: string, token: string) => {
      const abort = new AbortController();
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${hub.url}${path}`, { headers, signal: abort.signal });
      const told: unknown = answer.ok ? {} : await answer.json();
      abort.abort();
      return [answer.status, Object(told).code];
    };
    const upgraded = async (token: string) => {
      const ws = new WebSocket(`${hub.url.replace("http", "ws")}/ws`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const open = once(ws, "open").then(() => 101);
      const refused = once(ws, "unexpected-response").then(([, { statusCode }]) => statusCode);
      const status = await Promise.race([open, refused]);
      ws.terminate();
      return status;
    };
    const chat = "/events?topics=mail,chat";
    expect([await begun(chat, program), await upgraded(program)]).toEqual([[200, undefined], 101]);
    await set(
      { tool: "chat_read_since", decision: "deny_continue" },
      { tool: "timeline_read", decision: "deny_continue" },
      { tool: "mail_inbox", decision: "ask" },
    );
    expect(await begun("/events?topics=chat", program)).toEqual([403, "CALL_DENIED"]);
    expect(await begun("/events?topics=timeline", program)).toEqual([403, "CALL_DENIED"]);
    expect(await begun("/events?topics=mail", program)).toEqual([409, "APPROVAL_PENDING"]);
    expect(await begun("/events?topics=workspace", program)).toEqual([200, undefined]);
    expect(await upgraded(program)).toBe(403);
    // Its own token is that of no program.
    expect([await begun(chat, scout), await upgraded(scout)]).toEqual([[200, undefined], 101]);
  });

  test("POLICY-2 and POLICY-15: what is told by name is decided about as the tools that give the same", async () => {
    for (const connect of Object.values(CLIENTS)) {
      await set({ tool: "read_notes", decision: "deny_continue", reason: "not the notes" });
      await using mcp = await connect({ url: hub.url, token: program });
      for (const wish of [{}, { events: ["scratchpad/note_added"] }])
        await expect(mcp.follow(wish)).rejects.toThrow("not the notes");
      await mcp.follow({ events: ["scratchpad/section_created"] });
      await set();
      await mcp.follow({ events: ["scratchpad/note_added"] });
    }
  });

  test("the tools that a topic names as those that give the same are there", () => {
    const tools = new Set(hub.hub.modules.flatMap((module) => module.tools.map(({ name }) => name)));
    for (const { name, given_by } of hub.hub.modules.flatMap(({ topics = [] }) => topics))
      expect([name, given_by.filter((tool) => !tools.has(tool))]).toEqual([name, []]);
  });

  test("every resource that an agent may read names the tools that give the same, which it may call", () => {
    const tools = new Map(hub.hub.modules.flatMap((module) => module.tools.map((tool) => [tool.name, tool] as const)));
    const wrong = hub.hub.modules
      .flatMap((module) => module.resources ?? [])
      .filter(({ roles }) => AGENTS.some((role) => roles.includes(role)))
      .filter(({ given_by = [], roles }) => {
        const isFor = (name: string) => roles.every((role) => tools.get(name)?.roles.includes(role));
        return given_by.length === 0 || !given_by.every(isFor);
      });
    expect(wrong.map(({ uri }) => uri)).toEqual([]);
  });

  test("POLICY-19: what is asked about is one card of exactly this call; approved it runs once, and the next asks anew", async () => {
    const { status, body } = await hub.call(program, "mail_send", MAIL);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: "APPROVAL_PENDING",
      error: expect.stringContaining("exactly the same arguments"),
    });
    expect(await send()).toMatchObject({ approval_id: body.approval_id });
    expect(await asked()).toMatchObject([
      {
        ...{ id: body.approval_id, state: "pending", agent: "scout", server: "parley", tool: "mail_send" },
        ...{ arguments: MAIL, covers: "arguments", executes: "hub", editable: false },
      },
    ]);
    const [need] = (await hub.call(ana, "need_list")).body.needs;
    expect(need).toMatchObject({
      id: body.approval_id,
      text: expect.stringContaining("The hub runs exactly this, once"),
    });
    expect(await send({ subject: "Other" })).toMatchObject({ code: "APPROVAL_PENDING" });
    expect(await asked()).toHaveLength(2);
    // Nobody hands itself what only a call uses up.
    const [, { id, digest }] = await asked();
    await hub.call(ana, "approval_decide", { id, digest, decision: "approve" });
    expect((await hub.call(scout, "approval_claim", { id, holder: "me", fence })).body).toMatchObject({
      code: "APPROVAL_STATE",
    });
    // The order of its keys is nothing that changes a call.
    const { to, subject, body: text } = MAIL;
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map(() => hub.call(program, "mail_send", { body: text, subject, to })),
    );
    expect(all.filter((one) => one.status === 200)).toHaveLength(1);
    expect(await sent()).toBe(1);
    const done = (await asked()).find((one: { id: string }) => one.id === id);
    expect(done).toMatchObject({
      state: "completed",
      outcome: "user_approve",
      decided_by: "ana",
      ended_at: expect.any(String),
    });
    expect(await send()).toMatchObject({ code: "APPROVAL_PENDING" });
    expect(await sent()).toBe(1);
  });

  test("what its tool refuses leaves it approved: nothing was run, and it may be called again", async () => {
    const to = ["mason"];
    expect(await send({ to })).toMatchObject({ code: "APPROVAL_PENDING" });
    await decide("approve");
    expect(await send({ to })).toMatchObject({ code: "RECIPIENT_NOT_FOUND" });
    expect(await asked()).toMatchObject([{ state: "approved" }]);
    await hub.token("agent", "mason");
    expect(await send({ to })).toMatchObject(SENT);
    expect(await asked()).toMatchObject([{ state: "completed" }]);
    // What is wrong with the call itself is told before anybody is asked.
    expect((await hub.call(program, "mail_send", { to: 7 })).body).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await asked()).toHaveLength(1);
  });

  test("POLICY-17: denied, expired and withdrawn are told as what they are, once; the same call then asks anew", async () => {
    await send();
    await decide("deny_continue", "ask him first");
    expect(await send()).toMatchObject({
      ...{ code: "CALL_DENIED", policy_code: -32951, error: "ana denied it: ask him first" },
    });
    expect(await send()).toMatchObject({ code: "APPROVAL_PENDING" });
    await hub.tick(WEEK_MS);
    expect(await send()).toMatchObject({
      code: "NOTICE_CLOSED",
      state: "expired",
      error: expect.stringContaining("nobody has refused it"),
    });
    const { approval_id } = await send();
    await hub.call(program, "approval_withdraw", { id: approval_id });
    expect(await send()).toMatchObject({ code: "NOTICE_CLOSED", state: "withdrawn" });
    expect((await asked()).map(({ state }: { state: string }) => state)).toEqual(["withdrawn", "expired", "denied"]);
    expect(await sent()).toBe(0);
  });

  test("what its client has asked about and a person has allowed is not asked about again, and counts for exactly that call, once, in that turn", async () => {
    const permission = { server: "parley", tool: "mail_send", executes: "client" };
    const ask = async (key: string, more: object) => {
      await hub.call(scout, "approval_request", { key, call_id: key, ...permission, ...more });
      const [{ id, digest, tool }] = await asked();
      return { id, digest, tool };
    };
    const approve = async (key: string, more: object, edited: object = {}) =>
      hub.call(ana, "approval_decide", { ...(await ask(key, more)), tool: undefined, decision: "approve", ...edited });
    // By the runtime alone: the program could show another call than it makes.
    const own = { key: "own", call_id: "own", ...permission, arguments: {}, covers: "preview" };
    expect((await hub.call(program, "approval_request", own)).body).toMatchObject({ code: "FORBIDDEN" });
    await approve("one", { arguments: MAIL });
    expect(await send({ subject: "Other" })).toMatchObject({ code: "APPROVAL_PENDING" });
    expect(await send()).toMatchObject(SENT);
    expect(await send()).toMatchObject({ code: "APPROVAL_PENDING" });
    await approve(
      "two",
      { arguments: { ...MAIL, subject: "Two" } },
      { edited_arguments: { ...MAIL, subject: "Edited" } },
    );
    expect(await send({ subject: "Two" })).toMatchObject({ code: "APPROVAL_PENDING" });
    expect(await send({ subject: "Edited" })).toMatchObject(SENT);
    // Who saw nothing of it, or a part, has allowed none of it: the hub asks with all of it.
    await approve("three", { arguments: {}, covers: "preview" });
    await approve("same", { arguments: { ...MAIL, subject: "Three" }, covers: "preview" });
    expect(await send({ subject: "Three" })).toMatchObject({ code: "APPROVAL_PENDING" });
    const [{ arguments: shown, covers }] = await asked();
    expect([shown, covers]).toEqual([{ ...MAIL, subject: "Three" }, "arguments"]);
    expect((await asked()).filter(({ executes }: { executes: string }) => executes === "client")).toMatchObject(
      Array(4).fill({ state: "answered" }),
    );
    await approve("four", { arguments: { ...MAIL, subject: "Later" } });
    await hub.call(scout, "runtime_record", {
      fence,
      turn_id,
      events: [{ type: "TurnEnded", key: "end", outcome: "finished" }],
    });
    await begin("second");
    expect(await send({ subject: "Later" })).toMatchObject({ code: "APPROVAL_PENDING" });
  });

  test("what was done with an idempotency key is told again, and asks nobody", async () => {
    const key = { "Idempotency-Key": "k" };
    expect(await send({}, key)).toMatchObject({ code: "APPROVAL_PENDING" });
    await decide("approve");
    const first = await send({}, key);
    expect(first).toMatchObject(SENT);
    expect(await send({}, key)).toEqual(first);
    expect(await asked()).toHaveLength(1);
    expect(await sent()).toBe(1);
  });

  test("POLICY-3 and POLICY-6: a denial that ends the turn has its runtime abort it, and the timeline says why", async () => {
    const wanted = async () => (await hub.call(scout, "runtime_next", { fence, after_id: null, wait_seconds: 0 })).body;
    await send();
    await decide("deny_abort", "leave it");
    expect(await wanted()).toMatchObject({ abort_turn_id: turn_id });
    expect(await send()).toMatchObject({ code: "CALL_DENIED", policy_code: -32950 });
    const { items } = (await hub.call(ana, "timeline_read", { agent: "scout" })).body;
    expect(items).toMatchObject([{ kind: "Notice", content: expect.stringMatching(/mail_send was denied.*leave it/) }]);
    await hub.call(scout, "runtime_record", {
      fence,
      turn_id,
      events: [{ type: "TurnEnded", key: "end", outcome: "aborted" }],
    });
    turn_id = await begin("second");
    expect(await wanted()).toMatchObject({ abort_turn_id: null });
    await set({ tool: "mail_send", decision: "deny_abort" });
    await send();
    expect(await wanted()).toMatchObject({ abort_turn_id: turn_id });
  });

  test("POLICY-9: the abort of a turn takes back what its program had called, and a late approval runs nothing", async () => {
    await send();
    const [{ id, digest }] = await asked();
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await hub.call(scout, "runtime_record", {
      fence,
      turn_id,
      events: [{ type: "TurnEnded", key: "end", outcome: "aborted" }],
    });
    expect(await asked()).toMatchObject([{ state: "withdrawn" }]);
    const late = await hub.call(ana, "approval_decide", { id, digest, decision: "approve" });
    expect(late.body).toMatchObject({ code: "NOTICE_CLOSED" });
    expect(await sent()).toBe(0);
  });

  test("POLICY-9: with the abort itself all of that is taken back, also what was approved and not called again: it is run in no other turn", async () => {
    await send();
    await decide("approve");
    await send({ subject: "Later" });
    const [{ id, digest }] = await asked();
    expect((await hub.call(ana, "agent_abort", { agent: "scout" })).status).toBe(200);
    // Its program is still there.
    const late = await hub.call(ana, "approval_decide", { id, digest, decision: "approve" });
    expect(late.body).toMatchObject({ code: "NOTICE_CLOSED" });
    expect((await asked()).map(({ state }: { state: string }) => state)).toEqual(["withdrawn", "withdrawn"]);
    const events = [{ type: "TurnEnded", key: "end", outcome: "aborted" }];
    await hub.call(scout, "runtime_record", { fence, turn_id, events });
    await begin("second");
    const told = { code: "NOTICE_CLOSED", state: "withdrawn", error: expect.stringContaining("nobody has refused it") };
    expect(await send()).toMatchObject(told);
    expect(await send()).toMatchObject({ code: "APPROVAL_PENDING" });
    expect(await sent()).toBe(0);
  });

  test("what was approved in an earlier turn is still called once in the next, whatever else is aborted", async () => {
    await send();
    await decide("approve");
    await hub.call(scout, "runtime_record", {
      fence,
      turn_id,
      events: [{ type: "TurnEnded", key: "end", outcome: "finished" }],
    });
    turn_id = await begin("second");
    await hub.call(ana, "agent_abort", { agent: "scout" });
    const events = [{ type: "TurnEnded", key: "end-2", outcome: "aborted" }];
    await hub.call(scout, "runtime_record", { fence, turn_id, events });
    await begin("third");
    expect(await send()).toMatchObject(SENT);
    expect(await sent()).toBe(1);
  });

  test("a program is not its own runtime: it takes nothing over, writes no log and hands itself no approval", async () => {
    const asking = { key: "read", call_id: "read", server: "files", tool: "files_read", arguments: {} };
    await set({ tool: "files_read", decision: "allow" });
    const { id } = (await hub.call(scout, "approval_request", { ...asking, fence })).body;
    const refused = { status: 403, body: { code: "FORBIDDEN", error: expect.stringContaining("what runs an agent") } };
    for (const [tool, args] of [
      ["runtime_start", { driver: "command", with_token: true }],
      ["runtime_record", { fence, turn_id, events: [{ type: "TurnEnded", key: "end", outcome: "finished" }] }],
      ["runtime_next", { fence, after_id: null }],
      ["runtime_throttle", { fence, turn_id, until: "2026-11-19T09:00:00Z", error: "no" }],
      ["runtime_log", {}],
      ["approval_claim", { id, holder: "program", fence }],
      ["approval_finish", { id, holder: "program", outcome: "completed" }],
      ["approval_recover", { fence: Number.MAX_SAFE_INTEGER }],
    ] as const)
      expect([tool, await hub.call(program, tool, args)]).toMatchObject([tool, refused]);
    // The runtime goes on as if nothing had been tried, and what was allowed is its own to run.
    expect(await hub.call(scout, "approval_claim", { id, holder: "runtime", fence })).toMatchObject({ status: 200 });
    expect(await hub.call(scout, "runtime_next", { fence, after_id: null })).toMatchObject({ status: 200 });
  });
});
