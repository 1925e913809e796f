/** Agents that the hub itself runs, whose turns are done by a program that whoever owns its folder wrote down. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../local/processes.ts";
import { ACP_AGENT } from "../testing/agents/acp-agent.ts";
import { COMMAND_AGENT } from "../testing/agents/command-agent.ts";
import { eachDatabase, type Open, type TestHub } from "../testing/hub.ts";
import { writtenLines } from "../testing/written.ts";

const SLOW = { timeout: 60_000 };
const SECRET = "sk-very-secret-indeed";

async function openMason(open: Open) {
  const hub = await open({ config: { rate_limit: 1_000_000 } });
  const ana = await hub.token("human", "ana");
  await hub.call(hub.admin, "agent_register", { name: "mason" });
  const folder = mkdtempSync(join(tmpdir(), "parley-hosted-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = (name: string): string[] => writtenLines(join(folder, name));
  const env = { KEY: SECRET };
  const claude = {
    client: "claude",
    argv: [process.execPath, COMMAND_AGENT, "claude", folder, "--"],
    cwd: folder,
    env,
  };
  const acp = (...words: string[]) => ({ argv: [process.execPath, ACP_AGENT, folder, ...words], cwd: folder, env });
  const path = join(hub.home, "servers.json");
  const write = (agents: object) => writeFileSync(path, JSON.stringify({ agents }), { mode: 0o600 });
  const start = (driver: string, at: TestHub = hub) =>
    at.call(hub.admin, "agent_start", { agent: "mason", definition: JSON.stringify({ driver }) });
  const tell = (content: string, at: TestHub = hub, agent = "mason") =>
    at.call(ana, "chat_human_post", { content, agent });
  const items = async (at: TestHub = hub, agent = "mason") =>
    (await at.call(ana, "timeline_read", { agent, limit: 500 })).body.items;
  const ends = async (at: TestHub = hub, agent = "mason") =>
    (await items(at, agent)).flatMap(({ kind, outcome }: { kind: string; outcome: string }) =>
      kind === "EndTurn" ? outcome : [],
    );
  const status = async (at: TestHub = hub) => (await at.call(ana, "agent_status", { agent: "mason" })).body;
  const prompts = (): { session: string; texts: string[] }[] => lines("prompts").map((line) => JSON.parse(line));
  const pids = () => lines("pids").map(Number);
  return { hub, ana, folder, path, claude, acp, write, start, tell, items, ends, status, prompts, pids };
}

eachDatabase((open, database) => {
  test("the hub runs a program for an agent where its folder has one, again after a restart, until it is stopped", async () => {
    const { hub, ana, path, claude, write, start, tell, ends, status, prompts, pids } = await openMason(open);
    const refused = await start("command");
    expect(refused.body).toMatchObject({ code: "INVALID_ARGUMENT", error: expect.stringContaining(path) });
    expect(refused.body.error).toContain('{"agents":{"mason":{"program":{"client":"claude"}}}}');
    write({ mason: { program: claude } });
    expect((await start("command")).body).toMatchObject({ in_hub: true });
    expect((await start("acp")).body.error).toContain("names a client");
    await tell("post:Hello, ana.");
    await expect.poll(ends, SLOW).toEqual(["finished"]);
    await hub.stop();

    // Also on PostgreSQL, where another node would have a folder of its own.
    const again = await open({ same: hub, config: { home: hub.home } });
    await tell("say:two; yield", again);
    await expect.poll(() => ends(again), SLOW).toEqual(["finished", "finished"]);
    expect(prompts()[1]).toMatchObject({ session: prompts()[0]?.session, texts: ["say:two; yield"] });
    await again.call(hub.admin, "agent_stop", { agent: "mason" });
    await expect.poll(() => status(again), SLOW).toMatchObject({ in_hub: false, lifecycle: "stopped" });
    await tell("yield", again);
    expect(pids().some((pid) => isAlive(pid))).toBe(false);
    expect(prompts()).toHaveLength(2);
    const { messages } = (await again.call(ana, "chat_read_since", { agent: "mason" })).body;
    expect(messages[1]).toMatchObject({ author: "assistant", content: "Hello, ana." });
  });

  test("a program that speaks ACP is run likewise, what it does has the turn as its cause, and its end is the hub's", async () => {
    const { hub, ana, acp, write, start, tell, ends, pids } = await openMason(open);
    write({ mason: { program: acp() } });
    const document = { rules: [{ tool: "mail_send", decision: "allow" }] };
    await hub.call(ana, "policy_set", { document, expected_version: 0 });
    expect((await start("acp")).status).toBe(200);
    const { body } = await tell("mail:ana; child; yield");
    await expect.poll(ends, SLOW).toEqual(["finished"]);
    const { messages } = (await hub.call(ana, "mail_inbox", {})).body;
    const { steps } = (await hub.call(ana, "event_why", { id: messages[0].id })).body;
    expect(steps).toMatchObject([{ kind: "mail", by: "mason" }, { kind: "turn" }, { id: body.id, by: "ana" }]);
    expect(pids().filter((pid) => isAlive(pid))).toHaveLength(2);
    await hub.stop();
    expect(pids().some((pid) => isAlive(pid))).toBe(false);
  });

  test("a fork is run with the program of whom it was begun from, once it may use its tools", async () => {
    const { hub, ana, claude, write, start, tell, items, ends, prompts } = await openMason(open);
    write({ mason: { program: claude } });
    expect((await start("command")).status).toBe(200);
    await tell("say:one; yield");
    await expect.poll(ends, SLOW).toEqual(["finished"]);
    const at_id = (await items()).at(-1).id;
    const made = await hub.call(ana, "agent_fork", { agent: "mason", at_id, name: "mason-2" });
    expect(made.body).toMatchObject({ agent: "mason-2", in_hub: true });
    await tell("say:two; yield", hub, "mason-2");
    await expect.poll(() => ends(hub, "mason-2"), SLOW).toEqual(["failed"]);
    await hub.call(ana, "agent_tools", { agent: "mason-2", on: true });
    await tell("say:three; yield", hub, "mason-2");
    await expect.poll(() => ends(hub, "mason-2"), SLOW).toEqual(["failed", "finished"]);
    expect(prompts()[1]?.session).not.toBe(prompts()[0]?.session);
    expect(prompts()[1]?.texts.join("\n")).toMatch(/You are mason,.*They said: say:one; yield.*say:three; yield/s);
  });

  // The rest is between the hub and a file, whichever database there is.
  if (database !== "sqlite") return;

  test("another program in the file takes the place of the one that runs; without one the agent waits", async () => {
    const { acp, write, start, tell, ends, status, pids } = await openMason(open);
    write({ mason: { program: acp() } });
    expect((await start("acp")).status).toBe(200);
    await tell("yield");
    await expect.poll(ends, SLOW).toEqual(["finished"]);
    const { generation } = await status();
    write({ mason: { program: acp("load") } });
    await expect.poll(async () => (await status()).generation, SLOW).toBe(generation + 1);
    await expect.poll(() => pids().some((pid) => isAlive(pid)), SLOW).toBe(false);
    write({});
    await expect.poll(async () => (await status()).lifecycle, SLOW).toBe("stopped");
    await tell("yield");
    write({ mason: { program: acp() } });
    await expect.poll(ends, SLOW).toEqual(["finished", "finished"]);
  });

  test("what its entry has in env is shown to nobody, and no definition can name a program", async () => {
    const { hub, ana, acp, folder, write, start, tell, items, ends, status } = await openMason(open);
    const argv = [process.execPath, "-e", "console.error(process.env.KEY); process.exit(3)"];
    write({ mason: { program: { argv, cwd: folder, env: { KEY: SECRET } } } });
    expect((await start("acp")).status).toBe(200);
    await tell("hello");
    await expect.poll(ends, SLOW).toEqual(["failed"]);
    expect((await items()).at(-1).error).toContain("exit code 3: [secret]");
    const told = [await status(), await items(), (await hub.call(ana, "agent_list")).body];
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expect(readFileSync(join(hub.home, "parley.db")).includes(SECRET)).toBe(false);
    // And in nothing else that it tells.
    const { generation } = await status();
    write({ mason: { program: acp() } });
    await expect.poll(async () => (await status()).generation, SLOW).toBe(generation + 1);
    await tell("tells:KEY; refuses:KEY");
    await expect.poll(ends, SLOW).toEqual(["failed", "failed"]);
    const all = await items();
    expect(all.filter(({ kind }: { kind: string }) => kind === "Tool")).toMatchObject([{ output: "KEY is [secret]" }]);
    expect(all.at(-1).error).toContain("It is broken: [secret]");
    expect(readFileSync(join(hub.home, "parley.db")).includes(SECRET)).toBe(false);
    expect(readFileSync(join(hub.home, "parley.db-wal")).includes(SECRET)).toBe(false);
    const definition = JSON.stringify({ driver: "acp", argv: ["/bin/sh"] });
    const named = await hub.call(hub.admin, "agent_start", { agent: "mason", definition });
    expect(named.body).toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});
