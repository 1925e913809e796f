/** The session-scoped wrapper, with the official clients of both eras. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { beforeEach, describe, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { shelf } from "../testing/shelf.ts";
import { type Bound, choosesSession, withSession } from "./session.ts";

const INFO = { name: "test", version: "1" };
const OWN = "sess_a";
const OTHER = "sess_b";

interface Bindable {
  callTool(params: { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> }): Promise<{
    structuredContent?: unknown;
  }>;
  readResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

eachDatabase((open) => {
  let hub: TestHub;
  let boss: string;
  beforeEach(async () => {
    hub = await open({ modules: [shelf] });
    boss = await hub.token("orchestrator", "boss");
    for (const session_id of [OWN, OTHER]) await hub.call(boss, "create_session", { session_id });
  });

  const at = (path: string) => new URL(`${path}/workspace`, hub.url);
  // A header of its own changes nothing.
  const made = ({ fetch }: Bound) => ({
    fetch,
    requestInit: { headers: { authorization: `Bearer ${boss}`, "x-session-id": OTHER } },
  });
  const CLIENTS: Record<string, () => Promise<Bindable>> = {
    "a 2026-07-28 client": async () => {
      const client = new Client2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      await withSession(client, OWN).connect((bound) => new Http2(at("/mcp"), made(bound)));
      return client as unknown as Bindable;
    },
    "a 2025-11-25 client": async () => {
      const client = new Client2(INFO, { versionNegotiation: { mode: "legacy" } });
      await withSession(client, OWN).connect((bound) => new Http2(at("/mcp"), made(bound)));
      return client as unknown as Bindable;
    },
    "a client of the first SDK": async () => {
      const client = new Client1(INFO);
      // Its own transports do not fit its interface under exactOptionalPropertyTypes.
      await withSession(client, OWN).connect((bound) => new Http1(at("/mcp"), made(bound)) as Transport1);
      return client as unknown as Bindable;
    },
    "an HTTP+SSE client": async () => {
      const client = new Client1(INFO);
      await withSession(client, OWN).connect((bound) => new Sse1(at("/sse"), made(bound)));
      return client as unknown as Bindable;
    },
  };

  for (const [kind, connect] of Object.entries(CLIENTS))
    test(`SPACE-3: whatever ${kind} is told to ask for, it is in its own session or it is not sent`, async () => {
      const client = await connect();
      try {
        const look = await client.callTool({ name: "shelf_look", arguments: {} });
        expect(look.structuredContent).toEqual({ space: OWN });
        const hostile = [
          client.callTool({ name: "shelf_look", arguments: { session_id: OTHER } }),
          client.callTool({ name: "shelf_look", arguments: { space: OTHER } }),
          client.callTool({ name: "shelf_look", arguments: {}, _meta: { "parley/space": OTHER } }),
          client.callTool({ name: "shelf_look", arguments: {}, _meta: { "X-Session-ID": OTHER } }),
          client.callTool({ name: "create_session", arguments: { session_id: "sess_c" } }),
          client.readResource({ uri: `parley://shelf?space=${OTHER}` }),
          client.readResource({ uri: `parley://${OTHER}/shelf` }),
        ];
        for (const asked of await Promise.allSettled(hostile)) expect(asked.status).toBe("rejected");
        expect((await hub.call(boss, "space_list")).body.spaces).toHaveLength(3);
      } finally {
        await client.close();
      }
    });
});

describe("what chooses a session", () => {
  const call = (params: object) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  test("is found wherever it stands and however it is written, and the own one is none", () => {
    for (const params of [
      { name: "x", arguments: { sessionId: OTHER } },
      { name: "x", arguments: { "X-Session-Id": OTHER } },
      { name: "x", arguments: { space_id: 7 } },
      { name: "x", _meta: { "com.example/session_id": OTHER, "parley/session": OTHER } },
      { session_id: OTHER, events: [] },
      { notifications: { resourceSubscriptions: ["parley://shelf", `parley://shelf/${OTHER}`] } },
      { notifications: { session_id: OTHER } },
      { uri: `parley://shelf?session_id=${OTHER}` },
      { uri: `parley://%73ess_b/shelf` },
      { name: "space_delete", arguments: { id: OWN } },
    ])
      expect([params, choosesSession(call(params), OWN) !== undefined]).toEqual([params, true]);
    for (const params of [
      { name: "x", arguments: { content: `what ${OTHER} is about`, spaces: 2, client_session_id: "c" } },
      { session_id: OWN, events: [] },
      { uri: "parley://workspace/draft/summary" },
      undefined,
    ])
      expect(choosesSession({ method: "tools/call", params }, OWN)).toBeUndefined();
  });

  test("a transport that is not bound is not used", async () => {
    const client = withSession({ connect: async (_: object) => {} }, OWN);
    await expect(client.connect(() => ({}))).rejects.toThrow(/not made with/);
  });
});
