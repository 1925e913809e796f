/** An agent that is a program of its own and speaks ACP: what it does is on the timeline, and what goes wrong ends there. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../local/processes.ts";
import { ACP_AGENT } from "../testing/agents/acp-agent.ts";
import { eachDatabase } from "../testing/hub.ts";
import { call, Model, say, YIELD } from "../testing/model.ts";
import { openAgentHub, portOf, Running } from "../testing/running-agent.ts";
import { writtenLines } from "../testing/written.ts";
import { AcpDriver, type AcpOptions } from "./drivers/acp.ts";
import type { ProgramDriver } from "./drivers/program.ts";
import { sessionFile } from "./drivers/sessions.ts";

const SLOW = { timeout: 60_000 };

eachDatabase((open, database) => {
  async function openAcp({ words = [], limits }: { words?: string[]; limits?: AcpOptions["limits"] } = {}) {
    const opened = await openAgentHub(open);
    const { hub, ana, start } = opened;
    const folder = mkdtempSync(join(tmpdir(), "parley-acp-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const lines = (name: string): string[] => writtenLines(join(folder, name));
    const driver = (more: string[] = words) =>
      new AcpDriver({
        command: {
          ...{ argv: [process.execPath, ACP_AGENT, folder, ...more], cwd: folder, given: {} },
          ...{ env: { PATH: process.env.PATH ?? "" }, grace_ms: 200 },
        },
        servers: (_capabilities, token) => ({
          ...({ type: "http", name: "parley", url: `${hub.url}/mcp/chat-assistant+loop+mail` } as const),
          headers: [{ name: "Authorization", value: `Bearer ${token}` }],
        }),
        sessions: sessionFile(join(folder, "session.json")),
        limits: { start_ms: 120_000, cancel_ms: 120_000, ...limits },
      });
    const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
    const decide = async (decision: string, reason = "") => {
      await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("pending");
      const [{ id, digest }] = await asked();
      return hub.call(ana, "approval_decide", { id, digest, decision, reason });
    };
    const rule = async (decision: string) => {
      const document = { rules: [{ tool: "edit_file", server: "acp", decision }] };
      await hub.call(ana, "policy_set", { document, expected_version: 0 });
    };
    const ended = (...outcomes: string[]) => expect.poll(opened.ends, SLOW).toEqual(outcomes);
    const prompts = (): { session: string; texts: string[] }[] => lines("prompts").map((line) => JSON.parse(line));
    const tools = async () => (await opened.items()).filter(({ kind }: { kind: string }) => kind === "Tool");
    // What it does and what it has the hub do come by two ways: which of both is there first is not said.
    const end = async () => (await opened.items()).findLast(({ kind }: { kind: string }) => kind === "EndTurn");
    const why = async () => (await end())?.error;
    const pids = () => lines("pids").map(Number);
    const run = () => start(driver());
    return { ...opened, driver, run, asked, decide, rule, ended, prompts, tools, end, why, pids };
  }

  test("it hears what is said, answers by the hub's own tools, and what it does is on the timeline", async () => {
    const { hub, ana, tell, run, ended, end, items, tools, prompts } = await openAcp();
    await using _ = await run();
    await tell("say:Let me see.; tool:read_file; say:So.; cost:0.5; post:Hello, ana.");
    await ended("finished");
    expect(await tools()).toMatchObject([
      { tool: "read_file", arguments: '{"path":"notes.txt"}', outcome: "done", output: "read_file is done" },
    ]);
    expect((await items()).map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      ...["AssistantMarkdown", "EndTurn", "Tool", "UserMessage"],
    ]);
    expect(await end()).toMatchObject({ cost_usd: 0.5 });
    const { messages } = (await hub.call(ana, "chat_read_since", {})).body;
    expect(messages.map(({ content }: { content: string }) => content).slice(1)).toEqual(["Hello, ana."]);
    await tell("cost:0.75; slowly:read_file; yield");
    await ended("finished", "finished");
    expect((await tools())[1]).toMatchObject({
      arguments: '{"path":"notes.txt"}',
      outcome: "done",
      output: '{"lines":3}',
    });
    expect(await end()).toMatchObject({ cost_usd: 0.25 });
    const [first, second] = prompts();
    expect(first?.texts).toEqual([expect.stringContaining("You are scout"), expect.stringContaining("Let me see")]);
    expect(second).toEqual({ session: first?.session, texts: ["cost:0.75; slowly:read_file; yield"] });
  });

  test("what a prompt has used in tokens is recorded with its turn, where the program says so in its answer", async () => {
    const { tell, run, ended, end } = await openAcp();
    await using _ = await run();
    await tell("tokens:100,20,7; cost:0.5; yield");
    await ended("finished");
    expect(await end()).toMatchObject({ input_tokens: 120, output_tokens: 7, cost_usd: 0.5 });
    await tell("tokens:30,0,5; yield");
    await ended("finished", "finished");
    expect(await end()).toMatchObject({ input_tokens: 30, output_tokens: 5, cost_usd: 0 });
    await tell("tokens:-1,many,5; yield");
    await ended("finished", "finished", "finished");
    expect(await end()).toMatchObject({ input_tokens: 0, output_tokens: 5 });
  });

  test("RUN-16: what it answers is shown to nobody; it is told so three times, then the turn fails", async () => {
    const { hub, ana, tell, run, ended, why, prompts } = await openAcp();
    await using _ = await run();
    await tell("say:Hello! | post:Oh, hello.");
    await ended("finished");
    expect(prompts()[1]?.texts).toEqual([expect.stringContaining("chat_assistant_post")]);
    await tell("say:Nobody hears me.");
    await ended("finished", "failed");
    expect(prompts()).toHaveLength(6);
    expect(await why()).toContain("without a post and without a yield");
    const { messages } = (await hub.call(ana, "chat_read_since", {})).body;
    expect(messages).toHaveLength(3);
  });

  test("what is said while it works comes in its next prompt, once", async () => {
    const { tell, run, ended, decide, prompts } = await openAcp();
    await using _ = await run();
    await tell("ask:edit_file; yield");
    await expect.poll(prompts, SLOW).toHaveLength(1);
    await tell("yield");
    await decide("approve");
    await ended("finished", "finished");
    expect(prompts().map(({ texts }) => texts.at(-1))).toEqual(["ask:edit_file; yield", "yield"]);
  });

  test("POLICY-15: what it calls of the hub by MCP without asking is asked about there; what it has asked about is not asked twice", async () => {
    const { hub, ana, tell, run, ended, asked, decide, tools } = await openAcp();
    const sent = async () => (await hub.call(ana, "mail_inbox", {})).body.messages.length;
    const states = async () => (await asked()).map(({ executes, state }: Record<string, string>) => [executes, state]);
    await using _ = await run();
    await tell("mail:ana; yield");
    await ended("finished");
    expect((await tools())[0]).toMatchObject({
      outcome: "failed",
      output: expect.stringContaining("APPROVAL_PENDING"),
    });
    await decide("approve");
    expect(await sent()).toBe(0);
    await tell("mail:ana; yield");
    await ended("finished", "finished");
    expect(await sent()).toBe(1);
    await tell("asked:ana; yield");
    await decide("approve");
    await ended("finished", "finished", "finished");
    expect(await sent()).toBe(2);
    expect(await states()).toEqual([
      ["client", "answered"],
      ["hub", "completed"],
    ]);
    // One that does it all the same.
    await tell("asked:ana; yield");
    await decide("deny_continue");
    await ended("finished", "finished", "finished", "finished");
    expect(await sent()).toBe(2);
    expect((await states())[0]).toEqual(["hub", "pending"]);
  });

  test("what it does in the hub has the turn as its cause, in each turn of one session, back to what a person said", async () => {
    const { hub, ana, tell, run, ended, prompts, allow } = await openAcp();
    await allow("mail_send");
    const running = await run();
    for (const nth of [1, 2]) {
      const { body } = await tell(`mail:ana; say:${nth}; yield`);
      await ended(...Array.from({ length: nth }, () => "finished"));
      const { messages } = (await hub.call(ana, "mail_inbox", {})).body;
      const { steps, end } = (await hub.call(ana, "event_why", { id: messages[0].id })).body;
      expect(steps).toMatchObject([
        { kind: "mail", by: "scout", how: "credential" },
        { kind: "turn", by: "scout", how: "reaction" },
        { id: body.id, by: "ana" },
      ]);
      expect(end).toBe("first");
    }
    expect(prompts()[1]?.session).toBe(prompts()[0]?.session);
    await running.stop();
  });

  test("the token that it was handed works no more when its runtime is over, or another takes its place", async () => {
    const { hub, tell, start, ended } = await openAcp();
    const tokens: string[] = [];
    const program: ProgramDriver = {
      ...{ name: "acp", hub_server: "parley", close: async () => {}, mask: (text: string) => text },
      work: async ({ token }) => {
        tokens.push(token);
        await hub.call(token, "loop_yield_turn", {});
      },
    };
    const works = () => Promise.all(tokens.map(async (token) => (await hub.call(token, "whoami")).status));
    const first = await start(program);
    await tell("one");
    await ended("finished");
    await tell("two");
    await ended("finished", "finished");
    expect(new Set(tokens).size).toBe(1);
    expect(await works()).toEqual([200, 200]);
    const second = await start(program);
    expect(await first.ended).toBe("superseded");
    await tell("three");
    await ended("finished", "finished", "finished");
    expect(await works()).toEqual([401, 401, 200]);
    await second.stop();
    expect(await works()).toEqual([401, 401, 401]);
  });

  // The rest is between a runtime and a program, whichever database there is.
  if (database !== "sqlite") return;

  test("its permission requests are approvals: allowed this once, denied with a reason that it is told, or the turn ends", async () => {
    const { tell, run, ended, asked, decide, tools, why, prompts } = await openAcp();
    await using _ = await run();
    await tell("ask:edit_file; yield");
    await decide("approve");
    await ended("finished");
    expect(await asked()).toMatchObject([
      {
        ...{ state: "answered", server: "acp", tool: "edit_file", arguments: { path: "notes.txt" } },
        ...{ covers: "arguments", executes: "client", editable: false },
      },
    ]);
    expect((await tools()).at(-1)).toMatchObject({ outcome: "done", output: "was told yes" });
    await tell("bare:edit_file | yield");
    await decide("deny_continue", "not that file");
    await ended("finished", "finished");
    expect((await asked())[0]).toMatchObject({ covers: "preview", about: expect.stringContaining("not given") });
    expect((await tools()).at(-1)).toMatchObject({ outcome: "failed", output: "was told no" });
    expect(prompts().at(-1)?.texts.join("\n")).toContain("not that file");
    await tell("ask:edit_file; yield");
    await decide("deny_abort");
    await ended("finished", "finished", "failed");
    expect(await why()).toContain("edit_file was denied");
  });

  test("the policy decides without a person, and nothing is ever allowed for good", async () => {
    const { tell, run, ended, asked, rule, tools } = await openAcp();
    await rule("allow");
    await using _ = await run();
    // Of the hub's own tools it is as of those of a model: reading and answering needs nobody.
    await tell("ask:edit_file; always:edit_file; ask:mcp__parley__mail_inbox; yield");
    await ended("finished");
    expect((await tools()).map(({ output }: { output: string }) => output)).toEqual([
      ...["was told yes", "was told cancelled", "was told yes"],
    ]);
    expect((await asked()).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...["policy_allow", "policy_allow", "policy_allow"],
    ]);
  });

  test("an abort withdraws what it asked for, and the program hears the next message", async () => {
    const { hub, ana, tell, run, ended, asked, prompts, pids } = await openAcp();
    await using _ = await run();
    await tell("ask:edit_file; yield");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("pending");
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await ended("aborted");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("withdrawn");
    await tell("yield");
    await ended("aborted", "finished");
    expect(prompts()).toHaveLength(2);
    expect(pids()).toHaveLength(1);
  });

  test("one that does not hear an abort is killed with all that it started, and started again for the next message", async () => {
    const { hub, ana, tell, run, ended, pids } = await openAcp({ words: ["deaf"], limits: { cancel_ms: 100 } });
    await using _ = await run();
    await tell("child; hang");
    await expect.poll(pids, SLOW).toHaveLength(2);
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await ended("aborted");
    await expect.poll(() => pids().some((pid) => isAlive(pid)), SLOW).toBe(false);
    await tell("yield");
    await ended("aborted", "finished");
    expect(pids()).toHaveLength(3);
  });

  test("one that never answers fails its turn with the reason, abort ends that as well, and other agents go on", async () => {
    const { tell, start, driver, ended, why, pids } = await openAcp({ limits: { start_ms: 500 } });
    await using running = await start(driver(["mute"]));
    await tell("hello");
    await ended("failed");
    expect(await why()).toContain("did not answer initialize within 0.5 s");
    expect(pids().some((pid) => isAlive(pid))).toBe(false);
    await running.stop();
    const patient = await openAcp({ words: ["mute"] });
    await using _ = await patient.run();
    await patient.tell("hello");
    await expect.poll(patient.pids, SLOW).toHaveLength(1);
    // Meanwhile another agent of the same hub is spoken to, works and answers.
    const mason = await patient.hub.token("agent", "mason");
    const model = new Model();
    await using _mason = new Running({ port: await portOf(patient.hub, mason, "in process"), driver: model });
    await patient.hub.call(patient.ana, "chat_human_post", { content: "And you?", agent: "mason" });
    model.answers(call("mail_inbox"));
    model.answers(say("I am here."), YIELD);
    const ofMason = async () =>
      (await patient.hub.call(patient.ana, "timeline_read", { agent: "mason", limit: 500 })).body.items;
    await expect.poll(async () => (await ofMason()).at(-1), SLOW).toMatchObject({ outcome: "finished" });
    expect((await ofMason()).map(({ kind }: { kind: string }) => kind)).toEqual([
      ...["UserMessage", "Tool", "AssistantMarkdown", "EndTurn"],
    ]);
    expect(await patient.status()).toMatchObject({ run_phase: "sampling" });
    await patient.hub.call(patient.ana, "agent_abort", { agent: "scout" });
    await patient.ended("aborted");
    await expect.poll(() => patient.pids().some((pid) => isAlive(pid)), SLOW).toBe(false);
  });

  test("one that says nothing any more is given up, unless a person is being asked", async () => {
    let now = 0;
    const { tell, run, ended, why, decide, asked, prompts } = await openAcp({ limits: { now: () => now } });
    await using _ = await run();
    await tell("ask:edit_file; yield");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("pending");
    now += 3_600_000;
    await decide("approve");
    await ended("finished");
    await tell("hang");
    await expect.poll(prompts, SLOW).toHaveLength(2);
    now += 3_600_000;
    await ended("finished", "failed");
    expect(await why()).toBe("The program has said nothing for 1800 s.");
  });

  test("one that crashes in the middle fails its turn with its last words, and takes back what it asked for", async () => {
    const { tell, run, ended, why, asked, pids, tools } = await openAcp();
    await using _ = await run();
    await tell("tool:read_file; crash");
    await ended("failed");
    expect(await why()).toBe("The program ended with exit code 3: it is all too much: parley_[secret]");
    expect(await tools()).toMatchObject([{ tool: "read_file" }]);
    await tell("ask:edit_file");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("pending");
    process.kill(pids().at(-1) ?? 0, "SIGKILL");
    await ended("failed", "failed");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("withdrawn");
    await tell("yield");
    await ended("failed", "failed", "finished");
  });

  test("floods and messages without end are the end of the turn; lines that are none are passed over", async () => {
    const { tell, run, ended, why, tools } = await openAcp();
    await using _ = await run();
    await tell("garbage; tool:read_file; yield");
    await ended("finished");
    expect(await tools()).toHaveLength(1);
    await tell("flood");
    await ended("finished", "failed");
    expect(await why()).toContain("told more than a turn may have");
    await tell("long");
    await ended("finished", "failed", "failed");
    await tell("error");
    await ended("finished", "failed", "failed", "failed");
    expect(await why()).toContain("The program says: It is broken (-32000)");
    await tell("yield");
    await ended("finished", "failed", "failed", "failed", "finished");
  });

  test("RUN-16: a turn that it has yielded is over, however much it does after that", async () => {
    const { tell, run, ended, prompts, tools } = await openAcp();
    await using _ = await run();
    // Two entries each: more than the log has on a page.
    await tell(`yield; ${"tool:read_file; ".repeat(400)}say:So.`);
    await ended("finished");
    expect(await tools()).toHaveLength(400);
    expect(prompts()).toHaveLength(1);
  });

  test("a budget that it reaches pauses it, and a person's word has it go on with what waits, in the same session", async () => {
    const { hub, ana, tell, run, ended, status, prompts } = await openAcp();
    await hub.call(ana, "budget_set", { scope: "agent", name: "scout", per_day: { cost_usd: 0.4 } });
    await using _ = await run();
    await tell("cost:0.5; yield");
    await ended("finished");
    expect(await status()).toMatchObject({ paused_by: "the budget" });
    await tell("cost:0.6; yield");
    const { needs } = (await hub.call(ana, "need_list", {})).body;
    expect(needs).toMatchObject([{ kind: "task.budget", choices: ["allow", "wait"] }]);
    expect(prompts()).toHaveLength(1);
    const { id, digest } = needs[0];
    await hub.call(ana, "notice_settle", { id, digest, choice: "allow" });
    await ended("finished", "finished");
    expect(prompts()[1]).toEqual({ session: prompts()[0]?.session, texts: ["cost:0.6; yield"] });
    // What it said it has cost in all is counted once.
    expect((await hub.call(ana, "budget_list", {})).body.budgets[0].used.cost_usd).toBeCloseTo(0.6);
  });

  test("TASK-31: a quota that it meets puts the turn off until a person ends the wait, or is the end of it where those are ignored", async () => {
    const { hub, ana, tell, run, ended, why, status, prompts } = await openAcp();
    await using _ = await run();
    await tell("quota | yield");
    await expect.poll(async () => (await status()).paused_by, SLOW).toBe("the quota");
    await hub.call(ana, "throttle_set", { account: "default" });
    await ended("finished");
    expect(prompts()).toHaveLength(2);
    expect(prompts()[1]?.session).toBe(prompts()[0]?.session);
    await hub.call(ana, "throttle_set", { account: "default", off: true });
    await tell("quota");
    await ended("finished", "failed");
    expect(await why()).toContain("The quota is used up");
  });

  test("the next runtime goes on with the session where the agent knows it, and tells a fresh one what was said", async () => {
    const { tell, start, driver, ended, prompts, items } = await openAcp();
    const first = await start(driver(["load"]));
    await tell("say:one; yield");
    await ended("finished");
    await first.stop();
    const second = await start(driver(["load"]));
    await tell("say:two; yield");
    await ended("finished", "finished");
    await second.stop();
    expect(prompts()[1]).toEqual({ session: prompts()[0]?.session, texts: ["say:two; yield"] });
    const third = await start(driver());
    await tell("say:three; yield");
    await ended("finished", "finished", "finished");
    await third.stop();
    expect(prompts()[2]?.session).not.toBe(prompts()[0]?.session);
    const told = prompts()[2]?.texts ?? [];
    expect(told).toHaveLength(3);
    expect(told[1]).toMatch(/They said: say:one; yield.*You called loop_yield_turn.*They said: say:two; yield/s);
    expect(told[2]).toBe("say:three; yield");
    // Somebody else answers in between: what the session knows is not all any more.
    const model = new Model();
    const other = await start(model);
    await tell("who are you?");
    model.answers(say("A model."), call("loop_yield_turn"), YIELD);
    await ended("finished", "finished", "finished", "finished");
    await other.stop();
    await using _ = await start(driver(["load"]));
    await tell("say:four; yield");
    await ended(...Array.from({ length: 5 }, () => "finished"));
    expect(prompts()[3]?.session).not.toBe(prompts()[2]?.session);
    expect(prompts()[3]?.texts[1]).toContain("You called chat_assistant_post");
    expect(JSON.stringify(await items())).not.toContain("long ago");
  });
});
