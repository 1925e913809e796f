/** An agent whose turns are done by Claude Code or Codex: here by a program that prints what they print. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../local/processes.ts";
import { COMMAND_AGENT } from "../testing/agents/command-agent.ts";
import { eachDatabase } from "../testing/hub.ts";
import { openAgentHub } from "../testing/running-agent.ts";
import { writtenLines } from "../testing/written.ts";
import { type CommandClient, CommandDriver, type CommandOptions } from "./drivers/command.ts";
import { sessionFile } from "./drivers/sessions.ts";

const SLOW = { timeout: 60_000 };

interface Opening {
  client?: CommandClient;
  words?: string[];
  price?: CommandOptions["price"];
  limits?: CommandOptions["limits"];
}

eachDatabase((open, database) => {
  async function openCommand({ client = "claude", words = [], price, limits }: Opening = {}) {
    const opened = await openAgentHub(open);
    const { hub, ana, start } = opened;
    const folder = mkdtempSync(join(tmpdir(), "parley-command-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const lines = (name: string): string[] => writtenLines(join(folder, name));
    const driver = (more: string[] = words) =>
      new CommandDriver({
        ...{ client, price },
        command: {
          ...{ argv: [process.execPath, COMMAND_AGENT, client, folder, ...more, "--"], cwd: folder, given: {} },
          ...{ env: { PATH: process.env.PATH ?? "" }, grace_ms: 200 },
        },
        hub: { url: `${hub.url}/mcp/chat-assistant+loop`, space: undefined },
        sessions: sessionFile(join(folder, "session.json")),
        limits: { end_ms: 60_000, ...limits },
      });
    const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
    const decide = async (decision: string, more: object = {}) => {
      await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("pending");
      const [{ id, digest }] = await asked();
      return hub.call(ana, "approval_decide", { id, digest, decision, ...more });
    };
    const ended = (...outcomes: string[]) => expect.poll(opened.ends, SLOW).toEqual(outcomes);
    const prompts = (): { session: string; texts: string[]; args: string[] }[] =>
      lines("prompts").map((line) => JSON.parse(line));
    const tools = async () => (await opened.items()).filter(({ kind }: { kind: string }) => kind === "Tool");
    const end = async () => (await opened.items()).findLast(({ kind }: { kind: string }) => kind === "EndTurn");
    const why = async () => (await end())?.error;
    const pids = () => lines("pids").map(Number);
    const run = (...more: Parameters<typeof driver>) => start(driver(...more));
    const said = async () =>
      (await hub.call(ana, "chat_read_since", {})).body.messages.map(({ content }: { content: string }) => content);
    return { ...opened, folder, driver, run, asked, decide, ended, prompts, tools, end, why, pids, said };
  }

  test.each(["claude", "codex"] as const)(
    "%s does the turns: what it does is on the timeline with what it cost, and its session goes on",
    async (client) => {
      const { tell, run, ended, end, items, tools, prompts, said } = await openCommand({
        client,
        price: { input: 1000, output: 5000 },
      });
      await using _ = await run();
      await tell("say:Let me see.; tool:read_file; say:So.; post:Hello, ana.");
      await ended("finished");
      expect((await tools())[0]).toMatchObject({ outcome: "done", output: "read_file is done" });
      expect((await items()).map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
        ...["AssistantMarkdown", "EndTurn", "Tool", "UserMessage"],
      ]);
      // Codex does not say what it costs.
      const cost_usd = client === "claude" ? 0.25 : 0.15;
      expect(await end()).toMatchObject({ cost_usd, input_tokens: 100, output_tokens: 10 });
      expect((await said()).slice(1)).toEqual(["Hello, ana."]);
      await tell("yield");
      await ended("finished", "finished");
      expect(await end()).toMatchObject({ cost_usd, input_tokens: 100, output_tokens: 10 });
      const [first, second] = prompts();
      expect(first?.texts.join("\n")).toMatch(/You are scout.*Let me see/s);
      expect(second).toMatchObject({ session: first?.session, texts: ["yield"] });
      expect(JSON.stringify(prompts())).not.toMatch(/parley_[A-Za-z0-9]{20}/);
    },
  );

  test("RUN-16: what it answers is shown to nobody, and it is told so; a budget that is reached pauses it and asks", async () => {
    const { hub, ana, tell, run, ended, prompts, said, status } = await openCommand();
    await hub.call(ana, "budget_set", { scope: "agent", name: "scout", per_day: { cost_usd: 0.4 } });
    await using _ = await run();
    await tell("say:Hello! | post:Oh, hello.");
    await ended("finished");
    expect(prompts()[1]?.texts).toEqual([expect.stringContaining("chat_assistant_post")]);
    expect((await said()).slice(1)).toEqual(["Oh, hello."]);
    await expect.poll(async () => (await status()).paused_by, SLOW).toBe("the budget");
  });

  test.each(["claude", "codex"] as const)(
    "POLICY-2 and POLICY-5: what %s calls of the hub without asking is denied, or asked about and run once when a person approves it",
    async (client) => {
      const { hub, ana, tell, run, ended, asked, decide, tools, prompts } = await openCommand({ client });
      const rules = (...rules: object[]) =>
        hub.call(ana, "policy_set", { document: { rules }, expected_version: rules.length === 0 ? 1 : 0 });
      const filed = async () => (await hub.call(ana, "task_list", {})).body.tasks.length;
      await rules({ tool: "task_create", decision: "deny_continue", reason: "no more tasks" });
      await using _ = await run();
      await tell("file:Build it; yield");
      await ended("finished");
      expect((await tools())[0]).toMatchObject({ tool: "task_create", outcome: "failed" });
      expect((await tools())[0].output).toMatch(/no more tasks.*-32951|-32951.*no more tasks/);
      await rules();
      await tell("file:Build it; yield");
      await ended("finished", "finished");
      expect((await tools())[1].output).toContain("exactly the same arguments");
      expect(await filed()).toBe(0);
      await decide("approve");
      await tell("file:Build that; file:Build it; file:Build it; yield");
      await ended("finished", "finished", "finished");
      // It began no turn, and is told in the next one.
      expect(prompts()[2]?.texts.join("\n")).toContain("call it again with exactly these");
      expect(await filed()).toBe(1);
      expect((await asked()).map(({ state }: { state: string }) => state)).toEqual([
        ...["pending", "pending", "completed", "denied"],
      ]);
    },
  );

  // The rest is between a runtime and a program, whichever database there is.
  if (database !== "sqlite") return;

  test("what Claude Code wants to do is an approval: allowed as it was changed, denied with the reason, or the turn ends", async () => {
    const { tell, run, ended, asked, decide, tools, why } = await openCommand();
    await using _ = await run();
    await tell("ask:Edit; yield");
    await decide("approve", { edited_arguments: { path: "other.txt" } });
    await ended("finished");
    expect(await asked()).toMatchObject([
      {
        ...{ state: "answered", server: "claude-code", tool: "Edit", arguments: { path: "notes.txt" } },
        ...{ covers: "arguments", executes: "client", editable: true, about: "Use Edit" },
      },
    ]);
    expect((await tools())[0]).toMatchObject({ tool: "Edit", outcome: "done", output: 'ran {"path":"other.txt"}' });
    await tell("ask:Edit; yield");
    await decide("deny_continue", { reason: "not that file" });
    await ended("finished", "finished");
    expect((await tools())[1]).toMatchObject({ outcome: "failed", output: expect.stringContaining("not that file") });
    await tell("ask:mcp__parley__mail_inbox; yield");
    await ended("finished", "finished", "finished");
    expect((await asked())[0]).toMatchObject({ server: "parley", tool: "mail_inbox", outcome: "policy_allow" });
    await tell("ask:Edit; yield");
    await decide("deny_abort");
    await ended("finished", "finished", "finished", "failed");
    expect(await why()).toContain("Edit was denied");
  });

  test.each(["claude", "codex"] as const)(
    "TASK-31: a quota that %s meets holds its account, and the turn goes on by itself when that is over",
    async (client) => {
      const { hub, ana, tell, start, driver, ended, prompts, status, items } = await openCommand({ client });
      await using _ = await start(driver(), { account: "team" });
      await tell("quota | say:Well; yield");
      await expect.poll(async () => (await status()).paused_by, SLOW).toBe("the quota");
      expect(await status()).toMatchObject({ turn: { outcome: null } });
      const notice = (await items()).find(({ kind }: { kind: string }) => kind === "Notice");
      expect(notice.content).toMatch(/quota of the account team is used up: The program says: .*imit.* It goes on at/);
      // Whatever uses the account waits, and says so.
      const { id } = (await hub.call(hub.admin, "task_create", { content: "work", account: "team" })).body;
      expect((await hub.call(ana, "task_get", { task_id: id })).body).toMatchObject({ held_for: "quota" });
      await hub.call(ana, "throttle_set", { account: "team" });
      await ended("finished");
      expect(await status()).toMatchObject({ paused_by: null });
      // The session has the message, and is not given it again.
      expect(prompts()).toHaveLength(2);
      expect(prompts()[1]).toMatchObject({ session: prompts()[0]?.session, texts: [expect.stringContaining("go on")] });
    },
  );

  test("what it does in the hub has the turn as its cause, so a task that it files stands on the timeline", async () => {
    for (const client of ["claude", "codex"] as const) {
      const { tell, run, ended, items, allow } = await openCommand({ client });
      await allow("task_create");
      await using _ = await run();
      await tell("file:Build it; yield");
      await ended("finished");
      expect((await items()).filter(({ kind }: { kind: string }) => kind === "Task")).toMatchObject([
        { content: "Build it" },
      ]);
    }
  });

  test("an abort ends it with all that it started, whether it hears that or not, and its session goes on", async () => {
    const { hub, ana, tell, run, ended, asked, prompts, pids } = await openCommand({ limits: { end_ms: 500 } });
    const heard = await run();
    await tell("child; ask:Edit; yield");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("pending");
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await ended("aborted");
    await expect.poll(async () => (await asked())[0]?.state, SLOW).toBe("withdrawn");
    await expect.poll(() => pids().some((pid) => isAlive(pid)), SLOW).toBe(false);
    await heard.stop();
    await using _ = await run(["deaf"]);
    await tell("say:Well.; child; hang");
    await expect.poll(pids, SLOW).toHaveLength(4);
    await hub.call(ana, "agent_abort", { agent: "scout" });
    await ended("aborted", "aborted");
    await expect.poll(() => pids().some((pid) => isAlive(pid)), SLOW).toBe(false);
    await tell("yield");
    await ended("aborted", "aborted", "finished");
    expect(new Set(prompts().map(({ session }) => session)).size).toBe(1);
  });

  test.each(["claude", "codex"] as const)(
    "what goes wrong with %s ends the turn in words, and the next one is done",
    async (client) => {
      const { tell, run, ended, why, tools, prompts, end } = await openCommand({ client, limits: { end_ms: 500 } });
      await using _ = await run();
      const over: string[] = [];
      const fails = async (script: string, words: string) => {
        await tell(script);
        await ended(...over, "failed");
        over.push("failed");
        expect(await why()).toContain(words);
      };
      await fails("tool:read_file; crash", "ended with exit code 3: it is all too much: parley_[secret]");
      await fails("say:Well.; cut", "ended with exit code 0");
      await fails("error", "The program says: API Error: 500");
      if (client === "claude") await fails("flood", "told more than a turn may have");
      await tell("garbage; want; tool:read_file; yield");
      await ended(...over, "finished");
      expect((await tools()).filter(({ output }: { output: string }) => output === "read_file is done")).toHaveLength(
        2,
      );
      expect(new Set(prompts().map(({ session }) => session)).size).toBe(1);
      if (client === "claude") expect((await end())?.cost_usd).toBeGreaterThan(0);
    },
  );

  test("one that stays when its turn is over is ended; one that says nothing any more is given up", async () => {
    let now = 0;
    const { tell, run, ended, why, pids, prompts } = await openCommand({
      ...{ words: ["stay"], limits: { end_ms: 100, now: () => now } },
    });
    await using _ = await run();
    await tell("yield");
    await ended("finished");
    expect(pids().some((pid) => isAlive(pid))).toBe(false);
    await tell("hang");
    await expect.poll(prompts, SLOW).toHaveLength(2);
    now += 3_600_000;
    await ended("finished", "failed");
    expect(await why()).toBe("The program has said nothing for 1800 s.");
  });

  test.each(["claude", "codex"] as const)(
    "a session that %s has lost, or begins anew without a word, is followed by one that is told what was said",
    async (client) => {
      const { tell, start, driver, ended, prompts, folder } = await openCommand({ client });
      const first = await start(driver());
      await tell("say:one; yield");
      await ended("finished");
      await first.stop();
      rmSync(join(folder, `session-${prompts()[0]?.session}`));
      const second = await start(driver());
      await tell("say:two; yield");
      await ended("finished", "finished");
      await second.stop();
      expect(prompts()[1]?.session).not.toBe(prompts()[0]?.session);
      expect(prompts()[1]?.texts.join("\n")).toMatch(/They said: say:one; yield.*say:two; yield/s);
      await using _ = await start(driver(["elsewhere"]));
      await tell("say:three; yield");
      await ended("finished", "finished", "finished");
      expect(prompts().at(-1)?.texts.join("\n")).toMatch(/They said: say:two; yield.*say:three; yield/s);
    },
  );
});
