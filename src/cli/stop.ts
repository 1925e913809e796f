import { readFileSync } from "node:fs";
import { defineCommand } from "./command.ts";
import { Failure } from "./failure.ts";
import { isMissing, type RunningHub } from "./home.ts";
import { isReady, untilGone } from "./start-hub.ts";

const LIMIT_MS = 20_000;

export const stop = defineCommand({
  examples: ["stop", "stop --home ./data"],
  details: "Stops the hub of the data folder and waits until it is gone. A hub elsewhere is stopped where it runs.",
  options: { dry_run: { type: "flag", description: "only say which process it would stop" } },
  async run(cli, { dry_run }) {
    if (cli.url)
      throw new Failure("INVALID_ARGUMENT", "Only the hub of a data folder can be stopped from here: use --home.");
    const { path } = cli.home;
    const hub = cli.home.hub();
    if (!hub) return cli.out.result({ stopped: false, home: path }, () => `No hub runs on ${path}.`);
    await makeSure(hub);
    const { pid, url } = hub;
    if (dry_run)
      return cli.out.result(
        { stopped: false, home: path, pid, url },
        () => `Would stop the hub at ${url}, pid ${pid}.`,
      );

    process.kill(pid, "SIGTERM");
    if (!(await untilGone(pid, LIMIT_MS)))
      throw new Failure(
        "HUB_UNREACHABLE",
        `The hub, pid ${pid}, is still at work after ${LIMIT_MS / 1000} s. See ${cli.home.log}`,
      );
    await cli.out.result({ stopped: true, home: path, pid, url }, () => `Stopped the hub at ${url}, pid ${pid}.`);
  },
});

/** The pid in the file of a hub that was killed may be another process by now. That one is left alone. */
async function makeSure(hub: RunningHub): Promise<void> {
  if (looksLikeHub(hub.pid) ?? (await isReady(hub.url))) return;
  throw new Failure("CONFLICT", `Process ${hub.pid} is not the hub that once had this number. Nothing was stopped.`);
}

/** By its command line; undefined where that cannot be seen. */
function looksLikeHub(pid: number): boolean | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.includes("serve") && words.some((word) => /\/main\.(ts|c?js)$/.test(word));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
