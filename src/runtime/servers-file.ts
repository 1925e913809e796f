import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readOwn, untrustedFile } from "../local/rights.ts";
import { type ServerSpec, serversIn } from "./compositor/config.ts";
import { EXEC_SERVER } from "./compositor/server.ts";

/** By the agent's name; of one in another space than the first by `SPACE/NAME`. */
const File = z.strictObject({ agents: z.record(z.string(), z.unknown()) });

export type Servers = ReadonlyMap<string, ServerSpec>;

export const serversFile = (home: string): string => join(home, "servers.json");

/** Throws an `Error` with what is wrong; nothing is mounted where there is no file. */
export function readServers(path: string): Map<string, Servers> {
  if (!statSync(path, { throwIfNoEntry: false })) return new Map();
  const why = untrustedFile(path);
  if (why) throw new Error(`${path} ${why}: whoever can change it decides what runs. chmod 600 it, if it is yours.`);
  const parsed = File.safeParse(json(readOwn(path)));
  if (!parsed.success) throw new Error('It is no JSON such as {"agents": {"scout": {"mcpServers": {…}}}}.');
  return new Map(Object.entries(parsed.data.agents).map(([agent, value]) => [agent, serversOf(agent, value)]));
}

/** Undefined for what is none. What the parser says of it would have a piece of it, which may be a secret. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function serversOf(agent: string, value: unknown): Servers {
  const servers = serversIn(value, agent);
  if (servers.has(EXEC_SERVER)) throw new Error(`${agent}: ${EXEC_SERVER} is the name of a built-in server.`);
  return new Map([...servers].map(([name, spec]) => [name, "command" in spec ? { cwd: homedir(), ...spec } : spec]));
}
