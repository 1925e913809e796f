/** Agents that the hub itself runs have the servers that whoever owns its folder wrote down, and nobody else's. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchFiles } from "../local/file-watch.ts";
import { listProcesses } from "../local/process-table.ts";
import { TOOL_SERVER } from "../testing/agents/tool-server.ts";
import { eachDatabase, type Open } from "../testing/hub.ts";
import { olderServer } from "../testing/older-server.ts";

const SECRET = "very secret";
const program = (mode = "plain", more: object = {}) => ({
  ...{ command: process.execPath, args: [TOOL_SERVER, mode], env: { KEY: SECRET } },
  ...more,
});
const post = (content: string) => ({ tool: "chat_assistant_post", arguments: { content } });
const DEFINITION = JSON.stringify({
  driver: "scripted",
  script: { rules: [{ when: "", steps: [{ tool: "files_echo", arguments: { a: 1 } }, post("{{result}}")] }] },
});

async function openMason(open: Open) {
  const hub = await open();
  const [ana, mason] = [await hub.token("human", "ana"), await hub.token("agent", "mason")];
  const path = join(hub.home, "servers.json");
  const write = (servers: Record<string, object>, agent = "mason") =>
    writeFileSync(path, JSON.stringify({ agents: { [agent]: { mcpServers: servers } } }), { mode: 0o600 });
  const start = () => hub.call(hub.admin, "agent_start", { agent: "mason", definition: DEFINITION });
  const status = async () => (await hub.call(ana, "agent_status", { agent: "mason" })).body;
  const mounts = async () => {
    const all: Record<string, { state: string; error?: string }> = (await status()).mounts;
    return Object.fromEntries(Object.entries(all).filter(([name]) => /^(files|more|broken|other)$/.test(name)));
  };
  /** Processes of servers of this hub, and of what those have started. */
  const running = async () => (await listProcesses("SERVER_OF")).filter(({ mark }) => mark === hub.home);
  return { hub, ana, mason, path, write, start, status, mounts, running };
}

/** Once whoever watches the file in this process has seen that it is another: they looked earlier in the same second. */
function looked(path: string, change: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = watchFiles([path], () => {
    unwatch();
    resolve();
  });
  change();
  return promise;
}

eachDatabase((open, database) => {
  test("what servers.json names is mounted and shown, under the policy, and one that fails takes nothing with it", async () => {
    const { hub, ana, mason, write, start, mounts } = await openMason(open);
    write({ files: program(), broken: program("crash") });
    await start();
    await expect.poll(mounts).toMatchObject({ files: { state: "running" }, broken: { state: "failed" } });
    await hub.call(ana, "chat_human_post", { content: "go", agent: "mason" });
    const asked = async () => (await hub.call(ana, "approval_list")).body.approvals;
    await expect.poll(asked).toMatchObject([{ state: "pending", server: "files", tool: "files_echo" }]);
    const [{ id, digest }] = await asked();
    await hub.call(ana, "approval_decide", { id, digest, decision: "approve" });
    const said = async () => JSON.stringify((await hub.call(ana, "timeline_read", { agent: "mason" })).body.items);
    await expect.poll(said).toContain("AssistantMarkdown");
    expect(await said()).toContain('{\\"a\\":1}');
    for (const token of [ana, mason, hub.admin])
      expect(JSON.stringify((await hub.call(token, "agent_status", { agent: "mason" })).body)).not.toContain(SECRET);
  });

  // The rest is between the hub and a server, whichever database there is.
  if (database !== "sqlite") return;

  test("servers at addresses, of both eras, are mounted and called, and one where nobody is takes nothing with it", async () => {
    const { hub, ana, write, mounts } = await openMason(open);
    const { url } = await olderServer();
    const other = { url: `${hub.url}/mcp`, auth: await hub.token("agent", "scout") };
    write({ files: { url, auth: SECRET }, other, broken: { url: "http://127.0.0.1:9/mcp" } });
    const document = { rules: [{ tool: "files_who", server: "files", decision: "allow" }] };
    await hub.call(ana, "policy_set", { document, expected_version: 0 });
    const steps = [{ tool: "files_who", arguments: {} }, post("{{result}}")];
    const definition = JSON.stringify({ driver: "scripted", script: { rules: [{ when: "", steps }] } });
    await hub.call(hub.admin, "agent_start", { agent: "mason", definition });
    await expect.poll(mounts).toMatchObject({
      ...{ files: { state: "running" }, other: { state: "running" }, broken: { state: "failed" } },
    });
    await hub.call(ana, "chat_human_post", { content: "go", agent: "mason" });
    const said = async () => (await hub.call(ana, "chat_read_since", { agent: "mason" })).body.messages;
    // What the server was sent, as anybody but the server is shown it.
    await expect.poll(said).toMatchObject([{ content: "go" }, { content: "Bearer [secret]" }]);
    expect(JSON.stringify((await hub.call(ana, "agent_status", { agent: "mason" })).body)).not.toContain(SECRET);
  });

  test("a changed file is taken up, and one that is wrong or can be changed by others changes nothing", async () => {
    const { path, write, start, mounts } = await openMason(open);
    write({ files: program() });
    await start();
    await expect.poll(mounts).toEqual({ files: { state: "running" } });
    write({ files: program(), more: program() });
    await expect.poll(mounts).toEqual({ files: { state: "running" }, more: { state: "running" } });
    const before = await mounts();
    await looked(path, () => writeFileSync(path, "{ half"));
    expect(await mounts()).toEqual(before);
    await looked(path, () => chmodSync(path, 0o666));
    await looked(path, () => write({ other: program() }));
    expect(await mounts()).toEqual(before);
    chmodSync(path, 0o600);
    await expect.poll(mounts).toEqual({ other: { state: "running" } });
    write({ more: program() }, "another/mason");
    await expect.poll(mounts).toEqual({});
  });

  test("with its agent, and with the hub, nothing of a server is left, whatever it has started", async () => {
    const { hub, write, start, mounts, running } = await openMason(open);
    write({ files: program("stubborn", { env: { SERVER_OF: hub.home } }) });
    await start();
    await expect.poll(mounts).toEqual({ files: { state: "running" } });
    await expect.poll(async () => (await running()).length).toBeGreaterThan(1);
    await hub.call(hub.admin, "agent_stop", { agent: "mason" });
    await expect.poll(async () => (await running()).length).toBe(0);
    await start();
    await expect.poll(async () => (await running()).length).toBeGreaterThan(1);
    await hub.stop();
    expect(await running()).toEqual([]);
  });
});
