/** Calls of the client library, against a real hub through a network that can fail. */
import { beforeEach, expect, expectTypeOf, test } from "vitest";
import { faultyClient } from "../testing/faulty-client.ts";
import type { FaultyTransport } from "../testing/faulty-transport.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { type Client, createClient, fetchTransport, HubError, newKey } from "./index.ts";
import { nodeTransport } from "./node.ts";

eachDatabase((open, database) => {
  let hub: TestHub;
  let ana: string;
  let network: FaultyTransport;
  let client: Client;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    ({ network, client } = faultyClient(() => hub, ana));
  });

  const contents = async (): Promise<string[]> =>
    (await client.call("chat_read_since", {})).messages.map(({ content }) => content);

  test("a call takes and gives what the tool's definition says, in types and in truth", async () => {
    const posted = await client.call("chat_human_post", { content: "hello" });
    expectTypeOf(posted).toEqualTypeOf<{ id: string; ts: string }>();
    const page = await client.call("chat_read_since", { after_id: null });
    expectTypeOf(page.messages[0]).toMatchTypeOf<{ author: "user" | "assistant"; content: string } | undefined>();
    expect(page).toMatchObject({ last_id: posted.id, messages: [{ id: posted.id, content: "hello" }] });
    // @ts-expect-error: there is no such tool
    await expect(client.call("chat_shout", {})).rejects.toThrow(HubError);
    // @ts-expect-error: content is a text
    await expect(client.call("chat_human_post", { content: 5 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("a refusal has the hub's code and sentence, whether the tool refuses or the credential is none", async () => {
    const unknown = client.call("chat_human_post", { content: "hello", agent: "nobody" });
    await expect(unknown).rejects.toMatchObject({ code: "AGENT_NOT_FOUND", message: expect.stringMatching(/nobody/) });
    await expect(client.call("token_list", {})).rejects.toMatchObject({ code: "FORBIDDEN", passing: false });
    const stranger = createClient({ transport: nodeTransport(hub.url), token: "parley_nobody" });
    await expect(stranger.call("whoami", {})).rejects.toMatchObject({ code: "UNAUTHENTICATED", status: 401 });
  });

  test("a write whose answer was lost, cut or garbled is repeated with its key, and done once", async () => {
    for (const fate of ["lost", "doubled", "cut", "garbled"] as const) {
      const fates = [fate, fate, "fine"] as const;
      let turn = 0;
      network.fate = () => fates[turn++] ?? "fine";
      await client.call("chat_human_post", { content: fate }, { key: newKey() });
    }
    expect(await contents()).toEqual(["lost", "doubled", "cut", "garbled"]);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("without a key a call is sent once, whatever becomes of it", async () => {
    network.fate = () => "doubled";
    await expect(client.call("chat_human_post", { content: "once" })).rejects.toMatchObject({
      code: "HUB_UNREACHABLE",
      passing: true,
    });
    network.fate = () => "fine";
    expect(await contents()).toEqual(["once"]);
  });

  test("patience ends: a hub that stays away is an error, and the same key finds out later", async () => {
    network.fate = () => "doubled";
    const post = () => client.call("chat_human_post", { content: "once" }, { key: "k-1", patience_ms: 50 });
    await expect(post()).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
    network.fate = () => "fine";
    const first = await post();
    expect(await client.call("chat_read_since", {})).toMatchObject({ messages: [{ id: first.id }] });
  });

  test("a client that was disposed of calls nothing any more, nor what it was about to repeat", async () => {
    network.fate = () => {
      client[Symbol.dispose]();
      return "lost";
    };
    const post = (): Promise<unknown> => client.call("chat_human_post", { content: "hello" }, { key: newKey() });
    await expect(post()).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
    await expect(post()).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
    expect(network.requests).toHaveLength(1);
  });

  test("what answers without being a hub is told as such, and worth another try", async () => {
    for (const body of ["<html>", "null", "[]", "{}", '{"error":5}', '{"jsonrpc":"2.0","result":{}}']) {
      const strange = createClient({
        transport: async () => ({
          status: 200,
          type: "application/json",
          date: undefined,
          body: async (take) => take(body),
        }),
      });
      await expect(strange.call("whoami", {})).rejects.toMatchObject({ code: "HUB_UNREACHABLE", passing: true });
      await expect(strange.read("ui://agents")).rejects.toBeInstanceOf(HubError);
    }
  });

  test("fetch does the same as node:http", async () => {
    const browser = createClient({ transport: fetchTransport(`${hub.url}/`), token: ana });
    const content = "ä🎉".repeat(50_000);
    await browser.call("chat_human_post", { content });
    expect((await browser.call("chat_read_since", {})).messages[0]?.content).toBe(content);
    await expect(browser.call("token_list", {})).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("what time it is for the hub is known however far off our own clock is", async () => {
    const day = 24 * 3600_000;
    const late = createClient({
      token: ana,
      transport: async (request) => {
        const response = await nodeTransport(hub.url)(request);
        return { ...response, date: new Date(Date.now() + day).toUTCString() };
      },
    });
    await late.call("whoami", {});
    expect(Math.abs(late.now() - Date.now() - day)).toBeLessThan(5000);
  });

  test("no two keys are the same", () => {
    expect(new Set(Array.from({ length: 1000 }, newKey)).size).toBe(1000);
  });
});
