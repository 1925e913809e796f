import { hash } from "node:crypto";
import { join } from "node:path";
import { agentFacets, type ProgramDriver } from "../../runtime/index.ts";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { invalid } from "../core/failure.ts";
import { LAUNCHER } from "../root.ts";

/** What every program has of our environment. */
const INHERITED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

export interface GivenProgram {
  argv: readonly string[];
  /** Variables that it is to have as well. */
  env: readonly string[];
  /** How many seconds it may say nothing. */
  timeout: number;
}

export interface GivenCommand extends GivenProgram {
  client: "claude" | "codex";
  price: { input: number; output: number } | undefined;
}

interface As {
  agent: string;
  facets: readonly string[] | undefined;
  token: string;
  space: string | undefined;
}

/** Runs an agent program that speaks ACP, with the hub's tools by the agent's own token. */
export async function acpProgram(cli: Cli, given: GivenProgram, as: As): Promise<ProgramDriver> {
  const { AcpDriver } = await import("../../runtime/drivers/index.ts");
  const { url } = (await cli.connect()).target;
  return new AcpDriver({
    ...(await common(cli, given, as)),
    servers: ({ http }) => (http ? overHttp(url, as) : overStdio(url, as)),
  });
}

/** Runs a client of agents, a process for each prompt. */
export async function commandProgram(cli: Cli, given: GivenCommand, as: As): Promise<ProgramDriver> {
  const { CommandDriver } = await import("../../runtime/drivers/index.ts");
  const { client, argv, price } = given;
  const { token, space, facets } = as;
  const hub = { url: toolsAt((await cli.connect()).target.url, facets), token, space };
  const program = { ...given, argv: argv.length > 0 ? argv : [client] };
  return new CommandDriver({ ...(await common(cli, program, as)), client, price, hub });
}

async function common(cli: Cli, { argv, env, timeout }: GivenProgram, as: As) {
  const { sessionFile } = await import("../../runtime/drivers/index.ts");
  const cwd = process.cwd();
  const program = hash("sha256", JSON.stringify([as.space ?? "", as.agent, argv, cwd]), "hex").slice(0, 32);
  return {
    command: { argv, cwd, env: environmentOf(cli, env), secrets: [as.token] },
    sessions: sessionFile(join(cli.home.path, "sessions", `${program}.json`)),
    limits: { silence_ms: timeout * 1000 },
  };
}

/** Nothing of ours but what it needs to find its way about, and what is named. */
function environmentOf({ io }: Cli, names: readonly string[]): Record<string, string> {
  const missing = names.find((name) => io.env[name] === undefined);
  if (missing !== undefined) throw invalid(`--env ${visible(missing)}: there is no such variable here.`);
  return Object.fromEntries([...INHERITED, ...names].flatMap((name) => (io.env[name] ? [[name, io.env[name]]] : [])));
}

const overHttp = (url: string, { facets, token, space }: As) => ({
  ...({ type: "http", name: "parley" } as const),
  url: toolsAt(url, facets),
  headers: [
    { name: "Authorization", value: `Bearer ${token}` },
    ...(space ? [{ name: "X-Session-ID", value: space }] : []),
  ],
});

const toolsAt = (url: string, facets: readonly string[] | undefined): string =>
  new URL(`/mcp/${agentFacets(facets).join("+")}`, url).href;

/** Every agent can take a program. */
const overStdio = (url: string, { facets, token, space }: As) => ({
  ...{ name: "parley", command: LAUNCHER, args: ["mcp", "--facet", agentFacets(facets).join(","), "--url", url] },
  env: [{ name: "PARLEY_TOKEN", value: token }, ...(space ? [{ name: "PARLEY_SPACE", value: space }] : [])],
});
