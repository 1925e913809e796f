/** As whom a command line acts: real commands, as an agent's client would run them. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(async () => {
  ground = new Ground({ in_process: true });
  await ground.host();
});
afterEach(() => ground[Symbol.asyncDispose]());

interface Identity {
  agent: string;
  client_session_id: string;
  project: string;
  branch: string | null;
  client: string | null;
}
interface Me {
  principal: string;
  agent: string | null;
  roles: string[];
}
interface Entry {
  name: string;
  presence: string;
  project: string | null;
  branch: string | null;
  client: string | null;
}

const claude = (session: string, more: Record<string, string> = {}): Record<string, string> => ({
  CLAUDECODE: "1",
  CLAUDE_CODE_SESSION_ID: session,
  ...more,
});
const ensure = (env: Record<string, string>, ...args: string[]): Promise<Identity> =>
  ground.json(["identity", "ensure", ...args], { env });
const whoami = (env: Record<string, string> = {}, ...args: string[]): Promise<Me> =>
  ground.json(["whoami", ...args], { env });
/** Exit code and the error as a program sees it. */
const refusal = async (args: string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await ground.parley([...args, "--json"], { env });
  expect(stdout).toBe("");
  const { error } = JSON.parse(stderr);
  return { exit: code, code: error.code, message: error.message };
};
const agents = async (): Promise<Entry[]> => (await ground.json<{ agents: Entry[] }>(["agent", "list"])).agents;
const stored = (pattern: string): string[] => globSync(join(ground.home, "identities", pattern));

function repository(name: string): string {
  const path = join(ground.folder, name);
  mkdirSync(join(path, "src"), { recursive: true });
  spawnSync("git", ["init", "-q", "-b", "fix", path]);
  return path;
}

test("AGENT-1: two sessions in one repository are two agents; resume keeps, a fork mints another", async () => {
  const project = repository("shop");
  const one = await ensure(claude("s-1", { CLAUDE_PROJECT_DIR: project }));
  const two = await ensure(claude("s-2", { CLAUDE_PROJECT_DIR: project }));
  expect(one).toMatchObject({
    agent: "shop-fix",
    project,
    branch: "fix",
    client: "claude-code",
  });
  expect(two.agent).not.toBe(one.agent);
  expect((await whoami(claude("s-1"))).agent).toBe(one.agent);
  expect(await ground.json(["identity", "restore"], { env: claude("s-1") })).toMatchObject({ agent: one.agent });
  const fork = await ensure(claude("s-1-fork", { CLAUDE_PROJECT_DIR: project }));
  expect([one.agent, two.agent]).not.toContain(fork.agent);
  expect((await agents()).map(({ name }) => name).sort()).toEqual([one.agent, two.agent, fork.agent].sort());
});

test("a new session is given the name that its person chose, with a number where that is taken, and keeps it", async () => {
  const named = (session: string, name: string) => claude(session, { PARLEY_AGENT_NAME: name });
  expect(await ensure(named("n-1", "Reviewer of docs"))).toMatchObject({ agent: "reviewer-of-docs" });
  expect(await ensure(named("n-2", "Reviewer of docs"))).toMatchObject({ agent: "reviewer-of-docs-2" });
  expect(await ensure(named("n-1", "somebody-else"))).toMatchObject({ agent: "reviewer-of-docs" });
});

test("AGENT-2: every client's session is its agent, and --session-id wins over all of them", async () => {
  const seen = new Map<string, string>();
  for (const [variable, client] of [
    ["CLAUDE_SESSION_ID", "claude-code"],
    ["CLAUDE_CODE_SESSION_ID", "claude-code"],
    ["CODEX_THREAD_ID", "codex"],
    ["CODEX_SESSION_ID", "codex"],
    ["GEMINI_SESSION_ID", "gemini-cli"],
  ] as const) {
    const made = await ensure({ [variable]: `session-${variable}` });
    expect(made).toMatchObject({ client, client_session_id: `session-${variable}` });
    seen.set(variable, made.agent);
  }
  expect(new Set(seen.values()).size).toBe(5);
  const both = { CLAUDE_SESSION_ID: "session-CLAUDE_SESSION_ID", CODEX_THREAD_ID: "session-CODEX_THREAD_ID" };
  expect((await whoami(both, "--session-id", both.CODEX_THREAD_ID)).agent).toBe(seen.get("CODEX_THREAD_ID"));
  expect((await whoami(both, "--agent", seen.get("CLAUDE_SESSION_ID") ?? "")).agent).toBe(
    seen.get("CLAUDE_SESSION_ID"),
  );
});

test("AGENT-1: two sessions at once, or a name that is not the session's, are an error that says how to choose", async () => {
  const one = await ensure(claude("s-1"));
  const two = await ensure({ CODEX_THREAD_ID: "t-1" });
  const env = claude("s-1", { CODEX_THREAD_ID: "t-1" });
  const told = await refusal(["whoami"], env);
  expect(told).toMatchObject({ exit: 5, code: "AMBIGUOUS_IDENTITY" });
  for (const word of [one.agent, two.agent, "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "--session-id", "--agent"])
    expect(told.message).toContain(word);
  expect(await refusal(["whoami"], claude("s-new", { CODEX_THREAD_ID: "t-1" }))).toMatchObject({
    code: "AMBIGUOUS_IDENTITY",
  });
  expect(await refusal(["whoami", "--agent", two.agent], claude("s-1"))).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
  expect(await refusal(["whoami", "--agent", two.agent], claude("s-3"))).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
  expect(await refusal(["identity", "ensure", "--agent", two.agent], claude("s-3"))).toMatchObject({ exit: 5 });
  expect((await whoami({ CLAUDE_SESSION_ID: "s-1", CLAUDE_CODE_SESSION_ID: "s-1" })).agent).toBe(one.agent);
  expect(await agents()).toHaveLength(2);
});

test("twenty commands of one new session at once make one agent, and all of them are it", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => whoami(claude("s-1"))));
  expect(new Set(all.map(({ agent }) => agent)).size).toBe(1);
  expect(await agents()).toHaveLength(1);
  expect(stored("locks/*")).toEqual([]);
  const { tokens } = await ground.json<{ tokens: { label: string | null; revoked_at: string | null }[] }>([
    "token",
    "list",
  ]);
  expect(tokens.filter(({ label }) => label === "session")).toHaveLength(1);
});

test("nothing that an agent runs acts as the owner of the data folder", async () => {
  for (const variable of ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI"]) {
    const told = await refusal(["whoami"], { [variable]: "1" });
    expect(told).toMatchObject({ exit: 3, code: "NO_IDENTITY" });
    expect(told.message).toContain(variable);
  }
  expect(await whoami()).toMatchObject({ principal: "admin" });
  const ana = await ground.json<{ token: string }>(["token", "create", "--role", "human", "--name", "ana"]);
  for (const env of [claude("s-1"), { CLAUDECODE: "1" }])
    expect(await refusal(["whoami"], { ...env, PARLEY_TOKEN: ana.token })).toMatchObject({ code: "NO_IDENTITY" });
  await ground.json(["agent", "register", "scout"]);
  expect(await refusal(["whoami", "--agent", "scout"], { CLAUDECODE: "1" })).toMatchObject({ code: "NO_IDENTITY" });
  expect(await agents()).toHaveLength(1);
});

test("what an agent says in the chat is said as that agent, and by nobody when it is not known which", async () => {
  const { agent } = await ensure(claude("s-1"));
  await ground.json(["chat", "send", "done"], { env: claude("s-1") });
  const { messages } = await ground.json<{ messages: { author: string; author_principal: string }[] }>([
    "chat",
    "read",
  ]);
  expect(messages).toMatchObject([{ author: "assistant", author_principal: agent }]);
  expect(await refusal(["chat", "send", "hi"], { CLAUDECODE: "1" })).toMatchObject({ code: "NO_IDENTITY" });
  expect(await refusal(["chat", "read"], { CLAUDECODE: "1" })).toMatchObject({ code: "NO_IDENTITY" });
});

test("with the token of an agent one is that agent, whatever the session, and cannot name another", async () => {
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  await ground.json(["agent", "register", "mason"]);
  const env = { PARLEY_TOKEN: token };
  expect((await whoami(claude("s-1", env))).agent).toBe("scout");
  expect((await whoami({ ...env, CLAUDECODE: "1" })).agent).toBe("scout");
  expect((await whoami(env, "--agent", "scout")).agent).toBe("scout");
  expect(await refusal(["whoami", "--agent", "mason"], env)).toMatchObject({ exit: 5, code: "AMBIGUOUS_IDENTITY" });
  expect((await agents()).map(({ name }) => name)).toEqual(["scout", "mason"]);
});

test("an orchestrator's token makes the agents of its sessions, in its own space", async () => {
  await ground.json(["space", "create", "sess_review"]);
  const boss = ["token", "create", "--role", "orchestrator", "--name", "boss", "--space", "sess_review"];
  const { token } = await ground.json<{ token: string }>(boss);
  const env = { PARLEY_TOKEN: token };
  const made = await ensure(claude("s-1", env));
  expect(made).toMatchObject({ space: "sess_review", agent: expect.not.stringMatching("boss") });
  expect(await whoami(claude("s-1", env))).toMatchObject({ agent: made.agent, roles: ["agent"], space: "sess_review" });
  expect((await whoami(env)).agent).toBe("boss");
});

test("a token file that was lost, or a token that was taken back, is made anew once, for the same agent", async () => {
  const { agent } = await ensure(claude("s-1"));
  const [file = ""] = stored("agents/main/*.json");
  rmSync(file);
  expect((await whoami(claude("s-1"))).agent).toBe(agent);
  const { tokens } = await ground.json<{ tokens: { id: string; principal: string; revoked_at: string | null }[] }>([
    "token",
    "list",
  ]);
  for (const { id, principal, revoked_at } of tokens)
    if (principal === agent && revoked_at === null) await ground.json(["token", "revoke", id, "--yes"]);
  const ten = await Promise.all(Array.from({ length: 10 }, () => whoami(claude("s-1"))));
  expect(new Set(ten.map((me) => me.agent))).toEqual(new Set([agent]));
  writeFileSync(file, "{", { mode: 0o600 });
  expect((await whoami(claude("s-1"))).agent).toBe(agent);
  expect(await agents()).toHaveLength(1);
});

test("what says who we are is ours alone, and a link or a file of others' is refused", async () => {
  await ensure(claude("s-1"));
  for (const path of stored("**/*")) expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
  for (const pattern of ["sessions/*.json", "agents/main/*.json"]) {
    const [file = ""] = stored(pattern);
    const elsewhere = join(ground.folder, "planted.json");
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    const told = await refusal(["whoami"], claude("s-1"));
    expect(told).toMatchObject({ exit: 3, code: "NO_IDENTITY" });
    expect(told.message).toContain(file);
    rmSync(file);
    renameSync(elsewhere, file);
    chmodSync(file, 0o644);
    expect(await refusal(["whoami"], claude("s-1"))).toMatchObject({ code: "NO_IDENTITY" });
    chmodSync(file, 0o600);
  }
  const folder = join(ground.home, "identities", "sessions");
  rmSync(folder, { recursive: true });
  symlinkSync(ground.folder, folder);
  expect(await refusal(["whoami"], claude("s-2"))).toMatchObject({ code: "NO_IDENTITY" });
  expect(globSync(join(ground.folder, "*.json"))).toEqual([]);
});

test("a project has a default agent for those without a session, and a session stays what it is", async () => {
  const project = repository("shop");
  await ground.json(["agent", "register", "scout"]);
  expect(await ground.json(["identity", "set-default", "--agent", "scout", "--project", project])).toEqual({
    project,
    agent: "scout",
    space: "main",
  });
  expect((await whoami({ CLAUDE_PROJECT_DIR: project })).agent).toBe("scout");
  expect((await whoami({}, "--project", project)).agent).toBe("scout");
  // Once a person has been scout here, what an agent runs there may be too.
  expect((await whoami({ CLAUDE_PROJECT_DIR: project, CLAUDECODE: "1" })).agent).toBe("scout");
  expect((await whoami()).agent).toBeNull();
  expect((await whoami(claude("s-1", { CLAUDE_PROJECT_DIR: project }))).agent).not.toBe("scout");
  expect(await refusal(["identity", "set-default", "--agent", "scuot"])).toMatchObject({
    exit: 4,
    message: expect.stringContaining("scout"),
  });
});

test("a person acts as an agent by its name, and an unknown one is answered with the nearest", async () => {
  await ground.json(["agent", "register", "scout"]);
  expect((await whoami({}, "--agent", "scout")).agent).toBe("scout");
  const told = await refusal(["whoami", "--agent", "scuot"]);
  expect(told).toMatchObject({ exit: 4, code: "AGENT_NOT_FOUND" });
  expect(told.message).toContain("Did you mean scout?");
  expect(await refusal(["whoami", "--agent", "../../admin"])).toMatchObject({ exit: 2, code: "INVALID_ARGUMENT" });
});

test("heartbeats make presence and place, sessions are listed, and what is unknown is not made up", async () => {
  const project = repository("shop");
  const env = claude("s-1", { CLAUDE_PROJECT_DIR: project });
  expect(await refusal(["identity", "restore"], env)).toMatchObject({ exit: 3, code: "NO_IDENTITY" });
  expect(await refusal(["identity", "current"], env)).toMatchObject({ code: "NO_IDENTITY" });
  expect(await refusal(["identity", "ensure"])).toMatchObject({ code: "NO_IDENTITY" });
  expect(await agents()).toEqual([]);
  const { agent } = await ensure(env);
  spawnSync("git", ["-C", project, "symbolic-ref", "HEAD", "refs/heads/other"]);
  expect(await ground.json(["heartbeat", "--session-start"], { env })).toMatchObject({
    agent,
    presence: "active",
    branch: "other",
  });
  expect(await ground.json(["identity", "save"], { env })).toMatchObject({ agent, branch: "other" });
  expect(await ground.json(["identity", "current"], { env })).toMatchObject({
    agent,
    client_session_id: "s-1",
    project,
  });
  const found = ["agent", "discover", "--status", "active", "--project", ground.folder, "--name", agent.toLowerCase()];
  expect(await ground.json(found)).toMatchObject({
    agents: [{ name: agent, project, branch: "other", client: "claude-code" }],
  });
  expect(await ground.json(["agent", "discover", "--status", "idle"])).toEqual({ agents: [] });
  expect(await ground.json(["identity", "list"])).toMatchObject({ sessions: [{ agent, client_session_id: "s-1" }] });
  const text = await ground.parley(["identity", "ensure", "--format", "text"], { env });
  expect(text.stdout).toContain(`You are ${agent}.`);
  expect(text.stdout).not.toContain("parley_");
});

test("an agent that is deleted is nobody any more, and its session is told so", async () => {
  await ground.json(["agent", "register", "mason"]);
  const { agent } = await ensure(claude("s-1"));
  expect(await ground.json(["agent", "delete", agent, "--dry-run"])).toMatchObject({ dry_run: true });
  expect(await ground.json(["agent", "delete", agent, "--yes"])).toMatchObject({ name: agent });
  expect(existsSync(join(ground.home, "identities", "agents", "main", `${agent}.json`))).toBe(false);
  expect(await refusal(["whoami"], claude("s-1"))).toMatchObject({ exit: 4, code: "AGENT_NOT_FOUND" });
  expect((await agents()).map(({ name }) => name)).toEqual(["mason"]);
});

test("AGENT-1: a token and another's --session-id contradict each other, and are refused", async () => {
  const mine = await ensure(claude("mine"));
  const { agent: other } = await ensure(claude("other"));
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  const env = { PARLEY_TOKEN: token };
  for (const session of [mine.client_session_id, "never-seen"])
    expect(await refusal(["whoami", "--session-id", session], env)).toMatchObject({
      exit: 5,
      code: "AMBIGUOUS_IDENTITY",
      message: expect.stringContaining("PARLEY_TOKEN is scout's"),
    });
  expect(await refusal(["whoami", "--agent", other], env)).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
  expect((await whoami(env)).agent).toBe("scout");
});

test("a token of one hub is never sent to another", async () => {
  const { agent } = await ensure(claude("s-1"));
  const other = new Ground({ in_process: true });
  try {
    const hub = await other.serve();
    const token = readFileSync(join(other.home, "admin.token"), "utf8").trim();
    const env = claude("s-1", { PARLEY_URL: hub.url, PARLEY_TOKEN: token });
    // Called after the same place they would have one name, and nobody could tell them apart.
    await other.json(["call", "agent_register", JSON.stringify({ name: agent })]);
    const there = await ensure(env);
    expect(there.agent).not.toBe(agent);
    const list = await other.json<{ agents: Entry[] }>(["agent", "list"]);
    expect(list.agents.map(({ name }) => name).sort()).toEqual([agent, there.agent].sort());
    // Remembered there, it needs no other token.
    expect((await whoami(claude("s-1", { PARLEY_URL: hub.url }))).agent).toBe(there.agent);
    expect((await whoami(claude("s-1"))).agent).toBe(agent);
    expect(await refusal(["whoami"], claude("s-9", { PARLEY_URL: hub.url }))).toMatchObject({ code: "NO_IDENTITY" });
  } finally {
    await other[Symbol.asyncDispose]();
  }
});
