/**
 * The whole hub from one space into another, made from the definitions: every tool, resource, route and topic there is.
 * One that has no case fails. What is somebody else's looks like what nobody has, at every door and in both eras.
 */
import { beforeEach, expect, test } from "vitest";
import { describeTable, listRows } from "./archive/store.ts";
import type { Role } from "./context.ts";
import { CASES, type Ids, OF_THE_HUB, UNKNOWN, variableOf } from "./testing/foreign-cases.ts";
import { eachDatabase, type TestHub } from "./testing/hub.ts";
import { legacy, modern, Raw } from "./testing/mcp-raw.ts";
import { refusalOf, TimelineClient } from "./testing/timeline-socket.ts";
import type { Tool } from "./tool.ts";

const START = Date.UTC(2026, 0, 1);
const HERE = "sess_a";
const THERE = "sess_b";
/** In every text of the other space, and in none of this one. */
const MARK = "bravo";
const ROLES: readonly Role[] = ["agent", "human", "worker", "orchestrator", "observer", "trigger"];
const inSpace = (space: string) => ({ "x-session-id": space });

eachDatabase((open) => {
  let hub: TestHub;
  let tokens: Map<Role, string>;
  beforeEach(async () => {
    hub = await open({ now: START, config: { rate_limit: 100_000, rate_limit_kb: 100_000 } });
    for (const session_id of [HERE, THERE]) await hub.call(hub.admin, "create_session", { session_id });
    tokens = new Map([["admin", hub.admin]]);
    for (const role of ROLES) tokens.set(role, await hub.token(role, `${role}-here`, HERE));
  });

  /** Whoever of this space may use it. */
  const callerOf = ({ name, roles }: Pick<Tool, "name" | "roles">): string => {
    const role = [...ROLES, "admin" as const].find((role) => roles.includes(role));
    const token = role && tokens.get(role);
    if (!token) throw new Error(`nobody may use ${name}`);
    return token;
  };

  /** Something of everything, in the other space. */
  async function fillOther(): Promise<Ids> {
    // Positions are times: at the same one two spaces could have the same.
    await hub.tick(1000);
    const ben = await hub.token("human", `${MARK}-ben`, THERE);
    const mason = await hub.token("agent", `${MARK}-mason`, THERE);
    const made = async (token: string, tool: string, args: object) => {
      const { status, body } = await hub.call(token, tool, args);
      if (status !== 200) throw new Error(`${tool}: ${JSON.stringify(body)}`);
      return body;
    };
    const agent = `${MARK}-mason`;
    const message = await made(ben, "chat_human_post", { content: `${MARK} said`, agent });
    const mail = await made(mason, "mail_send", { to: [`${MARK}-ben`], subject: MARK, body: `${MARK} mail` });
    const task = await made(ben, "task_create", { content: `${MARK} task`, account: MARK });
    const notice = await made(mason, "notice_raise", {
      key: MARK,
      kind: "ask",
      title: `${MARK} asks`,
      choices: ["y", "n"],
    });
    const { notices } = await made(ben, "notice_list", {});
    await made(ben, "trigger_create", {
      name: `${MARK}-hook`,
      type: "webhook",
      prompt: MARK,
      webhook_secret: "x".repeat(20),
    });
    await made(mason, "mail_subscribe", { topic: `${MARK}-topic` });
    const note = await made(mason, "add_note", { content: `${MARK} note`, tags: [MARK] });
    await made(mason, "write_draft_section", { section_id: `${MARK}_section`, title: MARK, content: `${MARK} text` });
    const plan = await made(mason, "add_tasks", { tasks: [{ description: `${MARK} step` }] });
    const asked = await made(mason, "add_question", { question: `${MARK}?`, priority: "high", blocking: true });
    const { fence } = await made(mason, "runtime_start", { driver: "scripted" });
    await made(mason, "runtime_record", { fence, events: [{ type: "TurnStarted", key: MARK }] });
    const call = { key: MARK, call_id: MARK, server: MARK, tool: `${MARK}_tool`, arguments: { said: MARK } };
    const approval = await made(mason, "approval_request", call);
    const rule = { tool: `${MARK}_tool`, decision: "allow", reason: MARK };
    const proposal = await made(mason, "policy_propose", { rule, reason: MARK });
    await made(ben, "policy_set", { document: { rules: [rule] }, expected_version: 0 });
    const orchestrator = await hub.token("orchestrator", `${MARK}-lead`, THERE);
    const { checkpoint_id } = await made(orchestrator, "workflow_check", {});
    return {
      space: THERE,
      agent,
      person: `${MARK}-ben`,
      message: message.id,
      mail: mail.id,
      thread: mail.thread_id,
      task: task.id ?? task.task_id,
      notice: notice.id,
      digest: notices.find(({ id }: { id: string }) => id === notice.id)?.digest,
      trigger: `${MARK}-hook`,
      topic: `${MARK}-topic`,
      token: (await hub.actor(mason, THERE)).token_id,
      note: note.id,
      section: `${MARK}_section`,
      plan_task: plan.tasks[0].task_id,
      question: asked.question_id,
      checkpoint: checkpoint_id,
      approval: approval.id,
      proposal: proposal.id,
    };
  }

  /** Ids of the same kind that nobody has. */
  const unknownFor = (ids: Ids): Ids => {
    const later = (id: string, by: number) => String(Number(id) + by);
    const { message, mail, thread, task, notice, note, plan_task, question, checkpoint, approval, proposal } = ids;
    return {
      ...UNKNOWN,
      message: later(message, 101),
      mail: later(mail, 102),
      thread: later(thread, 103),
      task: later(task, 104),
      notice: later(notice, 105),
      note: later(note, 106),
      plan_task: later(plan_task, 107),
      question: later(question, 108),
      checkpoint: later(checkpoint, 109),
      approval: later(approval, 110),
      proposal: later(proposal, 111),
    };
  };

  /** An answer without what was asked for, by either of the two who ask. */
  const without = (answer: unknown, ...asked: Ids[]): string => {
    let text = JSON.stringify(answer);
    const all = asked.flatMap((ids) => Object.entries(ids)).sort(([, a], [, b]) => b.length - a.length);
    for (const [name, id] of all) text = text.replaceAll(id, `<${name}>`);
    // The thread of a mail that begins one has that mail's id.
    return text.replaceAll("<thread>", "<mail>");
  };

  async function rowsOf(space_id: string): Promise<unknown> {
    const all: [string, unknown][] = [];
    for (const name of hub.hub.ctx(await hub.actor(hub.admin)).contents.archived) {
      const table = await describeTable(hub.hub.database, name);
      all.push([name, await listRows(hub.hub.database, table, { space_id, after: undefined, limit: 10_000 })]);
    }
    return all;
  }

  /** The three ways to call a tool, each as [status, body]. */
  async function callEverywhere(tool: Tool, args: object): Promise<unknown[]> {
    const token = callerOf(tool);
    const plain = await hub.call(token, tool.name, args, inSpace(HERE));
    const raw = new Raw(hub.url, token, HERE);
    const rpc = { id: 1, method: "tools/call", params: { name: tool.name, arguments: args } };
    const [now, before] = [await raw.modern(rpc), await raw.legacy(await sessionOf(token), rpc)];
    return [
      [plain.status, plain.body],
      [now.status, now.body.result ?? now.body],
      [before.status, before.body.result ?? before.body],
    ];
  }

  const sessions = new Map<string, string>();
  beforeEach(() => sessions.clear());
  const sessionOf = async (token: string): Promise<string> => {
    const known = sessions.get(token) ?? (await new Raw(hub.url, token, HERE).session());
    sessions.set(token, known);
    return known;
  };

  const toolsAsked = () => hub.hub.tools.all.filter(({ name }) => !OF_THE_HUB.includes(name));

  test("SPACE-4: every tool has a case, and every case a tool", () => {
    const names = hub.hub.tools.all.map(({ name }) => name);
    expect([...Object.keys(CASES), ...OF_THE_HUB].sort()).toEqual([...names].sort());
  });

  test("SPACE-5: with a credential of one space every tool, route and topic of another is that of an unknown space, at every door", async () => {
    const ids = await fillOther();
    const unknown = unknownFor(ids);
    const all = hub.hub.modules.flatMap(({ routes = [] }) => routes);
    const routes = all.filter((route) => !("open" in route));
    expect(all.filter((route) => "open" in route).map(({ path }) => path)).toEqual(OPEN_ROUTES);
    const answersIn = async ({ space }: Ids): Promise<string[]> => {
      const answers: unknown[] = [];
      for (const tool of hub.hub.tools.all) {
        if (!ROLES.some((role) => tool.roles.includes(role))) continue;
        const token = callerOf(tool);
        const raw = new Raw(hub.url, token, space);
        const rpc = { id: 1, method: "tools/call", params: { name: tool.name, arguments: {} } };
        const plain = await hub.call(token, tool.name, {}, inSpace(space));
        const bridge = await hub.request("POST", "/api/mcp/call", { token, body: "{}", headers: inSpace(space) });
        const [now, before] = [await raw.modern(rpc), await raw.send("POST", "/mcp", { body: legacy(rpc) })];
        answers.push([
          tool.name,
          plain.status,
          plain.body,
          bridge.status,
          bridge.body,
          now.status,
          now.body,
          before.body,
        ]);
      }
      for (const route of routes) {
        if ("connect" in route) {
          answers.push([route.path, await refusalOf(hub, tokens.get("human") ?? "", `space=${space}`)]);
          continue;
        }
        const path = route.path.replaceAll(/:([a-z_]+)/g, (_, name) => variableOf(name, { ...ids, space }, route.path));
        const token = tokens.get("human");
        const { status, body } = await hub.request(route.method, path, {
          token,
          headers: inSpace(space),
          ...(route.method === "POST" && { body: "{}" }),
        });
        answers.push([route.method, route.path, status, body]);
      }
      for (const topic of hub.hub.modules.flatMap(({ topics = [] }) => topics)) {
        const { status, body } = await hub.request("GET", `/events?topics=${topic.name}`, {
          token: tokens.get("human"),
          headers: inSpace(space),
        });
        answers.push([topic.name, status, body]);
      }
      for (const path of ["/mcp", "/mcp/workspace", "/sse", "/sse/workspace"]) {
        const answer = await new Raw(hub.url, tokens.get("agent") ?? "", space).send("GET", path);
        answers.push([path, answer.status, answer.body]);
      }
      return answers.map((answer) => JSON.stringify(answer).replaceAll(space, "<space>"));
    };
    const [foreign, missing] = [await answersIn(ids), await answersIn(unknown)];
    expect(foreign).toEqual(missing);
    expect(foreign.length).toBeGreaterThan(100);
  });

  test("SPACE-4: the timeline of an agent of another space is that of an agent that nobody has", async () => {
    const ids = await fillOther();
    const unknown = unknownFor(ids);
    expect(hub.hub.modules.flatMap(({ routes = [] }) => routes).filter((route) => "connect" in route)).toHaveLength(1);
    for (const role of ["human", "agent"] as const) {
      const told = async (asked: Ids): Promise<string> => {
        using client = await TimelineClient.open(hub, tokens.get(role) ?? "", `agent=${asked.agent}`);
        await expect.poll(() => client.closed).toBeDefined();
        return without([client.closed, client.told], asked);
      };
      expect(await told(ids)).toBe(await told(unknown));
    }
  });

  test("SPACE-4: what is asked for from inside one space by an id of another is what nobody has, and nothing there changes", async () => {
    const ids = await fillOther();
    const unknown = unknownFor(ids);
    await hub.tick(1000);
    // Positions are the space's own: those of the other are not ahead of this one.
    await hub.call(callerOf({ name: "", roles: ["human"] }), "chat_human_post", { content: "here" }, inSpace(HERE));
    const before = await rowsOf(THERE);
    const told: unknown[] = [];
    for (const tool of toolsAsked()) {
      const argsOf = CASES[tool.name];
      if (!argsOf) throw new Error(`${tool.name} has no case in foreign-cases.ts`);
      const foreign = await callEverywhere(tool, argsOf(ids));
      const missing = await callEverywhere(tool, argsOf(unknown));
      const [one, other] = [foreign, missing].map((answers) => shapeOf(tool, without(answers, ids, unknown)));
      if (one !== other) told.push([tool.name, one, other]);
      if (JSON.stringify(missing).includes(`${MARK} `)) told.push([tool.name, missing]);
    }
    expect(told).toEqual([]);
    expect(await rowsOf(THERE)).toEqual(before);
  });

  /** What a write made twice differs in: its own new ids. */
  const shapeOf = ({ writes, waits }: Tool, answer: string): string =>
    writes || waits ? answer.replaceAll(/\d{16}/g, "<made>") : answer;

  test("SPACE-4: no list, count, search or glance of one space is another one for what happens in another", async () => {
    const reads = toolsAsked().filter(({ writes, waits }) => !writes && !waits);
    const read = async () => {
      const answers: unknown[] = [];
      for (const tool of reads) {
        const args = CASES[tool.name]?.({ ...UNKNOWN, ...NOTHING }) ?? {};
        answers.push([tool.name, await callEverywhere(tool, args)]);
      }
      for (const uri of urisOf(hub).filter((uri) => !uri.includes("{"))) {
        const { body } = await new Raw(hub.url, tokens.get("human") ?? "", HERE).modern({
          method: "resources/read",
          params: { uri },
        });
        answers.push([uri, body]);
      }
      return answers;
    };
    await read();
    const before = await read();
    await fillOther();
    expect(await read()).toEqual(before);
  });

  test("SPACE-4: every resource of another space reads and is followed as one that is not there, in both eras", async () => {
    const ids = await fillOther();
    const unknown = unknownFor(ids);
    for (const uri of urisOf(hub).filter((uri) => uri.includes("{"))) {
      const ask = async (ids: Ids): Promise<string> => {
        const named = uri.replaceAll(/\{([a-z_]+)\}/g, (_, name) => variableOf(name, ids, uri));
        const answers: unknown[] = [];
        for (const role of ["human", "agent"] as const) {
          const raw = new Raw(hub.url, tokens.get(role) ?? "", HERE);
          const session = await raw.session();
          const params = { uri: named };
          answers.push(await raw.modern({ method: "resources/read", params }));
          for (const method of ["resources/read", "resources/subscribe"])
            answers.push(await raw.legacy(session, { id: 1, method, params }));
          const listening = modern({
            id: 7,
            method: "subscriptions/listen",
            params: { notifications: { resourceSubscriptions: [named] } },
          });
          // A section that nobody has written can be waited for: that one is open whoever asks.
          if (uri !== "parley://workspace/draft/{section}") answers.push(await raw.send("POST", "/mcp", listening));
        }
        return without(
          answers.map((answer) => [(answer as { status: number }).status, (answer as { body: unknown }).body]),
          ids,
        );
      };
      expect([uri, await ask(ids)]).toEqual([uri, await ask(unknown)]);
    }
  });

  test("SPACE-4: whoever follows everything of one space hears nothing of what happens in another, in both eras", async () => {
    const human = tokens.get("human") ?? "";
    const uris = urisOf(hub).filter((uri) => !uri.includes("{"));
    const topics = hub.hub.modules.flatMap(({ topics = [] }) => topics.map(({ name }) => name));
    const raw = new Raw(hub.url, human, HERE);
    using listening = await raw.listen(uris);
    const session = await raw.session();
    for (const [id, uri] of uris.entries())
      await raw.legacy(session, { id, method: "resources/subscribe", params: { uri } });
    await raw.legacy(session, { id: 0, method: "notifications/subscribe", params: {} });
    using stream = await raw.stream("GET", "/mcp", {
      headers: { "mcp-session-id": session, accept: "text/event-stream" },
    });
    const named = modern({
      method: "subscriptions/listen",
      params: { notifications: { "parley/scratchpad": {} } },
    });
    using notified = await raw.stream("POST", "/mcp", named);
    await notified.first(1);
    using events = await raw.stream("GET", `/events?topics=${topics.join(",")}`);
    await listening.first(1);
    const streams = [listening, stream, events, notified];
    const ids = await fillOther();
    // A position of there is none of here.
    const after = { "last-event-id": ids.message };
    using replayed = await raw.stream("POST", "/mcp", { ...named, headers: { ...named.headers, ...after } });
    streams.push(replayed);
    // What happens here is told after all that happened there.
    await hub.call(human, "chat_human_post", { content: "here", agent: "agent-here" }, inSpace(HERE));
    await hub.call(human, "add_note", { content: "a note from here" }, inSpace(HERE));
    await expect
      .poll(() => streams.map(({ messages }) => JSON.stringify(messages).includes("here")))
      .toEqual(streams.map(() => true));
    expect(JSON.stringify(streams.map(({ messages }) => messages))).not.toContain(MARK);
    const told = [...notified.messages, ...replayed.messages, ...stream.messages];
    expect(told.filter(({ params }) => (params.session_id ?? HERE) !== HERE)).toEqual([]);
    // A hint says no more than which resource: it has to be one that something of this space can have changed.
    const actor = await hub.actor(human, HERE);
    const table = await describeTable(hub.hub.database, "events");
    const own = await listRows(hub.hub.database, table, { space_id: HERE, after: undefined, limit: 1000 });
    const happened = new Set(own.map(({ topic }) => topic));
    expect(happened.has("tasks")).toBe(false);
    for (const { method, params } of [...listening.messages, ...stream.messages]) {
      if (method !== "notifications/resources/updated") continue;
      const { places } = await hub.hub.resources.watch(actor, params.uri);
      expect([params.uri, places.some(({ topic }) => happened.has(topic))]).toEqual([params.uri, true]);
    }
  });
});

/** They ask for no credential but a secret of their own, and say whether it is right. */
const OPEN_ROUTES = ["/api/webhook/:name", "/api/webhook/:in/:name"];

const NOTHING = {
  message: "1",
  mail: "2",
  thread: "3",
  task: "4",
  notice: "5",
  note: "1",
  plan_task: "1",
  question: "1",
  checkpoint: "1",
  approval: "1",
  proposal: "1",
};

const urisOf = (hub: TestHub): string[] =>
  hub.hub.modules.flatMap(({ resources = [] }) => resources.map(({ uri }) => uri));
