/** Following a chat: each message once and in order, and from the beginning where what was known is void. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { statement } from "../db/statement.ts";
import { faultyClient, PACE } from "../testing/faulty-client.ts";
import type { FaultyTransport } from "../testing/faulty-transport.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { type ChatOptions, type Client, createClient, followChat, type HubError } from "./index.ts";

eachDatabase((open, database) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let network: FaultyTransport;
  let client: Client;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    ({ network, client } = faultyClient(() => hub, ana));
  });

  const say = async (content: string, more = {}): Promise<string> =>
    (await hub.call(ana, "chat_human_post", { content, ...more })).body.id;
  const answer = (content: string) => hub.call(scout, "chat_assistant_post", { content });

  interface Following {
    calls: { contents: string[]; reset: boolean; has_earlier: boolean }[];
    errors: (HubError | undefined)[];
    contents(): string[];
    stop(): void;
  }
  const follow = (options: Partial<ChatOptions> = {}, own = client): Following => {
    const calls: Following["calls"] = [];
    const errors: Following["errors"] = [];
    const stop = followChat(own, {
      messages: (messages, about) => void calls.push({ contents: messages.map(({ content }) => content), ...about }),
      error: (error) => void errors.push(error),
      ...options,
    });
    const contents = (): string[] =>
      calls.slice(calls.findLastIndex(({ reset }) => reset)).flatMap((call) => call.contents);
    return { calls, errors, contents, stop };
  };

  test("from what was read already it goes on with what is new, and marks that as read in the same request", async () => {
    await say("known", { agent: "scout" });
    const from = client.call("chat_read_before", { agent: "scout" });
    const last = (await from).last_id;
    let seen = false;
    const done: string[] = [];
    const marks = { wanted: () => seen, done: (id: string) => void done.push(id) };
    const following = follow({ agent: "scout", from, marks });
    const heard = () => following.calls.flatMap(({ contents }) => contents);
    await answer("first");
    await until(() => heard().length === 1);
    expect(following.calls.every(({ reset }) => !reset)).toBe(true);
    const marked = async () => (await hub.call(ana, "chat_read_marks")).body.marks;
    expect(await marked()).toEqual([]);
    seen = true;
    await answer("second");
    await until(() => heard().length === 2);
    expect(heard()).toEqual(["first", "second"]);
    expect(done).toHaveLength(1);
    expect(Number(done[0])).toBeGreaterThan(Number(last));
    expect(await marked()).toEqual([{ agent: "scout", read_id: done[0] }]);
    following.stop();
  });

  test("without a name it is the default agent's chat, and everything is void when that is another agent", async () => {
    await hub.token("agent", "mason");
    await say("to mason, by name", { agent: "mason" });
    await say("to scout");
    const [unnamed, fromFirst, named] = [follow(), follow({ after: null }), follow({ agent: "scout" })];
    await until(() => [unnamed, fromFirst, named].every(({ contents }) => contents().length === 1));
    await hub.call(ana, "agent_default", { name: "mason" });
    await until(() => [unnamed, fromFirst].every(({ contents }) => contents()[0] === "to mason, by name"));
    await say("to the new default");
    await until(() => [unnamed, fromFirst].every(({ contents }) => contents().length === 2));
    for (const { calls, contents } of [unnamed, fromFirst]) {
      expect(contents()).toEqual(["to mason, by name", "to the new default"]);
      expect(calls.filter(({ reset }) => reset)).toHaveLength(2);
    }
    expect(named.contents()).toEqual(["to scout"]);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("messages as large as a page holds come one by one, in the default agent's chat too", async () => {
    const large = (letter: string) => letter.repeat(1024 * 1024);
    const { contents } = follow({ after: null });
    for (const letter of ["a", "b", "c"]) await say(large(letter));
    await until(() => contents().length === 3);
    expect(contents().map((text) => text[0])).toEqual(["a", "b", "c"]);
  });

  test("an empty chat is told as such, then both authors are heard as they speak", async () => {
    const { calls, contents } = follow();
    await until(() => calls.length === 1);
    expect(calls[0]).toEqual({ contents: [], reset: true, has_earlier: false });
    await say("hello");
    await answer("hello, ana");
    await until(() => contents().length === 2);
    expect(contents()).toEqual(["hello", "hello, ana"]);
    expect(calls.filter(({ reset }) => reset)).toHaveLength(1);
  });

  test("it begins with the newest, or after a message, or at the first one", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await say(`${n}`));
    const newest = follow({ newest: 3 });
    const after = follow({ after: ids[9] });
    const all = follow({ after: null });
    const none = follow({ newest: 0 });
    await until(() => [newest, after, all, none].every(({ calls }) => calls.length > 0));
    await say("12");
    await until(() => [newest, after, all, none].every(({ contents }) => contents().at(-1) === "12"));
    expect(newest.calls[0]).toEqual({ contents: ["9", "10", "11"], reset: true, has_earlier: true });
    expect(after.contents()).toEqual(["10", "11", "12"]);
    expect(all.contents()).toEqual(Array.from({ length: 13 }, (_, n) => `${n}`));
    expect(none.contents()).toEqual(["12"]);
  });

  test("the chat of one agent is not the chat of another", async () => {
    await hub.token("agent", "mason");
    const { contents, calls } = follow({ agent: "mason" });
    await until(() => calls.length === 1);
    await say("for scout");
    await say("for mason", { agent: "mason" });
    await until(() => contents().length > 0);
    expect(contents()).toEqual(["for mason"]);
  });

  test("an agent follows its own chat by the same means", async () => {
    const own = createClient({ transport: network.transport, token: scout, pace: PACE });
    onTestFinished(() => own[Symbol.dispose]());
    const { contents, calls } = follow({}, own);
    await until(() => calls.length === 1);
    await say("hello");
    await until(() => contents()[0] === "hello");
  });

  test("a thousand messages and one of a megabyte come whole, in order and once", async () => {
    const large = "x".repeat(1024 * 1024);
    const { contents, calls } = follow({ after: null });
    await until(() => calls.length === 1);
    await Promise.all(Array.from({ length: 500 }, (_, n) => say(`${n}`)));
    await say(large);
    await Promise.all(Array.from({ length: 500 }, (_, n) => say(`${500 + n}`)));
    await until(() => contents().length === 1001);
    expect(contents()[500]).toBe(large);
    expect(new Set(contents()).size).toBe(1001);
  });

  test("while the hub is away it is said so, and afterwards nothing is missing or doubled", async () => {
    const { contents, errors } = follow({ after: null });
    await say("before");
    await until(() => contents().length === 1);
    await hub.stop();
    // Whoever comes back at once meets a hub that is still stopping.
    await until(() => errors.some((error) => error?.code === "HUB_UNREACHABLE"));
    expect(errors.filter((error) => error?.passing === false)).toEqual([]);
    hub = await open({ same: hub });
    await say("after");
    await until(() => contents().length === 2);
    await until(() => errors.at(-1) === undefined);
    expect(contents()).toEqual(["before", "after"]);
  });

  test("a hub that was restored from a backup is followed from the beginning: what was known is void", async () => {
    for (const text of ["one", "two", "lost by the restore"]) await say(text);
    const all = follow({ after: null });
    const newest = follow({ newest: 2 });
    await until(() => all.contents().length === 3 && newest.contents().length === 2);
    await restored(hub);
    network.cut();
    hub = await restart(hub);
    await until(() => all.contents().length === 2 && all.calls.filter(({ reset }) => reset).length === 2);
    expect(all.contents()).toEqual(["one", "two"]);
    // Each comes back at a time of its own: who does so after the next message begins with other ones.
    await until(() => newest.contents()[0] === "one");
    await say("three");
    await until(() => newest.contents().at(-1) === "three");
    expect(newest.contents()).toEqual(["one", "two", "three"]);
    expect(all.errors.at(-1)).toBeUndefined();
  });

  test("a position that nobody ever had is refused, and a token that is revoked ends it", async () => {
    const ahead = follow({ after: "9007199254740991" });
    await until(() => ahead.errors.length > 0);
    expect(ahead.errors).toEqual([expect.objectContaining({ code: "WATERMARK_INVALID", passing: false })]);
    const unknown = follow({ agent: "nobody" });
    await until(() => unknown.errors.length > 0);
    expect(unknown.errors).toEqual([expect.objectContaining({ code: "AGENT_NOT_FOUND" })]);
    const ended = follow();
    await until(() => ended.calls.length === 1);
    const { tokens } = (await hub.call(hub.admin, "token_list")).body;
    const { id } = tokens.find(({ principal }: { principal: string }) => principal === "ana");
    await hub.call(hub.admin, "token_revoke", { id });
    await until(() => ended.errors.length > 0);
    expect(ended.errors.at(-1)).toMatchObject({ code: "UNAUTHENTICATED", passing: false });
  });

  test("a callback that is slow is waited for, and one that throws misses nothing that comes after", async () => {
    const contents: string[] = [];
    const reports: unknown[] = [];
    const own = createClient({ transport: network.transport, token: ana, pace: PACE, report: (e) => reports.push(e) });
    onTestFinished(() => own[Symbol.dispose]());
    let busy = 0;
    followChat(own, {
      after: null,
      messages: async (messages) => {
        expect(busy).toBe(0);
        busy += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
        contents.push(...messages.map(({ content }) => content));
        busy -= 1;
        if (contents.length === 1) throw new Error("not today");
      },
    });
    for (let n = 0; n < 20; n++) await say(`${n}`);
    await until(() => contents.length === 20);
    expect(contents).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
  });

  test("who stops hears nothing more, and leaves no stream behind", async () => {
    const { calls, stop } = follow();
    await until(() => calls.length === 1);
    stop();
    await until(() => network.streams === 0);
    await say("hello");
    expect(calls).toHaveLength(1);
  });

  /** What a restore does to the data: later messages are gone and the epoch is another one. */
  async function restored({ hub }: TestHub): Promise<void> {
    await hub.database.write("main", async (tx) => {
      await tx.run(statement("delete from messages where content = :content"), { content: "lost by the restore" });
      await tx.run(statement("update hub set value = :value where name = 'epoch'"), { value: "fedcba9876543210" });
    });
  }

  async function restart(before: TestHub): Promise<TestHub> {
    await before.stop();
    return open({ same: before });
  }
});
