import type { ProgramDriver } from "../../runtime/index.ts";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { invalid } from "../core/failure.ts";
import { LAUNCHER } from "../root.ts";

/** What every program has of our environment. */
const INHERITED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

export interface GivenProgram {
  /** Without one it speaks ACP. */
  client: "claude" | "codex" | undefined;
  argv: readonly string[];
  /** Variables that it is to have as well. */
  env: readonly string[];
  /** How many seconds it may say nothing. */
  timeout: number;
  price: { input: number; output: number } | undefined;
}

interface Whose {
  agent: string;
  facets: readonly string[] | undefined;
  space: string | undefined;
}

/** Runs the program here, in this folder. */
export async function programHere(cli: Cli, given: GivenProgram, whose: Whose): Promise<ProgramDriver> {
  const { programDriver } = await import("../../runtime/drivers/index.ts");
  const { client, argv, env, timeout, price } = given;
  const { checkProgram } = await import("../tasks/program.ts");
  const typed = client && argv.length === 0 ? [client] : argv;
  const command = {
    ...{ argv: typed, cwd: process.cwd(), env: environmentOf(cli, env) },
    given: Object.fromEntries(env.flatMap((name) => (cli.io.env[name] ? [[name, cli.io.env[name]]] : []))),
  };
  checkProgram(typed, command.env, "Nothing was started.");
  const { url } = (await cli.connect()).target;
  const place = { ...whose, url, home: cli.home.path, launcher: LAUNCHER };
  return programDriver({ client, command, silence_ms: timeout * 1000, price }, place);
}

/** Nothing of ours but what it needs to find its way about, and what is named. */
function environmentOf({ io }: Cli, names: readonly string[]): Record<string, string> {
  const missing = names.find((name) => io.env[name] === undefined);
  if (missing !== undefined) throw invalid(`--env ${visible(missing)}: there is no such variable here.`);
  return Object.fromEntries([...INHERITED, ...names].flatMap((name) => (io.env[name] ? [[name, io.env[name]]] : [])));
}
