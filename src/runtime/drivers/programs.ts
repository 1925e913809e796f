/** A program that does an agent's turns, the same whether the command line or the hub itself runs it. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { agentFacets } from "../hub-tools.ts";
import { AcpDriver } from "./acp.ts";
import { type CommandClient, CommandDriver } from "./command.ts";
import type { ProgramDriver } from "./program.ts";
import type { ProgramCommand } from "./program-process.ts";
import { sessionFile } from "./sessions.ts";
import type { Price } from "./telling.ts";

export interface AgentProgram {
  /** Whose turns are done by a known client; without it the program speaks ACP. */
  client: CommandClient | undefined;
  command: ProgramCommand;
  /** How long it may say nothing. */
  silence_ms: number;
  price?: Price | undefined;
}

/** Whose turns it does, and where the hub is. */
export interface ProgramPlace {
  agent: string;
  space: string | undefined;
  facets: readonly string[] | undefined;
  url: string;
  /** The data folder, which keeps what session it is in. */
  home: string;
  /** What starts `parley`, for programs that take servers only as programs. */
  launcher: string;
}

export function programDriver(
  { client, command, silence_ms, price }: AgentProgram,
  place: ProgramPlace,
): ProgramDriver {
  const { space, facets, url } = place;
  const common = { command, sessions: sessionFile(fileOf(command, place)), limits: { silence_ms } };
  if (client) return new CommandDriver({ ...common, client, price, hub: { url: toolsAt(url, facets), space } });
  const servers = ({ http }: { http: boolean }, token: string) =>
    http ? overHttp(place, token) : overStdio(place, token);
  return new AcpDriver({ ...common, servers });
}

/** Another program, or another folder, is another session. */
function fileOf({ argv, cwd }: ProgramCommand, { agent, space = "", home }: ProgramPlace): string {
  const program = hash("sha256", JSON.stringify([space, agent, argv, cwd]), "hex").slice(0, 32);
  return join(home, "sessions", `${program}.json`);
}

const overHttp = ({ url, facets, space }: ProgramPlace, token: string) => ({
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
const overStdio = ({ url, facets, space, launcher }: ProgramPlace, token: string) => ({
  ...{ name: "parley", command: launcher, args: ["mcp", "--facet", agentFacets(facets).join(","), "--url", url] },
  env: [{ name: "PARLEY_TOKEN", value: token }, ...(space ? [{ name: "PARLEY_SPACE", value: space }] : [])],
});
