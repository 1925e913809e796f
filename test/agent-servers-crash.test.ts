/** A hub that runs an agent with a server is killed: the next one ends what is left of it, and starts it anew. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../src/local/process-table.ts";
import { TOOL_SERVER } from "../src/testing/agents/tool-server.ts";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const DEFINITION = JSON.stringify({ driver: "scripted", script: { rules: [] } });

eachDatabaseOfHubs((database) => {
  test("killed with its agents' servers running, the next hub ends those and starts them anew", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const { home } = restarts.ground;
    const files = { command: process.execPath, args: [TOOL_SERVER, "stubborn"], env: { SERVER_OF: home } };
    const file = join(home, "servers.json");
    writeFileSync(file, JSON.stringify({ agents: { mason: { mcpServers: { files } } } }), { mode: 0o600 });
    const running = async () => (await listProcesses("SERVER_OF")).filter(({ mark }) => mark === home);

    await callTool(restarts.admin, "agent_register", { name: "mason" });
    await callTool(restarts.admin, "agent_start", { agent: "mason", definition: DEFINITION });
    const mounted = async () =>
      (await callUntilKnown(restarts.admin, "agent_status", { agent: "mason" })).body.mounts.files?.state;
    await until(async () => (await mounted()) === "running");
    await until(async () => (await running()).length > 1);
    const left = (await running()).map(({ pid }) => pid);
    await restarts.hub.kill("SIGKILL");
    expect((await running()).map(({ pid }) => pid)).toEqual(left);

    await restarts.start();
    await until(async () => (await running()).some(({ pid }) => !left.includes(pid)));
    expect((await running()).filter(({ pid }) => left.includes(pid))).toEqual([]);
    await restarts.hub.kill("SIGTERM");
    expect(await running()).toEqual([]);
  });
});
