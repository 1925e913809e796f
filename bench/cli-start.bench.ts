import { fileURLToPath } from "node:url";
import { Server } from "./support/child.ts";
import { finished, PARLEY, start } from "./support/program.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { rounds: 40 }, moment: { rounds: 0 } };

/** What runs where there is no bundle, or the sources have changed since. */
const SOURCES = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const FLAGS = ["--disable-warning=ExperimentalWarning", "--preserve-symlinks", "--preserve-symlinks-main"];

const bounds = { start: { on: "ratio", at_most: 1.8 } } as const;

export const scenario: Scenario = {
  name: "cli-start",
  measures:
    "`parley poll` from its start to its end, with one call to a hub and JSON out, against `node -e 0` of the same Node",
  bounds,
  async run(effort) {
    const { rounds } = SIZES[effort];
    await using hub = await Server.start("hub");
    const env = {
      PARLEY_URL: `http://127.0.0.1:${hub.port}`,
      PARLEY_TOKEN: await hub.ask<string>("token", { role: "agent", name: "mason" }),
    };
    const timed = async (command: readonly string[], more: Record<string, string> = {}): Promise<number> => {
      const started = performance.now();
      await finished(start(command, { folder: hub.folder, env: { ...env, ...more } }));
      return performance.now() - started;
    };
    const bare = () => timed([process.execPath, "-e", "0"]);
    const fromSources = () =>
      timed([process.execPath, ...FLAGS, SOURCES, "poll"], { NODE_COMPILE_CACHE: `${hub.folder}/.cache/parley` });
    const polls = await interleaved(rounds, () => timed([PARLEY, "poll"]), bare);
    const sources = await interleaved(rounds / 2, fromSources, bare);
    const versions = await interleaved(rounds / 2, () => timed([PARLEY, "version"]), bare);
    return [
      figure("poll", polls, { unit: "ms", bound: bounds.start }),
      figure("poll from the sources", sources, { unit: "ms", bound: null }),
      figure("version, which calls nobody", versions, { unit: "ms", bound: null }),
    ];
  },
};
