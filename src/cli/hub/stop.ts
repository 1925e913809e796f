import { isProgram } from "../../local/processes.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";
import type { RunningHub } from "../core/home.ts";
import { isReady, untilGone } from "../core/start-hub.ts";

const LIMIT_MS = 20_000;

export const stop = defineCommand({
  people: true,
  examples: ["stop", "stop --home ./data"],
  details:
    "Stops the hub of the data folder, and the demo if it runs, and waits until they are gone. A hub elsewhere is stopped where it runs.",
  options: { dry_run: flag("only say which process it would stop") },
  async run(cli, { dry_run }) {
    if (cli.url) throw invalid("Only the hub of a data folder can be stopped from here: use --home.");
    const { path } = cli.home;
    const hub = cli.home.hub();
    if (!hub) return noHub(cli, dry_run);
    await makeSure(hub);
    const { pid, url } = hub;
    if (dry_run)
      return cli.out.result(
        { stopped: false, home: path, pid, url },
        () => `Would stop the hub at ${url}, pid ${pid}.`,
      );

    const demo = await demoEnded(cli);
    process.kill(pid, "SIGTERM");
    if (!(await untilGone(pid, LIMIT_MS)))
      throw new Failure(
        "HUB_UNREACHABLE",
        `The hub, pid ${pid}, is still at work after ${LIMIT_MS / 1000} s. See ${cli.home.log}`,
      );
    const demo_ended = demo !== undefined;
    await cli.out.result({ stopped: true, home: path, pid, url, demo_ended }, () =>
      [
        `Stopped the hub at ${url}, pid ${pid}.`,
        ...(demo ? [`The demo, ${visibleLine(demo)}, has ended too.`] : []),
      ].join("\n"),
    );
  },
});

/** A hub that was killed leaves its demo behind, which would wait for the next one for ever. */
async function noHub(cli: Cli, dry_run: boolean): Promise<void> {
  const { path } = cli.home;
  const demo = dry_run ? undefined : await (await import("../demo/demo.ts")).killDemo(cli);
  await cli.out.result({ stopped: false, home: path, ...(demo !== undefined && { demo_ended: true }) }, () =>
    [`No hub runs on ${path}.`, ...(demo === undefined ? [] : [`The demo, ${visibleLine(demo)}, has ended.`])].join(
      "\n",
    ),
  );
}

/** Its name. While the hub is still there to take its token back. */
async function demoEnded(cli: Cli): Promise<string | undefined> {
  try {
    return (await (await import("../demo/demo.ts")).endDemo(cli))?.name;
  } catch (error) {
    // A hub in trouble must be stopped all the same. What is left of the demo is cleared away by the next one.
    if (!(error instanceof Failure)) throw error;
    cli.out.note(`The demo was not ended in good order: ${error.message}`);
    return undefined;
  }
}

/** The pid in the file of a hub that was killed may be another process by now. That one is left alone. */
async function makeSure(hub: RunningHub): Promise<void> {
  // By its command line, where that can be seen.
  if (isProgram(hub.pid, "serve") ?? (await isReady(hub))) return;
  throw new Failure("CONFLICT", `Process ${hub.pid} is not the hub that once had this number. Nothing was stopped.`);
}
