import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readOwn, untrustedFile } from "../local/rights.ts";
import { Definition, type Program, programOf } from "../runner/definitions.ts";
import { type ServerSpec, serversIn } from "./compositor/config.ts";
import { EXEC_SERVER } from "./compositor/server.ts";

/** How long a program of an agent may say nothing, if nothing is said. */
const SILENCE_SECONDS = 1800;

/** By the agent's name; of one in another space than the first by `SPACE/NAME`. */
const File = z.strictObject({ agents: z.record(z.string(), z.unknown()) });
const ProgramOfAgent = Definition.refine(
  ({ approvals }) => approvals === undefined,
  "an agent's calls are always decided by the policy: approvals is for runner.json",
);
const Entry = z.looseObject({ mcpServers: z.unknown().optional(), program: ProgramOfAgent.optional() });

export type Servers = ReadonlyMap<string, ServerSpec>;

/** What the file says of one agent. */
export interface HostedAgent {
  /** Whose tools its model has. */
  servers: Servers;
  /** What does its turns with the drivers `command` and `acp`. */
  program: Program | undefined;
}

export const serversFile = (home: string): string => join(home, "servers.json");

/** Throws an `Error` with what is wrong; nothing is started where there is no file. */
export function readServers(path: string): Map<string, HostedAgent> {
  if (!statSync(path, { throwIfNoEntry: false })) return new Map();
  const why = untrustedFile(path);
  if (why) throw new Error(`${path} ${why}: whoever can change it decides what runs. chmod 600 it, if it is yours.`);
  const parsed = File.safeParse(json(readOwn(path)));
  if (!parsed.success) throw new Error('It is no JSON such as {"agents": {"scout": {"mcpServers": {…}}}}.');
  return new Map(Object.entries(parsed.data.agents).map(([agent, value]) => [agent, entryOf(agent, value)]));
}

/** Undefined for what is none. What the parser says of it would have a piece of it, which may be a secret. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entryOf(agent: string, value: unknown): HostedAgent {
  const { data: entry, error } = Entry.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (issue?.path[0] === "program") throw new Error(`${[agent, ...issue.path].join(".")}: ${issue.message}.`);
  const program = entry?.program && programOf(entry.program, SILENCE_SECONDS);
  const has_servers = program === undefined || entry?.mcpServers !== undefined;
  return { program, servers: has_servers ? serversOf(agent, value) : new Map() };
}

function serversOf(agent: string, value: unknown): Servers {
  const servers = serversIn(value, agent);
  if (servers.has(EXEC_SERVER)) throw new Error(`${agent}: ${EXEC_SERVER} is the name of a built-in server.`);
  return new Map([...servers].map(([name, spec]) => [name, "command" in spec ? { cwd: homedir(), ...spec } : spec]));
}
