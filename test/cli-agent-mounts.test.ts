/** `parley agent run` with other servers: which of them it has, and that nothing of theirs is run that nobody let through. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TOOL_SERVER } from "../src/testing/agents/tool-server.ts";
import { exited, Ground, PARLEY, until } from "../src/testing/process.ts";

const server = (mode = "plain", more: object = {}) => ({
  command: process.execPath,
  args: [TOOL_SERVER, mode],
  ...more,
});
const config = (servers: Record<string, object>): string => JSON.stringify({ mcpServers: servers });
const mine = "made by exec";

const SCRIPT = {
  rules: [
    { when: "^exec", steps: [{ tool: "runtime_exec", arguments: { cmd: ["touch", mine] } }, post("{{result}}")] },
    { when: "^echo", steps: [{ tool: "files_echo", arguments: { a: 1 } }, post("{{result}}")] },
  ],
};

function post(content: string) {
  return { tool: "chat_assistant_post", arguments: { content } };
}

interface Status {
  lifecycle: string;
  mounts: Record<string, { state: string; error?: string }>;
}

/** A folder with a config of its own, in which agents are run. */
async function openGround() {
  const ground = new Ground();
  await ground.serve();
  const folder = join(ground.folder, "project");
  mkdirSync(folder);
  writeFileSync(join(folder, "script.json"), JSON.stringify(SCRIPT));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const start = (...args: string[]) =>
    ground.watch(spawn(PARLEY, args, { cwd: folder, env: ground.env(), stdio: ["pipe", "pipe", "pipe"] }));
  const run = (...more: string[]) => start("agent", "run", "scout", "--json", "--script", "script.json", ...more);
  const ended = async (...args: string[]): Promise<[number | null, string]> => {
    const child = start(...args);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += chunk;
      });
    child.stdin.end();
    await exited(child);
    return [child.exitCode, said];
  };
  const status = () => ground.json<Status>(["agent", "status", "scout"]);
  const mounted = (name: string, state = "running") =>
    until(async () => (await status().catch(() => undefined))?.mounts[name]?.state === state);
  return { ground, folder, write, run, ended, status, mounted };
}

const stop = async (child: ReturnType<typeof spawn>): Promise<void> => {
  child.kill("SIGTERM");
  await exited(child);
};

test("MOUNT-8: .mcp.json counts once it is trusted as it is, then each --mcp-config; the later of two of a name wins", async () => {
  const { ground, write, run, ended, status, mounted } = await openGround();
  await using _ = ground;
  write(".mcp.json", config({ folder: server(), files: server("crash") }));
  const more = write("more.json", config({ files: server() }));

  const untrusted = run("--mcp-config", more);
  let told = "";
  untrusted.stderr.on("data", (chunk) => {
    told += chunk;
  });
  await mounted("files");
  expect(told).toMatch(/\.mcp\.json is not used\. Look at it, then: .*trust/);
  expect(Object.keys((await status()).mounts)).not.toContain("folder");
  await stop(untrusted);

  expect(await ended("trust")).toEqual([2, expect.stringContaining("--yes")]);
  expect(await ended("trust", "--yes")).toEqual([0, expect.stringContaining('"does":"starts')]);
  const trusted = run("--mcp-config", more);
  await mounted("folder");
  expect((await status()).mounts.files).toEqual({ state: "running" });

  // What changes is mounted as it is now: the file that was named at once, the folder's own when it is trusted again.
  write("more.json", config({ files: server(), third: server() }));
  await mounted("third");
  write("more.json", "{ half");
  write(".mcp.json", config({ folder: server("plain", { env: { OTHER: "1" } }) }));
  write("more.json", config({ third: server() }));
  await until(async () => !("files" in (await status()).mounts));
  await until(async () => !("folder" in (await status()).mounts));
  await stop(trusted);
  expect((await status()).lifecycle).toBe("stopped");
});

test("MOUNT-8: a file that is not there, or is wrong, ends it with a sentence that names it", async () => {
  const { ground, write, ended } = await openGround();
  await using _ = ground;
  const run = (...more: string[]) => ended("agent", "run", "scout", "--script", "script.json", ...more);
  expect(await run("--mcp-config", "none.json")).toEqual([2, expect.stringContaining("none.json")]);
  for (const [text, says] of [
    ["{", "no JSON"],
    ["[]", "no JSON object"],
    [config({ a: { command: "x", url: "http://x" } }), "either a command or a url"],
    [config({ a: { url: "file:///x" } }), "a.url"],
    [config({ a: { command: "x", args: [1] } }), "a.args.0"],
    [config({ runtime: { command: "x" } }), "built-in"],
    ['{"mcpServers":{"__proto__":{"command":"x"}}}', "is no name"],
  ] as const) {
    write("wrong.json", text);
    expect([text, await run("--mcp-config", "wrong.json")]).toEqual([text, [2, expect.stringContaining(says)]]);
  }
  expect(await run("--exec", "nowhere")).toEqual([2, expect.stringContaining("no such folder")]);
  expect(await run("--exec", ".", "--in-hub")).toEqual([2, expect.stringContaining("servers.json of its data folder")]);
});

test("what another server or the built-in exec would do waits for a person, and is run once it is approved", async () => {
  const { ground, folder, write, run, mounted } = await openGround();
  await using _ = ground;
  const files = write("servers.json", config({ files: server() }));
  const child = run("--mcp-config", files, "--exec", ".");
  await mounted("files");
  await mounted("runtime");
  const answers = async (): Promise<string[]> => {
    const { items } = await ground.json<{ items: { kind: string; content: string }[] }>(["timeline", "scout"]);
    return items.flatMap(({ kind, content }) => (kind === "AssistantMarkdown" ? content : []));
  };
  const asked = (said: string) =>
    until(async () => {
      const args = ["approvals", "list", "--state", "pending"];
      const { approvals } = await ground.json<{ approvals: { id: string; tool: string }[] }>(args);
      return approvals.find(({ tool }) => tool.endsWith(`_${said}`));
    });
  for (const [said, decision] of [
    ["exec", "deny"],
    ["exec", "approve"],
    ["echo", "approve"],
  ] as const) {
    const before = (await answers()).length;
    await ground.json(["chat", "send", "--agent", "scout", said]);
    const { id } = await asked(said);
    expect(existsSync(join(folder, mine))).toBe(said === "echo");
    await ground.json(["approvals", "decide", decision, id]);
    await until(async () => (await answers()).length > before);
  }
  const [denied, made, echoed] = await answers();
  expect(denied).toContain("-32951");
  expect(made).toContain('"exit_code":0');
  expect(echoed).toContain('{"a":1}');
  expect(existsSync(join(folder, mine))).toBe(true);
  await stop(child);
});

test("HTTP-6: a person calls a server of an agent at a terminal, and hears what came of it", async () => {
  const { ground, folder, write, run, mounted } = await openGround();
  await using _ = ground;
  const child = run("--mcp-config", write("servers.json", config({ files: server() })), "--exec", ".");
  await mounted("runtime");
  const call = ["call", "exec", JSON.stringify({ cmd: ["touch", mine] }), "--agent", "scout", "--server", "runtime"];
  const waits = await ground.json<{ state: string }>([...call, "--key", "k1", "--timeout", "1"]);
  expect(waits.state).toMatch(/waiting|pending/);
  await until(async () => {
    const { approvals } = await ground.json<{ approvals: { state: string }[] }>(["approvals", "list"]);
    return approvals[0]?.state === "pending";
  });
  // Of the data folder's owner, who is the only person here.
  await ground.json(["approvals", "decide", "approve", "latest"]);
  const done = await ground.json<{ state: string; output: string }>([...call, "--key", "k1"]);
  expect(done).toMatchObject({ state: "completed", output: expect.stringContaining('"exit_code":0') });
  expect(existsSync(join(folder, mine))).toBe(true);
  const wrong = await ground.parley(["call", "fly", "{}", "--agent", "scout", "--server", "runtime"]);
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining("runtime_exec")]);
  const half = await ground.parley(["call", "exec", "{}", "--agent", "scout"]);
  expect([half.code, half.stderr]).toEqual([2, expect.stringContaining("--server")]);
  await stop(child);
});
