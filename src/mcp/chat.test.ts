import { describe, expect, onTestFinished, test } from "vitest";
import { arm, disarm } from "../failpoints.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { clientsOn, type McpClient } from "../testing/mcp.ts";
import { until } from "../testing/process.ts";

const INBOX = "ui://chat/inbox";
const MESSAGES = "ui://chat/messages";
const STATUS = "ui://agent/status";

eachDatabase((open, database) => {
  const atMcp = clientsOn(database).filter(([kind]) => kind !== "an HTTP+SSE client");
  for (const [kind, connect] of atMcp)
    test(`HTTP-4: ${kind} is told of changes while a call of its own is still running`, async () => {
      const { hub, ana } = await people(open);
      await using client = await connect({ url: hub.url, token: ana });
      await client.subscribe(INBOX);
      // Durable, and told to listeners, but not yet answered.
      arm("post.before_ack:delay:1500");
      onTestFinished(disarm);
      let answered = false;
      const call = client.call("chat_human_post", { content: "hello" }).then(() => {
        answered = true;
      });

      await hintsOf(client, 1);
      expect(answered).toBe(false);
      await call;
    });

  for (const [kind, connect] of clientsOn(database))
    describe(kind, () => {
      test("CHAT-1: reads an empty inbox as JSON with no messages and no last id", async () => {
        const { hub, scout } = await people(open);
        await using client = await connect({ url: hub.url, token: scout });
        expect(await client.read(INBOX)).toEqual({ mime: "application/json", body: { last_id: null, messages: [] } });
      });

      test("CHAT-7: that subscribed to the inbox is told of a human post, after it can be read", async () => {
        const { hub, ana, scout } = await people(open);
        await using client = await connect({ url: hub.url, token: scout });
        await client.subscribe(INBOX);
        const { body } = await hub.call(ana, "chat_human_post", { content: "hello" });

        const [update] = await hintsOf(client, 1);
        expect(update?.uri).toBe(INBOX);
        const inbox = await client.read(INBOX);
        expect(inbox).toMatchObject({ mime: "application/json", body: { last_id: body.id } });
      });

      test("watching the default agent follows whoever that is", async () => {
        const { hub, ana } = await people(open);
        await hub.token("agent", "mason");
        await using client = await connect({ url: hub.url, token: ana });
        await client.subscribe(INBOX);
        await hub.call(ana, "agent_default", { name: "mason" });
        await hintsOf(client, 1);

        await hub.call(ana, "chat_human_post", { content: "to scout, by name", agent: "scout" });
        await hub.call(ana, "chat_human_post", { content: "to the new default" });
        const updates = await hintsOf(client, 2);
        expect(updates.map(({ uri }) => uri)).toEqual([INBOX, INBOX]);
        expect(updates.flatMap(({ messages }) => messages ?? [])).toMatchObject([{ content: "to the new default" }]);
      });

      test("watching the default agent's messages follows whoever that is, and tells of both authors", async () => {
        const { hub, ana, scout } = await people(open);
        const mason = await hub.token("agent", "mason");
        await using client = await connect({ url: hub.url, token: ana });
        await client.subscribe(MESSAGES);
        await hub.call(scout, "chat_assistant_post", { content: "by the first default" });
        await hintsOf(client, 1);
        await hub.call(ana, "agent_default", { name: "mason" });
        await hintsOf(client, 2);
        const updatesFrom = client.updates.length;

        await hub.call(scout, "chat_assistant_post", { content: "by one who no longer is" });
        await hub.call(ana, "chat_human_post", { content: "to the new default" });
        await hub.call(mason, "chat_assistant_post", { content: "by the new default" });
        const updates = (await hintsOf(client, updatesFrom + 2)).slice(updatesFrom);
        expect(updates.flatMap(({ messages }) => messages ?? [])).toMatchObject([
          { author: "user", content: "to the new default" },
          { author: "assistant", content: "by the new default" },
        ]);
        const { body } = await client.read(MESSAGES);
        expect(body.messages).toMatchObject([{ content: "to the new default" }, { content: "by the new default" }]);
      });

      test("that subscribed to a status is told that something was said, after it can be read", async () => {
        const { hub, ana, scout } = await people(open);
        await using client = await connect({ url: hub.url, token: ana });
        await client.subscribe(STATUS);
        const posts = [
          () => hub.call(ana, "chat_human_post", { content: "hello" }),
          () => hub.call(scout, "chat_assistant_post", { content: "hello, ana" }),
        ];
        for (const [at, post] of posts.entries()) {
          const { body } = await post();
          expect((await hintsOf(client, at + 1)).at(-1)?.uri).toBe(STATUS);
          expect((await client.read(STATUS)).body.last_event_at).toBe(body.ts);
        }
      });

      test("CHAT-8: that did not subscribe, or unsubscribed, is told nothing", async () => {
        const { hub, ana, scout } = await people(open);
        await using silent = await connect({ url: hub.url, token: scout });
        await using client = await connect({ url: hub.url, token: scout });
        await using witness = await connect({ url: hub.url, token: scout });
        await witness.subscribe(INBOX);
        await client.subscribe(INBOX);
        await hub.call(ana, "chat_human_post", { content: "one" });
        await hintsOf(client, 1);
        await client.unsubscribe(INBOX);

        await hub.call(ana, "chat_human_post", { content: "two" });
        await hintsOf(witness, 2);
        // What is said later on the same streams arrives later.
        for (const one of [client, silent]) await one.subscribe(STATUS);
        await hub.call(scout, "agent_report", { run_phase: "sampling" });
        await hintsOf(silent, 1);
        await hintsOf(client, 2);
        expect(client.updates.map(({ uri }) => uri)).toEqual([INBOX, STATUS]);
        expect(silent.updates.map(({ uri }) => uri)).toEqual([STATUS]);
      });

      test("CHAT-9, CHAT-10: is told of what people say and never of what the agent says", async () => {
        const { hub, ana, scout } = await people(open);
        await using client = await connect({ url: hub.url, token: scout });
        await client.subscribe(INBOX);
        await hub.call(ana, "chat_human_post", { content: "first question" });
        await client.call("chat_assistant_post", { content: "an answer" });
        await hub.call(ana, "chat_human_post", { content: "second question" });

        const updates = await hintsOf(client, 2);
        const said = updates.flatMap(({ messages }) => messages ?? []);
        expect(said.map(({ author, content }) => [author, content])).toEqual([
          ["user", "first question"],
          ["user", "second question"],
        ]);
        expect(updates.map(({ _meta }) => _meta?.["parley/messages"])).toEqual(updates.map(({ messages }) => messages));
        const { body } = await client.read(INBOX);
        expect(body.messages).toMatchObject([{ author: "user" }, { author: "assistant" }, { author: "user" }]);
      });

      test("CHAT-16: cannot choose the author and may pass nothing the tool does not know", async () => {
        const { hub, ana, scout } = await people(open);
        await using client = await connect({ url: hub.url, token: ana });
        for (const extra of [{ author: "assistant" }, { from: "scout" }]) {
          const result = await client.call("chat_human_post", { content: "hello", ...extra });
          expect(result).toMatchObject({ isError: true });
          expect(JSON.parse(result.content[0]?.text ?? "")).toMatchObject({ code: "INVALID_ARGUMENT" });
          expect(result.structuredContent).toBeUndefined();
        }
        await using agent = await connect({ url: hub.url, token: scout });
        expect((await agent.read(INBOX)).body).toEqual({ last_id: null, messages: [] });
      });

      test("CHAT-19: sees the inbox among the resources, and that it can be subscribed to", async () => {
        const { hub, scout } = await people(open);
        await using client = await connect({ url: hub.url, token: scout });
        expect(await client.resources()).toContain(INBOX);
        expect(await client.templates()).toContain("ui://chat/{agent}/inbox");
        expect(client.capabilities()).toMatchObject({ resources: { subscribe: true } });
      });

      test("gets a tool's result as text and as structured content, by its name and by the seeds' names", async () => {
        const { hub, ana } = await people(open);
        await using client = await connect({ url: hub.url, token: ana, facet: "chat-human" });
        const names = (await client.tools()).map(({ name }) => name);
        expect(names).toContain("chat_human_post");
        expect(names.filter((name) => !/^[a-z][a-z0-9_]{0,39}$/.test(name))).toEqual([]);
        for (const name of ["chat_human_post", "chat.human.post", "ui_chat_human_post"]) {
          const { structuredContent, content } = await client.call(name, { content: "hello" });
          expect(structuredContent).toEqual({ id: expect.stringMatching(/^\d+$/), ts: expect.stringMatching(/Z$/) });
          expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
        }
      });
    });
});

async function people(open: () => Promise<TestHub>): Promise<{ hub: TestHub; ana: string; scout: string }> {
  const hub = await open();
  const scout = await hub.token("agent", "scout");
  const ana = await hub.token("human", "ana");
  return { hub, ana, scout };
}

async function hintsOf(client: McpClient, count: number) {
  await until(() => client.updates.length >= count);
  return client.updates.slice(0, count);
}
