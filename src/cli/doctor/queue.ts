import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Program } from "../../runner/definitions.ts";
import type { ServerSpec } from "../../runtime/index.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import type { Client } from "../core/client.ts";
import { reasonOf, recover } from "../core/failure.ts";
import { candidates, isExecutable } from "../core/program.ts";
import { counted } from "../core/words.ts";
import { type Check, fail, type Patient, pass, warn } from "./check.ts";

const PATIENCE_MS = 10_000;

/** Whether what the hub is to start can be started, and whether anybody is still owed the end of a task. */
export async function checkQueue({ cli }: Patient): Promise<Check[]> {
  const own = cli.url ? [] : [await runner(cli), ...(await servers(cli))];
  return [...own, ...(await atHub(cli, wakes)), ...(await atHub(cli, wakeFolder))];
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
    if (wrong.length > 0) return cannotStart("runner", path, wrong);
    const names = programs.map(({ what }) => what).join(", ");
    return pass("runner", programs.length === 0 ? `${path} names nothing to start.` : `It can start: ${names}.`);
  } catch (error) {
    // Whatever is wrong with the file is said in its own words.
    return fail("runner", reasonOf(error), `Nothing is started until it is put right: ${path}`);
  }
}

/** As the hub reads it for the agents that it runs. What answers at an address is seen in `agent status`. */
async function servers(cli: Cli): Promise<Check[]> {
  const { readServers, serversFile } = await import("../../runtime/servers-file.ts");
  const path = serversFile(cli.home.path);
  if (!lstatSync(path, { throwIfNoEntry: false })) return [];
  try {
    const agents = [...readServers(path)];
    const here = cli.io.env.PATH ?? "";
    const named = agents.flatMap(([agent, { servers }]) =>
      [...servers].map(([name, spec]) => ({ agent, what: name, faults: serverFaults(spec, here) })),
    );
    const programs = agents.flatMap(([agent, { program }]) =>
      program ? [{ agent, what: "program", faults: faultsOf(program, program.env.PATH ?? here) }] : [],
    );
    const wrong = [...named, ...programs].flatMap(({ agent, what, faults }) =>
      faults.map((why) => `${visibleLine(agent)}, ${what}: ${why}`),
    );
    if (wrong.length > 0) return [cannotStart("servers", path, wrong)];
    const started = programs.length > 0 ? ` and ${counted(programs.length, "program")}` : "";
    return [pass("servers", `${counted(named.length, "server")}${started} of agents that the hub runs.`)];
  } catch (error) {
    return [fail("servers", reasonOf(error), `The hub takes nothing of it up until it is put right: ${path}`)];
  }
}

const cannotStart = (name: string, path: string, wrong: readonly string[]): Check =>
  fail(name, `Not all that ${path} names can be started. ${wrong.join(" ")}`, `Correct it in ${path}.`);

function serverFaults(spec: ServerSpec, path: string): string[] {
  if (!("command" in spec)) return [];
  const { command, args, cwd = homedir(), env } = spec;
  const name = command.includes("/") ? resolve(cwd, command) : command;
  return faultsOf({ argv: [name, ...args], cwd }, env.PATH ?? path);
}

function faultsOf({ argv, cwd }: Pick<Program, "argv" | "cwd">, path: string): string[] {
  const [name = ""] = argv;
  const found = candidates(name, path).some(isExecutable);
  const there = name.includes("/") && existsSync(name);
  const program = found ? [] : [`${visibleLine(name)} ${there ? "is not executable" : "does not exist"}.`];
  return [...program, ...(isFolder(cwd) ? [] : [`Its folder ${visibleLine(cwd)} cannot be entered.`])];
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

/** Silent where no hub runs, and for whoever may not see them. What is wrong with the hub is said elsewhere. */
async function atHub(cli: Cli, check: (client: Client, cli: Cli) => Promise<Check[]>): Promise<Check[]> {
  try {
    const client = cli.runByAgent === undefined ? cli.find() : undefined;
    return client?.target.token ? await check(client, cli) : [];
  } catch (error) {
    return recover([])(error);
  }
}

async function wakes(client: Client, cli: Cli): Promise<Check[]> {
  const { wakes } = await client.call("wake_list", { limit: 100 });
  const [oldest] = wakes;
  if (!oldest) return [pass("wakes", "Nobody is owed the end of a task.")];
  const count =
    wakes.length === 100
      ? "100 or more ends of tasks were"
      : `${counted(wakes.length, "end")} of tasks ${wakes.length === 1 ? "was" : "were"}`;
  const since = `the oldest, of ${oldest.waiter}, ended ${cli.out.time(oldest.ended_at)} and was offered ${counted(oldest.offers, "time")}`;
  const lost = wakes.filter(({ given_up }) => given_up).length;
  const untold = lost === 0 ? "" : ` Of ${counted(lost, "end")} no run could tell, and none tries it again.`;
  const next = `A session of a trigger takes one, or whoever watches the wake folder; agents and people get mail.`;
  const decide = lost === 0 ? "" : ` Say whether it is tried again or dropped: ${cli.line("needs")}`;
  return [
    warn(
      "wakes",
      `${count} not taken by those who wait for them; ${visibleLine(since)}.${untold}`,
      `See: ${cli.line("task wakes")}. ${next}${decide}`,
    ),
  ];
}

/** As the hub sees it: it is the hub that writes there. */
async function wakeFolder(client: Client): Promise<Check[]> {
  const { body } = await client.get("/readyz?verbose", PATIENCE_MS);
  const { wake_folder } = Object(body);
  if (typeof wake_folder !== "string") return [];
  if (wake_folder === "ok") return [pass("wake folder", "The hub can write the files that wake whoever watches it.")];
  return [
    warn(
      "wake folder",
      `Whoever watches the wake folder of the hub is not woken: ${wake_folder}`,
      "Make it a folder that the hub can write to; where it is says PARLEY_WAKE_DIR of the hub (else wake in its data folder).",
    ),
  ];
}
