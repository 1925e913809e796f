import { type As, resolveActing } from "./acting.ts";
import type { Cli } from "./cli.ts";
import type { CallOptions } from "./client.ts";

/** Calls a tool as whoever is meant, after what waits in the outbox. */
export async function callAs<T>(
  cli: Cli,
  as: As,
  tool: string,
  { args, ...options }: CallOptions & { args: object },
): Promise<T> {
  const { client } = await resolveActing(cli, { start: !cli.noStart, ...as });
  await cli.deliver();
  return client.call<T>(tool, args, options);
}
