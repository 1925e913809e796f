/** The same is found on every database. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let otter: string;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
    await hub.token("agent", "heron");
    await send(scout, ["otter"], "Café plans", "We meet at the harbour, naïvely.");
    await send(scout, ["otter", "ana"], "Release 2.4", "The release notes are in CHANGELOG.md; see foo_bar-baz.");
    await send(ana, ["otter"], "東京", "東京タワーに行きます");
    await send(scout, ["heron"], "Private", "harbour secret release");
  });

  const send = (from: string, to: string[], subject: string, body: string) =>
    hub.call(from, "mail_send", { to, subject, body });
  const find = async (token: string, args: object) => {
    const { status, body } = await hub.call(token, "mail_search", args);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.messages.map(({ subject }: { subject: string }) => subject);
  };

  test.each([
    ["cafe", ["Café plans"]],
    ["CAFÉ", ["Café plans"]],
    ["naively", ["Café plans"]],
    ["release", ["Release 2.4"]],
    ["rel", ["Release 2.4"]],
    ["rel notes", []],
    ["notes rel", ["Release 2.4"]],
    ['"release notes"', ["Release 2.4"]],
    ['"notes release"', []],
    ["foo_bar-baz", ["Release 2.4"]],
    ["changelog.md", ["Release 2.4"]],
    ["タワー", ["東京"]],
    ["東京タ", ["東京"]],
    ["secret", []],
    ["harbour", ["Café plans"]],
    ["'; drop table mails; --", []],
    ['") OR readers:*', []],
    ["AND", []],
    ["***", []],
    ["\\", []],
    ["' & '", []],
  ])("MAIL-7: %j finds of one's own mail %j", async (query, found) => {
    expect(await find(otter, { query })).toEqual(found);
  });

  test("MAIL-7: what was sent to somebody is found by that name, alone or with others, with words and without", async () => {
    expect(await find(scout, { to: "otter" })).toEqual(["Release 2.4", "Café plans"]);
    expect(await find(scout, { to: "ana" })).toEqual(["Release 2.4"]);
    expect(await find(scout, { to: "ana", query: "harbour" })).toEqual([]);
    expect(await find(scout, { to: "heron", query: "harbour" })).toEqual(["Private"]);
    expect(await find(otter, { to: "heron" })).toEqual([]);
    expect(await find(otter, { to: "otter", from: "ana" })).toEqual(["東京"]);
    for (const to of ["ott", "nobody", "Otter"]) expect([to, await find(scout, { to })]).toEqual([to, []]);
  });

  test("a list says of each mail how many of its thread one sees: never more than the thread shows", async () => {
    const { id: first, thread_id } = (await send(scout, ["otter"], "Plan", "a")).body;
    await hub.call(otter, "mail_reply", { id: first, body: "b" });
    await hub.call(scout, "mail_send", { to: ["heron"], thread_id, subject: "Plan", body: "c" });
    await hub.call(otter, "mail_update", { id: first, action: "archive" });
    const sizes = async (token: string, tool: string, args: object): Promise<number[]> => {
      const { body } = await hub.call(token, tool, args);
      return body.messages
        .filter((mail: { thread_id: string }) => mail.thread_id === thread_id)
        .map((mail: { thread_size: number }) => mail.thread_size);
    };
    expect(await sizes(scout, "mail_inbox", {})).toEqual([3]);
    expect(await sizes(scout, "mail_inbox", { folder: "sent" })).toEqual([3, 3]);
    expect(await sizes(otter, "mail_inbox", { folder: "archived" })).toEqual([2]);
    expect(await sizes(otter, "mail_search", { query: "plan" })).toEqual([2, 2]);
    expect(await sizes(ana, "mail_search", { thread_id, agent: "heron" })).toEqual([1]);
    expect(await sizes(scout, "mail_poll", {})).toEqual([3]);
    for (const [token, size] of [
      [scout, 3],
      [otter, 2],
    ] as const) {
      const { messages } = (await hub.call(token, "mail_thread", { id: thread_id })).body;
      expect(messages).toHaveLength(size);
    }
  });

  test("MAIL-7: the sender finds what it sent, and nobody what is not theirs", async () => {
    expect(await find(scout, { query: "harbour" })).toEqual(["Private", "Café plans"]);
    expect(await find(ana, { query: "harbour" })).toEqual([]);
    expect(await find(ana, { query: "harbour", agent: "otter" })).toEqual(["Café plans"]);
  });

  test("MAIL-7: by sender, thread, folder, date and what is unread, with words or without", async () => {
    const { messages } = (await hub.call(otter, "mail_inbox")).body;
    const [tokyo, release, cafe] = messages;
    await hub.call(otter, "mail_update", { id: cafe.id, action: "archive" });
    await hub.call(otter, "mail_read", { id: release.id });

    expect(await find(otter, { from: "ana" })).toEqual(["東京"]);
    expect(await find(otter, { thread_id: release.thread_id })).toEqual(["Release 2.4"]);
    expect(await find(otter, { folder: "archived" })).toEqual(["Café plans"]);
    expect(await find(otter, { folder: "archived", query: "release" })).toEqual([]);
    expect(await find(otter, { unread: true })).toEqual([tokyo.subject]);
    expect(await find(otter, { after: "1h" })).toHaveLength(3);
    expect(await find(otter, { until: "2020-01-01" })).toEqual([]);
    expect(await find(scout, { folder: "sent", query: "release" })).toEqual(["Private", "Release 2.4"]);
  });

  test("results come newest first, page by page, each once, with words or without", async () => {
    for (let n = 0; n < 25; n++) await send(n % 5 ? scout : otter, [n % 5 ? "otter" : "scout"], `pebble ${n}`, "x");
    const { messages } = (await hub.call(otter, "mail_inbox")).body;
    for (const [at, action] of ["archive", "trash", "read"].entries())
      await hub.call(otter, "mail_update", { id: messages[at * 3].id, action });
    const pages = async (args: object): Promise<string[]> => {
      const seen: string[] = [];
      for (let before: string | null = null; ; ) {
        const { body } = await hub.call(otter, "mail_search", { limit: 10, ...args, ...(before && { before }) });
        seen.push(...body.messages.map(({ subject }: { subject: string }) => subject));
        before = body.next;
        if (!before) return seen;
      }
    };
    const pebbles = Array.from({ length: 25 }, (_, n) => `pebble ${24 - n}`);
    expect(await pages({ query: "pebble" })).toEqual(pebbles);
    expect(await pages({})).toEqual([...pebbles, "東京", "Release 2.4", "Café plans"]);
    expect(await pages({ from: "otter" })).toEqual(pebbles.filter((_, at) => (24 - at) % 5 === 0));
  });

  test("a body of a million characters is stored, and its beginning found", async () => {
    const words = Array.from({ length: 120_000 }, (_, n) => `w${n}`).join(" ");
    const { status } = await send(scout, ["otter"], "Long", words.slice(0, 1_000_000));
    expect(status).toBe(200);
    expect(await find(otter, { query: "w77" })).toContain("Long");
  });
});
