/** A runtime that a person started is killed while it runs a program: the next one of the agent ends what is left of it. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../src/local/process-table.ts";
import { TOOL_SERVER } from "../src/testing/agents/tool-server.ts";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { Restarts } from "../src/testing/restarts.ts";

test("killed in the middle of runtime_exec, nothing of what a runtime ran, and of its servers, survives the next start", async () => {
  await using restarts = await Restarts.on("sqlite");
  await restarts.start();
  const [ana, scout] = [await restarts.token("human", "ana"), await restarts.token("agent", "scout")];
  const { folder, ground } = { folder: restarts.ground.folder, ground: restarts.ground };
  // One of them has left the group of the program.
  const cmd = ["env", `SERVER_OF=${folder}`, "sh", "-c", "setsid sleep 600 & exec sleep 600"];
  const rules = [{ when: "", steps: [{ tool: "runtime_exec", arguments: { cmd, timeout_seconds: 600 } }] }];
  const files = { command: process.execPath, args: [TOOL_SERVER, "stubborn"], env: { SERVER_OF: `${folder} files` } };
  writeFileSync(join(folder, "script"), JSON.stringify({ rules }));
  writeFileSync(join(folder, "servers"), JSON.stringify({ mcpServers: { files } }));
  const marked = async (mark: string) => (await listProcesses("SERVER_OF")).filter((each) => each.mark === mark);
  const pids = async (mark: string) => (await marked(mark)).map(({ pid }) => pid);
  const start = async (generation: number) => {
    const typed = ["agent", "run", "scout", "--json", "--script", join(folder, "script"), "--exec", folder];
    const env = { PARLEY_URL: restarts.hub.url, PARLEY_TOKEN: scout.token };
    const child = ground.start([...typed, "--mcp-config", join(folder, "servers")], env);
    await until(async () => {
      const { body } = await callUntilKnown(ana, "agent_status", { agent: "scout" });
      return body.generation === generation && body.lifecycle === "ready" && body.mounts.files?.state === "running";
    });
    return child;
  };

  const document = { rules: [{ tool: "runtime_exec", decision: "allow" }] };
  await callTool(ana, "policy_set", { document, expected_version: 0 });
  const first = await start(1);
  await callTool(ana, "chat_human_post", { content: "go", agent: "scout" });
  await until(async () => (await pids(folder)).length >= 2 && (await pids(`${folder} files`)).length > 1);
  const servers = await pids(`${folder} files`);
  const died = once(first, "exit");
  first.kill("SIGKILL");
  await died;
  expect((await pids(folder)).length).toBeGreaterThan(0);

  const second = await start(2);
  expect(await pids(folder)).toEqual([]);
  expect((await pids(`${folder} files`)).filter((pid) => servers.includes(pid))).toEqual([]);
  const over = once(second, "exit");
  second.kill("SIGTERM");
  await over;
  expect(await pids(`${folder} files`)).toEqual([]);
});
