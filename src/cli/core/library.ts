import { type Client, createClient, HubError, type Transport } from "../../client/index.ts";
import type { Cli } from "./cli.ts";
import { type Target, transportTo } from "./client.ts";
import { Failure } from "./failure.ts";

/** A person waits at the other end. */
const PACE = { first_ms: 100, most_ms: 5000 };

/**
 * The client library on the hub of a command. It may come back on another port, with another admin token, so both are
 * looked up each time; `as` says who else it is used as. It is not started from here: somebody may have stopped it on
 * purpose.
 */
export function libraryClient(cli: Cli, as?: Pick<Target, "token" | "space">): Client {
  const transport: Transport = (request) => {
    const found = as ? undefined : cli.find()?.target;
    const place = found ?? cli.place();
    if (!place) throw new Error(`no hub runs on ${cli.home.path}`);
    const { token, space } = as ?? found ?? {};
    const headers = {
      ...request.headers,
      authorization: `Bearer ${token}`,
      ...(space && { "x-session-id": space }),
    };
    return transportTo(place)({ ...request, headers });
  };
  return createClient({ transport, pace: PACE });
}

export const failureFrom = (cause: HubError): Failure =>
  new Failure(cause.code, cause.message, { status: cause.status, cause });

/** What to throw of what was caught there: of the hub's own answer a failure. */
export const orFailure = (error: unknown): unknown => (error instanceof HubError ? failureFrom(error) : error);

/** Aborted by Ctrl-C, or when we are asked to end: what runs until then puts itself in order first. */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.removeAllListeners(signal).on(signal, () => stop.abort());
  return stop.signal;
}
