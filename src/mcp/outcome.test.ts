import { afterEach, expect, test } from "vitest";
import { arm, disarm } from "../failpoints.ts";
import { eachDatabase } from "../testing/hub.ts";
import { legacy, Raw } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";

afterEach(disarm);

const post = (key: string) => ({
  id: 1,
  method: "tools/call",
  params: { name: "chat_human_post", arguments: { content: "hello", idempotency_key: key } },
});

eachDatabase((open) => {
  test("a write of unknown outcome is not answered: the connection ends, and a retry with its key finds out", async () => {
    const hub = await open();
    await hub.token("agent", "scout");
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const session = await ana.session();
    const ways = [() => ana.modern(post("k1")), () => ana.legacy(session, post("k2"))];
    for (const send of ways) {
      arm("post.after_commit@events:throw");
      await expect(send()).rejects.toThrow(/ECONNRESET|socket hang up/);
      disarm();
      const answer = await until(async () => {
        const { body } = await send();
        return body.result?.structuredContent;
      });
      expect(answer.id).toMatch(/^\d+$/);
    }
    const { body } = await ana.modern({ method: "resources/read", params: { uri: "ui://chat/inbox" } });
    expect(JSON.parse(body.result.contents[0].text).messages).toHaveLength(2);
  });

  test("what a model reads as text has nothing unseen in it; the structured answer is as it was written", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    const ana = await hub.token("human", "ana");
    const content = "run\u202e txt.exe \u{e0041}\u{e0101}\u200b";
    await hub.call(ana, "chat_human_post", { content });
    const unseen = /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;
    const call = { name: "chat_read_since", arguments: {} };
    const { body } = await scout.modern({ id: 1, method: "tools/call", params: call });
    const { result } = body;
    expect(result.content[0].text).not.toMatch(unseen);
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    expect(result.structuredContent.messages[0].content).toBe(content);
    const read = await scout.modern({ id: 2, method: "resources/read", params: { uri: "ui://chat/inbox" } });
    const { text } = read.body.result.contents[0];
    expect(text).not.toMatch(unseen);
    expect(JSON.parse(text).messages[0].content).toBe(content);
  });

  test("a bug is told as an internal error, without what it was", async () => {
    const hub = await open();
    await hub.token("agent", "scout");
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const session = await ana.session();
    for (const send of [() => ana.modern(post("k4")), () => ana.legacy(session, post("k4"))]) {
      arm("post.after_insert:throw");
      const { body } = await send();
      const message = expect.stringMatching(/^Internal error\. The hub's log has it as [0-9a-f]{8}\.$/);
      expect(body.error).toEqual({ code: -32603, message, data: { code: "INTERNAL" } });
    }
  });

  test("on the oldest transport it is the stream that ends", async () => {
    const hub = await open();
    await hub.token("agent", "scout");
    const ana = new Raw(hub.url, await hub.token("human", "ana"));
    const stream = await ana.stream("GET", "/sse");
    const [path] = await stream.first(1);
    arm("post.after_commit@events:throw");
    expect((await ana.send("POST", path, { body: legacy(post("k3")) })).status).toBe(202);
    expect(await stream.all()).toEqual([path]);
  });
});
