/** `parley agent run --driver acp`, as typed: a program of its own, which is handed the hub's tools and little else. */
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../src/local/processes.ts";
import { ACP_AGENT } from "../src/testing/agents/acp-agent.ts";
import { exited, Ground, until } from "../src/testing/process.ts";
import { writtenLines } from "../src/testing/written.ts";

interface Item {
  kind: string;
  content?: string;
  outcome?: string | null;
}

for (const words of [[], ["stdio"]])
  test(`a program that speaks ACP answers people by the hub's tools, handed to it ${words[0] ?? "http"}, and ends with Ctrl-C`, async () => {
    await using ground = new Ground();
    await ground.serve();
    const folder = join(ground.folder, "agent");
    mkdirSync(folder);
    const program = [process.execPath, ACP_AGENT, folder, ...words];
    const typed = ["agent", "run", "scout", "--json", "--driver", "acp", "--env", "MY_API_KEY", "--", ...program];
    const child = ground.start(typed, { MY_API_KEY: "a key", OTHER_API_KEY: "another" });
    await once(child.stdout, "data");
    const items = async () => (await ground.json<{ items: Item[] }>(["timeline", "scout"])).items;
    await until(
      async () => (await ground.json<{ lifecycle: string }>(["agent", "status", "scout"])).lifecycle === "ready",
    );
    await ground.json(["chat", "send", "--agent", "scout", "tool:read_file; post:Hello from a program."]);
    await until(async () => (await items()).some(({ outcome, kind }) => kind === "EndTurn" && outcome === "finished"));
    expect((await items()).map(({ kind, content }) => content ?? kind).toSorted()).toEqual([
      ...["EndTurn", "Hello from a program.", "Tool", "tool:read_file; post:Hello from a program."],
    ]);
    const [pid = 0] = writtenLines(join(folder, "pids")).map(Number);
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(environment).toContain("MY_API_KEY=a key");
    expect(environment).not.toMatch(/OTHER_API_KEY|PARLEY_(TOKEN|URL|HOME)/);
    child.kill("SIGINT");
    await exited(child);
    expect(child.exitCode).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

test("what cannot be is said before anything is started", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  writeFileSync(join(ground.folder, "script.json"), '{"rules":[]}');
  const bad: [string[], string][] = [
    [["--driver", "acp"], "needs a program"],
    [["--driver", "acp", "--in-hub", "--", "agent"], "stands in servers.json of its data folder"],
    [["--driver", "acp", "--exec", ".", "--", "agent"], "brings its own tools"],
    [["--driver", "acp", "--client", "codex", "--", "agent"], "is for --driver command"],
    [["--driver", "command"], "needs --client claude or --client codex"],
    [["--driver", "command", "--client", "claude", "--in-hub"], "stands in servers.json of its data folder"],
    [["--driver", "command", "--in-hub"], "The hub has no program for scout: write"],
    [["--driver", "command", "--client", "claude", "--price", "much"], "name two numbers"],
    [["--driver", "command", "--client", "claude", "--env", "NOT_THERE"], "there is no such variable"],
    [["--driver", "acp", "--env", "NOT_THERE", "--", "agent"], "there is no such variable"],
    [["--driver", "acp", "--", "no-such-program"], "does not exist. Nothing was started."],
    [["--driver", "command", "--client", "codex", "--", ground.folder], "is not executable. Nothing was started."],
    [["--script", join(ground.folder, "script.json"), "--", "agent"], "are for --driver acp and --driver command"],
  ];
  for (const [args, why] of bad) {
    const { code, stderr } = await ground.parley(["agent", "run", "scout", ...args]);
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  }
});
