import { type Client, createClient, type HubError, type Transport } from "../client/index.ts";
import { nodeTransport } from "../client/node.ts";
import type { Cli } from "./cli.ts";
import { type Failure, failureOf } from "./failure.ts";

/** A person waits at the other end. */
const PACE = { first_ms: 100, most_ms: 5000 };

/**
 * The client library on the hub of a command. It may come back on another port, with another admin token, so both are
 * looked up each time. It is not started from here: somebody may have stopped it on purpose.
 */
export function libraryClient(cli: Cli, token?: string): Client {
  const transport: Transport = (request) => {
    const found = cli.find();
    if (!found) throw new Error(`no hub runs on ${cli.home.path}`);
    const { url, space } = found.target;
    const headers = {
      ...request.headers,
      authorization: `Bearer ${token ?? found.target.token}`,
      ...(space && { "x-session-id": space }),
    };
    return nodeTransport(url)({ ...request, headers });
  };
  return createClient({ transport, pace: PACE });
}

export const failureFrom = ({ status, code, message }: HubError): Failure => failureOf(status, code, message);
