import { type As, resolveActing } from "./acting.ts";
import type { Cli } from "./cli.ts";
import type { Calls } from "./lookup.ts";
import type { Input, Output, ToolName } from "./tool-types.ts";

/** Calls a tool as whoever is meant, after what waits in the outbox. */
export async function callAs<N extends ToolName>(cli: Cli, as: As, tool: N, args: Input<N>): Promise<Output<N>> {
  const { client } = await resolveActing(cli, { start: !cli.noStart, ...as });
  await cli.deliver();
  return client.call(tool, args);
}

/** The same for tools whose names are known only when it runs. */
export const callsAs =
  (cli: Cli, as: As): Calls =>
  (tool, args) =>
    // What a tool is called with is then the hub's to check.
    callAs(cli, as, tool as ToolName, args as never);
