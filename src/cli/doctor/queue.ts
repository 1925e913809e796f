import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../runner/definitions.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { Failure } from "../core/failure.ts";
import { isExecutable, placesOf } from "../core/program-path.ts";
import { counted } from "../core/words.ts";
import { type Check, fail, type Patient, pass, warn } from "./check.ts";

/** Whether what the hub is to start can be started, and whether any trigger still waits for the end of a task. */
export async function checkQueue({ cli }: Patient): Promise<Check[]> {
  return [...(cli.url ? [] : [await runner(cli)]), ...(await wakes(cli))];
}

/** As the runner itself reads it, each time that it starts something. */
async function runner(cli: Cli): Promise<Check> {
  const path = join(cli.home.path, "runner.json");
  if (!existsSync(path))
    return pass("runner", "There is no runner.json: nothing is started, and what triggers fire becomes tasks.");
  const { Definitions } = await import("../../runner/definitions.ts");
  try {
    const { programs } = Definitions.read(cli.home.path);
    const wrong = programs.flatMap(({ what, program }) =>
      faultsOf(program, cli.io.env.PATH ?? "").map((why) => `${what}: ${why}`),
    );
    if (wrong.length > 0)
      return fail("runner", `Not all that ${path} names can be started. ${wrong.join(" ")}`, `Correct it in ${path}.`);
    const names = programs.map(({ what }) => what).join(", ");
    return pass("runner", programs.length === 0 ? `${path} names nothing to start.` : `It can start: ${names}.`);
  } catch (error) {
    // Whatever is wrong with the file is said in its own words.
    const why = error instanceof Error ? error.message : String(error);
    return fail("runner", why, `Nothing is started until it is put right: ${path}`);
  }
}

function faultsOf({ argv, cwd }: Program, path: string): string[] {
  const [name = ""] = argv;
  const found = placesOf(name, path).some(isExecutable);
  const there = name.includes("/") && existsSync(name);
  const program = found ? [] : [`${visibleLine(name)} ${there ? "is not executable" : "does not exist"}.`];
  return [...program, ...(isFolder(cwd) ? [] : [`Its folder ${visibleLine(cwd)} is none that can be entered.`])];
}

function isFolder(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    // Not there, or not for us: either way nothing can run in it.
    return false;
  }
}

/** Silent where no hub runs, and for whoever may not see them. */
async function wakes(cli: Cli): Promise<Check[]> {
  try {
    const client = cli.runByAgent === undefined ? cli.find() : undefined;
    if (!client?.target.token) return [];
    const { wakes } = await client.call("wake_list", { limit: 100 });
    const [oldest] = wakes;
    if (!oldest) return [pass("wakes", "No trigger is owed the end of a task.")];
    const count =
      wakes.length === 100
        ? "100 or more ends of tasks were"
        : `${counted(wakes.length, "end")} of tasks ${wakes.length === 1 ? "was" : "were"}`;
    const since = `the oldest, of ${oldest.trigger_name}, ended ${cli.out.time(oldest.ended_at)} and was offered ${counted(oldest.offers, "time")}`;
    return [
      warn(
        "wakes",
        `${count} not taken by the triggers that wait for them; ${visibleLine(since)}.`,
        `See: ${cli.line("task wakes")}. A session of the trigger takes one, or whoever watches the wake folder.`,
      ),
    ];
  } catch (error) {
    // What is wrong with the hub is said elsewhere.
    if (error instanceof Failure) return [];
    throw error;
  }
}
