/** A hub that runs an agent's program is killed in the middle of a turn: nothing of the program is left, and the next goes on. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../src/local/process-table.ts";
import { ACP_AGENT } from "../src/testing/agents/acp-agent.ts";
import { COMMAND_AGENT } from "../src/testing/agents/command-agent.ts";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const KINDS = [
  { driver: "command", program: { client: "claude" }, words: [COMMAND_AGENT, "claude"], more: ["deaf", "--"] },
  { driver: "acp", program: {}, words: [ACP_AGENT], more: ["load"] },
] as const;

eachDatabaseOfHubs((database) => {
  test.each(KINDS)(
    "killed in a turn of $driver, the next hub has nothing of it left and goes on by itself",
    async (kind) => {
      const { driver, program, words, more } = kind;
      await using restarts = await Restarts.on(database);
      await restarts.start();
      const { home } = restarts.ground;
      const folder = join(home, "work");
      mkdirSync(folder);
      const argv = [process.execPath, ...words, folder, ...more];
      const entry = { ...program, argv, cwd: folder, env: { PROGRAM_OF: home } };
      writeFileSync(join(home, "servers.json"), JSON.stringify({ agents: { mason: { program: entry } } }), {
        mode: 0o600,
      });
      const running = async () =>
        (await listProcesses("PROGRAM_OF")).flatMap(({ mark, pid }) => (mark === home ? pid : []));
      const tell = (content: string) => callTool(restarts.admin, "chat_human_post", { content, agent: "mason" });
      const items = async (): Promise<{ kind: string; outcome: string }[]> =>
        (await callUntilKnown(restarts.admin, "timeline_read", { agent: "mason" })).body.items;
      const ends = async () => (await items()).flatMap(({ kind, outcome }) => (kind === "EndTurn" ? outcome : []));

      await callTool(restarts.admin, "agent_register", { name: "mason" });
      const definition = JSON.stringify({ driver });
      await callTool(restarts.admin, "agent_start", { agent: "mason", definition });
      await tell("tool:Look; child; hang");
      // A turn of which nothing is known is begun again for the same, and would hang again.
      await until(async () => (await running()).length === 2 && (await items()).some(({ kind }) => kind === "Tool"));
      await restarts.hub.kill("SIGKILL");
      await restarts.start();
      await until(async () => (await ends()).includes("interrupted"));
      await tell("say:And now?; yield");
      await until(async () => (await ends()).includes("finished"));
      await restarts.hub.kill("SIGTERM");
      expect(await running()).toEqual([]);
    },
  );
});
