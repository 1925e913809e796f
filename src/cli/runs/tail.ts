import type { Lookup } from "../../tool.ts";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { STDOUT } from "../core/io.ts";
import { wholeName } from "../core/lookup.ts";
import { Patience, pause } from "../core/patience.ts";
import type { Output } from "../core/tool-types.ts";

type Run = Output<"run_show">;

/** As the commands have it that are made of tools. */
const RUN: Lookup = { what: "run", tool: "run_list", list: "runs", short: true, before: "before" };
/** The hub stores what a program printed once a second. */
const LOOK_MS = 500;
const OVER = ["done", "failed", "stopped", "skipped"];

export const tail = defineCommand({
  examples: ["runs tail latest", "runs tail 1763366400000000 --json"],
  details:
    "Goes on through attempts and restarts of the hub, and ends with the run: exit code 0 when it was done, else 1. With --json one piece a line.",
  positionals: {
    id: {
      required: true,
      names: RUN,
      description: "which run, as runs list shows it, as short as names one, or latest",
    },
  },
  async run(cli, { id: given }) {
    const id = await wholeName((tool, args) => cli.callByName(tool, args), RUN, given);
    const run = await follow(cli, id);
    cli.io.exitCode = run.state === "done" ? 0 : 1;
    cli.out.note(`Run ${run.id} of ${run.name} is ${run.state}${run.error ? `: ${visible(run.error)}` : "."}`);
  },
});

function follow(cli: Cli, id: string): Promise<Run> {
  let seen: { attempt: number | null; bytes: number } = { attempt: null, bytes: 0 };
  const isOver = ({ state }: Run): boolean => OVER.includes(state);
  return new Patience({ patient: true }).until(async () => {
    const shown = await cli.call("run_show", { id, after: seen.bytes });
    // The next attempt prints from its beginning.
    const isNext = shown.output_attempt !== seen.attempt && seen.bytes > 0;
    const run = isNext ? await cli.call("run_show", { id }) : shown;
    await print(cli, run);
    seen = { attempt: run.output_attempt, bytes: run.output_bytes };
    if (!isOver(run)) await pause(LOOK_MS);
    return run;
  }, isOver);
}

/** As it came: a piece may end in the middle of a line. */
async function print(cli: Cli, { id, output_attempt, output }: Run): Promise<void> {
  if (output === "") return;
  if (cli.out.json) return cli.out.data({ id, attempt: output_attempt, output });
  await cli.io.write(STDOUT, visible(output));
}
