import { type As, resolveActing } from "./acting.ts";
import type { Cli } from "./cli.ts";
import type { CallOptions } from "./client.ts";
import type { Input, Output, ToolName } from "./tool-types.ts";

/** Calls a tool as whoever is meant, after what waits in the outbox. */
export const callAs = <N extends ToolName>(
  cli: Cli,
  as: As,
  tool: N,
  { args, ...options }: CallOptions & { args: Input<N> },
): Promise<Output<N>> => callByNameAs<Output<N>>(cli, as, tool, { args, ...options });

/** One whose name is known only when it runs. */
export async function callByNameAs<T>(
  cli: Cli,
  as: As,
  tool: string,
  { args, ...options }: CallOptions & { args: object },
): Promise<T> {
  const { client } = await resolveActing(cli, { start: !cli.noStart, ...as });
  await cli.deliver();
  return client.callByName<T>(tool, args, options);
}
