/** What people who look at a chat need: its end first, what came before, and word of both authors. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
  });

  const post = (content: string, agent = "scout") => hub.call(ana, "chat_human_post", { content, agent });
  const before = async (args: object = {}, token = ana) => (await hub.call(token, "chat_read_before", args)).body;
  const contents = ({ messages }: { messages: { content: string }[] }): string[] =>
    messages.map(({ content }) => content);

  test("reading backwards from the end visits each message once, each page oldest first", async () => {
    for (let n = 0; n < 23; n++) await post(`${n}`);
    const read: string[] = [];
    for (let before_id: string | null = null, more = true; more; ) {
      const page = await before({ before_id, limit: 5 });
      read.unshift(...contents(page));
      before_id = page.messages[0].id;
      more = page.has_more;
    }
    expect(read).toEqual(Array.from({ length: 23 }, (_, n) => `${n}`));
  });

  test("the newest page ends where reading on begins: nothing is missed in between", async () => {
    expect(await before()).toEqual({ messages: [], last_id: null, has_more: false, epoch: hub.hub.database.epoch });
    for (const text of ["one", "two", "three"]) await post(text);
    const { last_id, messages, has_more } = await before({ limit: 2 });
    expect([contents({ messages }), has_more, last_id]).toEqual([["two", "three"], true, messages[1].id]);
    await hub.call(scout, "chat_assistant_post", { content: "four" });
    expect(contents((await hub.call(ana, "chat_read_since", { after_id: last_id })).body)).toEqual(["four"]);
    expect(await before({ before_id: messages[0].id, limit: 1 })).toMatchObject({
      has_more: false,
      messages: [{ content: "one" }],
    });
  });

  test("a page backwards ends where its bytes would exceed 1 MiB, at its older end", async () => {
    const large = "x".repeat(400 * 1024);
    for (const n of [1, 2, 3, 4]) await post(`${n}${large}`);
    const page = await before();
    expect([contents(page).map((text) => text[0]), page.has_more]).toEqual([["3", "4"], true]);
  });

  test("an agent reads back in its own chat alone", async () => {
    const mason = await hub.token("agent", "mason");
    await post("for scout");
    expect(contents(await before({}, scout))).toEqual(["for scout"]);
    expect(contents(await before({}, mason))).toEqual([]);
    expect((await before({ agent: "scout" }, mason)).code).toBe("AGENT_NOT_FOUND");
  });

  test("who watches the messages is told of both authors, who watches the inbox of people alone", async () => {
    const [messages, inbox] = ["ui://chat/scout/messages", "ui://chat/scout/inbox"];
    using stream = await new Raw(hub.url, ana).listen([messages, inbox]);
    await stream.first(1);
    await hub.call(scout, "chat_assistant_post", { content: "hello, ana" });
    await post("hello, scout");
    const [, ...hints] = await stream.first(4);
    expect(hints.map(({ params }) => params.uri).toSorted()).toEqual([inbox, messages, messages]);
    const actor = await hub.actor(ana);
    const read = async (uri: string) => (await hub.hub.resources.read(actor, uri)).body;
    expect(await read(messages)).toEqual(await read(inbox));
    expect(await read("ui://chat/messages")).toMatchObject({ messages: [{ author: "assistant" }, { author: "user" }] });
  });

  test("who watches a status is not told of what is said to another agent", async () => {
    await hub.token("agent", "mason");
    const [own, other] = ["ui://agent/status", "ui://agent/mason/status"];
    using stream = await new Raw(hub.url, ana).listen([own, other]);
    await post("hello, mason", "mason");
    const [, first] = await stream.first(2);
    await post("hello, scout", "scout");
    const [, , second] = await stream.first(3);
    expect([first, second].map(({ params }) => params.uri)).toEqual([other, own]);
  });

  test("the agents and what they do can be watched as a whole", async () => {
    using stream = await new Raw(hub.url, ana).listen(["ui://agents"]);
    await stream.first(1);
    await hub.token("agent", "mason");
    await hub.call(scout, "agent_report", { run_phase: "sampling" });
    await stream.first(3);
    const { body } = await hub.hub.resources.read(await hub.actor(ana), "ui://agents");
    expect(body).toEqual((await hub.call(ana, "agent_list")).body);
    expect(body).toMatchObject({ agents: [{ name: "scout", run_phase: "sampling" }, { name: "mason" }] });
    await expect(hub.hub.resources.read(await hub.actor(scout), "ui://agents")).rejects.toMatchObject({
      code: "UNKNOWN_RESOURCE",
    });
  });
});
