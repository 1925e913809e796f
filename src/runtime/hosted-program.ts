import { z } from "zod";
import type { Hub } from "../hub.ts";
import { isProgramDefinition, type ProgramDefinition, readDefinition } from "./definition.ts";
import type { ProgramDriver } from "./drivers/program.ts";
import type { HostedServers, Whose } from "./hosted-servers.ts";

/** How the hub runs an agent, as it is stored. */
export const Hosting = z.object({
  definition: z.looseObject({}),
  token_id: z.string(),
  like: z.string().optional(),
});
export type Hosting = z.infer<typeof Hosting>;

/**
 * Why the hub cannot run an agent so; undefined where it can. Which program does its turns is said by the file in the data
 * folder alone, so that nobody decides by a call what runs on the hub's machine.
 */
export function refusalOf(servers: HostedServers, whose: Whose, given: object): string | undefined {
  const read = readDefinition(given);
  if ("wrong" in read) return read.wrong;
  const { definition } = read;
  if (!isProgramDefinition(definition)) return undefined;
  const { driver } = definition;
  const program = servers.find(whose)?.program;
  const example = driver === "command" ? { client: "claude" } : { argv: ["PROGRAM"] };
  const wanted = JSON.stringify({ agents: { [whose.agent]: { program: example } } });
  if (!program)
    return `The hub has no program for ${whose.agent}: write ${wanted} into ${servers.path} on its machine, which is for its owner alone.`;
  if ((program.client === "plain") === (driver === "acp")) return undefined;
  const why = driver === "command" ? "names no client (claude or codex)" : "names a client, which speaks no ACP";
  return `The program of ${whose.agent} in ${servers.path} ${why}: the ${driver} driver needs one such as ${wanted}.`;
}

interface Parts {
  hub: Hub;
  servers: HostedServers;
  whose: Whose;
  definition: ProgramDefinition;
}

/** The program that does its turns, as the file says. Everything in its environment there may be a secret. */
export async function hostedProgram({ hub, servers, whose, definition }: Parts): Promise<ProgramDriver> {
  const program = servers.find(whose)?.program;
  if (!program) throw new Error(`${servers.path} has no program for ${whose.agent} any more.`);
  // The protocol's library is loaded where something is run, and nowhere else.
  const { programDriver } = await import("./drivers/index.ts");
  const { home, run_env, launcher } = hub.config;
  const { client, argv, cwd, env, timeout_ms } = program;
  const command = { argv, cwd, env: { ...run_env, ...env }, given: env, mark: servers.mark };
  const given = {
    ...{ client: client === "plain" ? undefined : client, command, silence_ms: timeout_ms },
    price: definition.driver === "command" ? definition.price : undefined,
  };
  const { space_id: space, agent } = whose;
  return programDriver(given, { agent, space, facets: definition.facets, url: hub.address, home, launcher });
}
