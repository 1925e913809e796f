/** A client of the older era, sent now to one node and now to the other. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { callUntilKnown, Reader } from "../src/testing/crowd.ts";
import { createDatabase } from "../src/testing/postgres.ts";
import { Restarts } from "../src/testing/restarts.ts";

/** How many requests in a row a node gets: more than a session needs to begin. */
const TURN = 7;
const MESSAGES = 30;

test("it meets a node that does not know its session, starts a new one there and goes on: nothing is lost or doubled", async () => {
  const { url, drop } = await createDatabase();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(drop);
  const nodes = [new Restarts({ url }), new Restarts({ url })] as const;
  for (const node of nodes) cleanup.use(node);
  await Promise.all(nodes.map((node) => node.start()));
  const ana = await nodes[0].token("human", "ana");
  const sent = nodes.map(() => 0);
  let unknown = 0;
  /** What a balancer that knows nothing of sessions does. */
  const balanced = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const turn = Math.floor(sent.reduce((sum, count) => sum + count, 0) / TURN) % nodes.length;
    sent[turn] = (sent[turn] ?? 0) + 1;
    const response = await fetch(new URL(new URL(input).pathname, nodes[turn]?.hub.url), init);
    if (response.status === 404) unknown += 1;
    return response;
  };

  let session: Client | undefined;
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: "legacy", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", nodes[0].hub.url), {
      fetch: balanced,
      requestInit: { headers: { authorization: `Bearer ${ana.token}` } },
    });
    // Its types are older than `exactOptionalPropertyTypes`.
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    return client;
  };
  const post = async (content: string): Promise<void> => {
    for (let attempt = 0; attempt < 20; attempt++)
      try {
        session ??= await connect();
        const result = await session.callTool({
          name: "chat_human_post",
          arguments: { content, idempotency_key: content },
        });
        expect(result.isError).toBeFalsy();
        return;
      } catch (error) {
        // The one answer upon which the protocol says: start a new session.
        expect(error).toMatchObject({ code: 404 });
        await session?.close();
        session = undefined;
      }
    throw new Error(`${content} got nowhere`);
  };

  const said = Array.from({ length: MESSAGES }, (_, n) => `n${n}`);
  for (const content of said) await post(content);
  await session?.close();

  expect(unknown).toBeGreaterThan(3);
  expect(Math.min(...sent)).toBeGreaterThan(MESSAGES / 4);
  for (const node of nodes) {
    const reader = new Reader({ token: ana.token, url: () => node.hub.url });
    await reader.run(() => true);
    expect(reader.seen.map(({ content }) => content)).toEqual(said);
    expect(await callUntilKnown({ token: ana.token, url: () => node.hub.url }, "whoami", {})).toMatchObject({
      status: 200,
    });
  }
});
