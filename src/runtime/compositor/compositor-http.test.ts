/** Servers at addresses: of the 2026 era (a hub) and of the 2025 era (one by the first SDK). */
import { expect, onTestFinished, test } from "vitest";
import { onDatabase } from "../../testing/hub.ts";
import { olderServer } from "../../testing/older-server.ts";
import { type RawAnswer, rawServer } from "../../testing/raw-server.ts";
import type { Toolset } from "../toolset.ts";
import { Compositor } from "./compositor.ts";
import { parseServers } from "./config.ts";
import { mcpMount } from "./mcp-server.ts";

const nothing: Toolset = {
  list: () => [],
  call: async () => ({ outcome: "failed", output: "nobody has it" }),
  originOf: () => undefined,
  mounts: () => ({}),
  takeChanges: () => [],
};

const NOBODY = new AbortController().signal;

async function mount(servers: Record<string, object>): Promise<Compositor> {
  const mounted = new Compositor({ hub: nothing, changed: () => {}, pace: { first_ms: 20, most_ms: 100 } });
  onTestFinished(() => mounted[Symbol.asyncDispose]());
  const specs = parseServers(JSON.stringify({ mcpServers: servers }));
  await mounted.reconfigure(new Map([...specs].map(([name, spec]) => [name, mcpMount(name, spec)])));
  await mounted.settled(60_000);
  return mounted;
}

const run = (mounted: Compositor, tool: string, args: object = {}) =>
  mounted.call(
    { call_id: "1", tool, arguments: JSON.stringify(args) },
    { signal: new AbortController().signal, turn_id: "1", mount: mounted.originOf({ tool, arguments: "{}" })?.mount },
  );

test("MOUNT-8: a server of the 2025 era at an address is mounted, and auth becomes a Bearer header", async () => {
  const { url } = await olderServer();
  const mounted = await mount({ older: { url, auth: "abc" } });
  expect(mounted.mounts()).toEqual({ older: { state: "running" } });
  expect(await run(mounted, "older_who")).toEqual({ outcome: "done", output: "Bearer abc" });
});

test("MOUNT-4: an address where nobody answers any more fails, and is there again when somebody does", async () => {
  const { url, stop, start } = await olderServer();
  const mounted = await mount({ older: { url } });
  await stop();
  expect(await run(mounted, "older_who")).toMatchObject({ outcome: "failed" });
  await expect.poll(() => mounted.mounts().older?.state).toBe("failed");
  await start();
  await expect.poll(() => mounted.mounts().older?.state).toBe("running");
  expect(await run(mounted, "older_who")).toEqual({ outcome: "done", output: "nobody" });
});

test("an address that answers without end is read no further than a program would be, and is there again", async () => {
  const A_CHUNK = 1024 * 1024;
  const MOST_CHUNKS = 200;
  let written = 0;
  const endless =
    (status: number, type: string, beginning: string): RawAnswer =>
    (response, id) => {
      written = 0;
      response.writeHead(status, { "content-type": type }).write(beginning.replace("ID", String(id)));
      const more = (): void => {
        // As fast as it is read.
        while (!response.destroyed && written < MOST_CHUNKS && response.write("x".repeat(A_CHUNK))) written += 1;
        if (written >= MOST_CHUNKS) response.destroy();
      };
      response.on("drain", more);
      more();
    };
  const message = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"';
  const url = await rawServer({
    whole: endless(200, "application/json", message),
    stream: endless(200, "text/event-stream", `: hello\n\ndata: ${message}`),
    refusal: endless(500, "text/plain", ""),
    echo: (response, id) => {
      const said = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "y".repeat(8 * A_CHUNK) }] } };
      response.writeHead(200, { "content-type": "text/event-stream" });
      // Each event by itself is no longer than that.
      for (let n = 0; n < 3; n += 1)
        response.write(
          `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${"z".repeat(5 * A_CHUNK)}"}}\r\n\r\n`,
        );
      response.end(`data: ${JSON.stringify(said)}\n\n`);
    },
  });
  const mounted = await mount({ raw: { url } });
  for (const tool of ["whole", "stream", "refusal"]) {
    expect(await run(mounted, `raw_${tool}`)).toMatchObject({ outcome: "failed" });
    expect(written).toBeLessThan(MOST_CHUNKS / 2);
    await expect.poll(() => mounted.mounts().raw?.state).toBe("running");
  }
  expect((await run(mounted, "raw_echo")).output).toMatch(/^y{100}/);
});

onDatabase("sqlite", (open) => {
  test("a server of the 2026 era at an address is mounted, and what changes there is told", async () => {
    const hub = await open();
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const mounted = await mount({
      other: { url: `${hub.url}/mcp`, auth: scout },
      refused: { url: `${hub.url}/mcp`, auth: "wrong" },
    });
    expect(mounted.mounts()).toMatchObject({ other: { state: "running" }, refused: { state: "failed" } });
    const { outcome, output } = await run(mounted, "other_chat_assistant_post", { content: "Hello." });
    expect([outcome, JSON.parse(output).id]).toEqual(["done", expect.any(String)]);
    const inbox = { server: "other", uri: "ui://chat/scout/inbox" };
    await mounted.resources.follow(inbox, NOBODY);
    await expect(mounted.resources.follow({ ...inbox, uri: "ui://chat/nobody/inbox" }, NOBODY)).rejects.toThrow(
      "no such resource",
    );
    await mounted.resources.follow({ ...inbox, uri: "parley://subscriptions" }, NOBODY);
    await hub.call(ana, "chat_human_post", { content: "Hi.", agent: "scout" });
    await expect.poll(() => mounted.takeChanges()).toEqual([inbox]);
    expect((await mounted.resources.read(inbox, NOBODY)).output).toContain("Hi.");
    await mounted.resources.unfollow(inbox, NOBODY);
    expect(mounted.resources.followed()).toMatchObject([{ uri: "parley://subscriptions", active: true }]);
    // Whoever ends the stream is asked again, and what they say then is why it is not followed.
    const { tokens } = (await hub.call(hub.admin, "token_list")).body;
    const { id } = tokens.find(({ principal }: { principal: string }) => principal === "scout");
    await hub.call(hub.admin, "token_revoke", { id });
    await expect
      .poll(() => mounted.resources.followed())
      .toMatchObject([{ present: false, active: false, last_error: expect.stringContaining("authorization") }]);
  });
});
