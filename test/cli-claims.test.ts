/** A session's mail is shown to that session's own client alone, and its MCP tools act as the same agent as its hooks. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Ground, PARLEY } from "../src/testing/process.ts";

const PATIENT = { PARLEY_HOOK_MS: "30000" };
let ground: Ground;

beforeAll(async () => {
  ground = new Ground();
  await ground.serve();
});
afterAll(() => ground[Symbol.asyncDispose]());

const inputOf = (session_id: string): string => JSON.stringify({ session_id, cwd: ground.folder });
/** By this process: it is the client. */
const hook = (event: string, session_id: string, env: Record<string, string> = {}) =>
  ground.parley(["hook", event], { input: inputOf(session_id), env: { ...PATIENT, ...env } });
/** By another process, which ends right after it. */
const byStranger = (event: string, session_id: string) =>
  spawnSync("/bin/sh", ["-c", `'${PARLEY}' hook ${event}; true`], {
    env: ground.env(PATIENT),
    input: inputOf(session_id),
    encoding: "utf8",
  });

/** A session that this process has, with mail. */
async function session(id: string): Promise<string> {
  const { stdout } = await hook("SessionStart", id);
  const agent = /You are ([\w.-]+) on Parley/.exec(stdout)?.[1] ?? "";
  await ground.json(["call", "mail_send", JSON.stringify({ to: [agent], subject: `For ${id}`, body: "Secret." })]);
  return agent;
}

test("a hook that is fed another session's id shows nothing of its mail", async () => {
  await session("victim");
  const fed = await hook("UserPromptSubmit", "victim", { CLAUDE_CODE_SESSION_ID: "attacker" });
  expect(fed).toMatchObject({ code: 0, stdout: "" });
  expect(fed.stderr).toContain("CLAUDE_CODE_SESSION_ID names another session");
  expect((await hook("UserPromptSubmit", "victim", { CLAUDE_CODE_SESSION_ID: "victim" })).stdout).toContain("Secret.");
});

test("a process that is not the session's client shows nothing of it, while that client lives", async () => {
  await session("held");
  for (const event of ["SessionStart", "UserPromptSubmit", "Stop"]) {
    const { status, stdout, stderr } = byStranger(event, "held");
    expect({ event, status, stdout: stdout.replace("{}\n", "") }).toEqual({ event, status: 0, stdout: "" });
    expect(stderr).toContain("this hook was not called by it");
  }
  expect((await hook("UserPromptSubmit", "held")).stdout).toContain("Secret.");
});

test("a session whose client is gone goes on in another", async () => {
  const begun = byStranger("SessionStart", "resumed").stdout;
  const agent = /You are ([\w.-]+) on Parley/.exec(begun)?.[1];
  expect(agent).toBeDefined();
  expect((await hook("SessionStart", "resumed")).stdout).toContain(`You are ${agent} on Parley`);
});

test("REACH-4: the MCP server of a session is the agent that its hooks and commands are", async () => {
  const agent = await session("one");
  const { stdout } = await ground.parley(["mcp-headers"], { env: { AI_AGENT: "claude-code" } });
  const headers: Record<string, string> = JSON.parse(stdout);
  const token = headers.Authorization?.replace("Bearer ", "") ?? "";
  expect(await ground.json(["whoami"], { env: { PARLEY_TOKEN: token } })).toMatchObject({ agent });
  const command = await ground.json(["whoami"], { env: { CLAUDE_CODE_SESSION_ID: "one", CLAUDECODE: "1" } });
  expect(command).toMatchObject({ agent });
});

async function oneIdentity(at: Ground, env: Record<string, string>) {
  const { stdout } = await at.parley(["doctor", "--json"], { env });
  const { checks }: { checks: { name: string; state: string; message: string }[] } = JSON.parse(stdout);
  return checks.find(({ name }) => name === "one identity");
}

test("REACH-4: two identities of one session are reported by doctor, and when it starts", async () => {
  await using other = new Ground();
  await other.serve();
  await other.json(["hooks", "install", "--yes"]);
  const examine = (env: Record<string, string> = {}) => oneIdentity(other, env);
  expect(await examine()).toMatchObject({ state: "pass" });
  expect(await examine({ PARLEY_TOKEN: "parley_x" })).toMatchObject({ state: "warn" });
  const headers = { Authorization: "Bearer parley_5vcKwwFk" };
  const settings = { mcpServers: { hub: { type: "http", url: "http://127.0.0.1:8765/mcp", headers } } };
  writeFileSync(join(other.folder, ".claude.json"), JSON.stringify(settings));
  expect(await examine()).toMatchObject({ state: "fail", message: expect.stringContaining("MCP server hub a token") });
  const input = JSON.stringify({ session_id: "s", cwd: other.folder, source: "startup" });
  const { stdout } = await other.parley(["hook", "SessionStart"], { input, env: PATIENT });
  expect(stdout).toContain("The MCP server hub has a token of its own");
});

test.each([
  ["a header", 'http_headers = { Authorization = "Bearer parley_5vcKwwFk" }'],
  ["an environment of its own", 'env = { PARLEY_TOKEN = "parley_5vcKwwFk" }'],
  ["a table of its own", '[mcp_servers.hub.env]\nPARLEY_TOKEN = "parley_5vcKwwFk"'],
])("REACH-4: a token of Codex's MCP server in %s is reported by doctor, and when a session starts", async (_, line) => {
  await using other = new Ground();
  await other.serve();
  await other.json(["hooks", "install", "--yes", "--client", "codex"]);
  const config = (text: string) => writeFileSync(join(other.folder, ".codex", "config.toml"), text);
  const examine = (env: Record<string, string> = {}) => oneIdentity(other, env);
  const start = async (env: Record<string, string> = {}) => {
    const input = JSON.stringify({ session_id: "s", cwd: other.folder, source: "startup" });
    return (await other.parley(["hook", "SessionStart", "--client", "codex"], { input, env: { ...PATIENT, ...env } }))
      .stdout;
  };
  const { token } = await other.json<{ token: string }>(["token", "create", "--role", "agent", "--name", "scout"]);
  expect(await examine({ PARLEY_TOKEN: token })).toMatchObject({ state: "pass" });
  config('[mcp_servers.hub]\nurl = "http://127.0.0.1:8765/mcp"\nbearer_token_env_var = "PARLEY_TOKEN"\n');
  expect(await examine({ PARLEY_TOKEN: token })).toMatchObject({ state: "pass" });
  expect(await examine()).toMatchObject({ state: "warn", message: expect.stringContaining("is not set here") });
  config(`[mcp_servers.hub]\nurl = "http://127.0.0.1:8765/mcp"\n${line}\n`);
  expect(await examine()).toMatchObject({ state: "fail", message: expect.stringContaining("MCP server hub a token") });
  expect(await start()).toContain("The MCP server hub has a token of its own");
  config(`[mcp_servers.hub]\n${line.replace("parley_5vcKwwFk", token)}\n`);
  expect(await examine({ PARLEY_TOKEN: token })).toMatchObject({ state: "pass" });
  expect(await start({ PARLEY_TOKEN: token })).not.toContain("a token of its own");
});

test("what a client is to be told is printed as it is to be pasted, without any token", async () => {
  const { stdout } = await ground.parley(["mcp-config"]);
  const entry: { type: string; url: string; headersHelper: string } = JSON.parse(stdout);
  expect(entry).toMatchObject({ type: "http", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) });
  expect(entry.headersHelper).toBe(`exec ${PARLEY} mcp-headers --home ${ground.home}`);
  expect((await ground.parley(["mcp-config", "--client", "codex"])).stdout).toContain(
    `[mcp_servers.parley]\nurl = "${entry.url}"\nbearer_token_env_var = "PARLEY_TOKEN"`,
  );
  expect(stdout).not.toContain("parley_");
});
