/** A hub whose data was put back to an earlier copy by hand: its epoch is the same, and it has written on since. */
import { beforeEach, expect, test } from "vitest";
import { statement } from "../db/statement.ts";
import { faultyClient } from "../testing/faulty-client.ts";
import type { FaultyTransport } from "../testing/faulty-transport.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { type ChatOptions, type Client, followChat } from "./index.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let network: FaultyTransport;
  let client: Client;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    await hub.token("agent", "scout");
    ({ network, client } = faultyClient(() => hub, ana));
  });

  const say = async (content: string): Promise<string> => (await hub.call(ana, "chat_human_post", { content })).body.id;
  const follow = (options: Partial<ChatOptions> = {}) => {
    const calls: { contents: string[]; reset: boolean }[] = [];
    const messages: ChatOptions["messages"] = (messages, { reset }) =>
      void calls.push({ contents: messages.map(({ content }) => content), reset });
    followChat(client, { messages, ...options });
    const resets = () => calls.filter(({ reset }) => reset).length;
    const contents = () => calls.slice(calls.findLastIndex(({ reset }) => reset)).flatMap((call) => call.contents);
    return { resets, contents };
  };
  const forget = (content: string) =>
    hub.hub.database.write("main", (tx) =>
      tx.run(statement("delete from messages where content = :content"), { content }),
    );

  test("what it no longer has is void, even where it has written beyond it", async () => {
    for (const text of ["one", "two", "lost"]) await say(text);
    const all = follow({ after: null });
    const last = follow({ newest: 1 });
    await until(() => all.contents().length === 3 && last.contents().length === 1);
    network.fate = () => "lost";
    network.cut();
    await forget("lost");
    await say("after the restore");
    network.fate = () => "fine";
    await until(() => all.resets() === 2 && last.resets() === 2);
    await until(() => all.contents().length === 3);
    expect(all.contents()).toEqual(["one", "two", "after the restore"]);
    expect(last.contents()).toEqual(["after the restore"]);
    await say("and on");
    await until(() => all.contents().length === 4 && last.contents().length === 2);
    expect(all.resets()).toBe(2);
  });

  test("a stream that breaks voids nothing while what was told last is still there", async () => {
    const all = follow({ after: null });
    const later = follow({ after: await say("one") });
    await until(() => all.contents().length === 1 && later.resets() === 1);
    for (const text of ["two", "three"]) {
      network.cut();
      await say(text);
      await until(() => all.contents().at(-1) === text && later.contents().at(-1) === text);
    }
    expect(all.contents()).toEqual(["one", "two", "three"]);
    expect(later.contents()).toEqual(["two", "three"]);
    expect([all.resets(), later.resets()]).toEqual([1, 1]);
  });
});
