/** What happens in the session while it happens, as the hub tells MCP clients of it by name. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { withSession } from "../../src/client/index.ts";
import type { Place } from "./agent.ts";

type Told = (name: string, params: Record<string, unknown>) => void;

export async function follow({ url, token, session_id }: Place, told: Told): Promise<AsyncDisposable> {
  const client = new Client({ name: "lead", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  client.fallbackNotificationHandler = async ({ method, params = {} }) => told(method, params);
  const headers = { authorization: `Bearer ${token}` };
  await withSession(client, session_id).connect(
    ({ fetch }) =>
      new StreamableHTTPClientTransport(new URL("/mcp/workspace", url), { fetch, requestInit: { headers } }),
  );
  const events = ["section_created", "section_updated", "checklist_updated", "note_added", "question_added"];
  // Of filters the SDK's type knows only those of the specification.
  const filter = { "parley/scratchpad": { events: events.map((name) => `scratchpad/${name}`) } } as object;
  await client.listen(filter);
  return { [Symbol.asyncDispose]: () => client.close() };
}
