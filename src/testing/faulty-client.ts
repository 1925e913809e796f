/** A client of the library whose network can fail. */
import { onTestFinished } from "vitest";
import { type Client, createClient } from "../client/index.ts";
import { nodeTransport } from "../client/node.ts";
import { FaultyTransport } from "./faulty-transport.ts";
import type { TestHub } from "./hub.ts";

/** Tries again at once, so that no test waits for it. */
export const PACE = { first_ms: 1, most_ms: 20 };

/** `hub` is asked each time: it may be restarted on another port. Gone with the test. */
export function faultyClient(hub: () => TestHub, token: string): { network: FaultyTransport; client: Client } {
  const network = new FaultyTransport((request) => nodeTransport(hub().url)(request));
  const client = createClient({ transport: network.transport, token, pace: PACE });
  onTestFinished(() => client[Symbol.dispose]());
  return { network, client };
}
