import type { Client } from "../client/index.ts";
import type { HubPort, ToolName } from "./port.ts";

/** A tool that waits answers within 50 seconds. */
const TIMEOUT_MS = 65_000;

/** Over HTTP, with the agent's own token. */
export const httpPort = (client: Client): HubPort => ({
  call: (name, args, { key, cause, signal } = {}) =>
    // The hub says what it does not know, so any name may be asked for; it is not repeated here, but by who calls.
    client.call(name as ToolName, args as never, {
      ...{ cause, signal, timeout_ms: TIMEOUT_MS, patience_ms: 0 },
      ...(key !== undefined && { key }),
    }) as Promise<object>,
  tools: async (facets) =>
    (await client.tools(facets)).map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
});
