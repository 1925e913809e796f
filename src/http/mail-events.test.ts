import { beforeEach, describe, expect, test, vi } from "vitest";
import { EventStream, type StreamedEvent } from "../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { onSharedHub } from "../testing/shared-hub.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const HOUR_MS = 3600 * 1000;

const send = async (hub: TestHub, token: string, to: string[], subject: string): Promise<string> =>
  (await hub.call(token, "mail_send", { to, subject, body: "b" })).body.id;
const act = (hub: TestHub, token: string, id: string, action: string, more: object = {}) =>
  hub.call(token, "mail_update", { id, action, ...more });
const follow = (hub: TestHub, token: string, { agent = "", after }: { agent?: string; after?: string } = {}) =>
  EventStream.open(hub.url, { token, topics: `mail${agent && `&agent=${agent}`}`, last_event_id: after });

const named = (events: readonly StreamedEvent[], name: string): StreamedEvent[] =>
  events.filter(({ event }) => event === name);
const subjects = (events: readonly StreamedEvent[]): string[] =>
  named(events, "new-message").map(({ data }) => String(data.subject));
/** The count that was told last. */
const unread = (events: readonly StreamedEvent[]): number | undefined =>
  named(events, "unread-count").at(-1)?.data.unread;
const counts = (stream: EventStream, count: number): Promise<void> =>
  vi.waitFor(() => expect(unread(stream.events)).toBe(count), { timeout: 90_000 });

onSharedHub((shared) => {
  let hub: TestHub;
  let ana: string;
  let heron: string;
  let otter: string;
  beforeEach(async () => {
    hub = shared.hub;
    [ana, heron, otter] = [
      await hub.token("human", "ana"),
      await hub.token("agent", "heron"),
      await hub.token("agent", "otter"),
    ];
    for (const token of [heron, otter]) {
      const { messages } = (await hub.call(token, "mail_inbox", { limit: 100 })).body;
      const ids = messages.map(({ id }: { id: string }) => id);
      if (ids.length > 0) await hub.call(token, "mail_update", { ids, action: "archive" });
    }
  });

  test("MAIL-11: a new mail is told as mail and as new-message, and then how much is unread", async () => {
    using stream = await follow(hub, heron);
    await counts(stream, 0);
    const id = await send(hub, ana, ["heron"], "One");
    await counts(stream, 1);
    expect(stream.events.map(({ event }) => event)).toEqual(["unread-count", "mail", "new-message", "unread-count"]);
    const about = { agent: "heron", from: "ana", subject: "One", priority: "normal", thread_id: id, ref: id };
    expect(stream.events[1]?.data).toMatchObject({ ...about, type: "mail.received" });
    expect(stream.events[2]?.data).toMatchObject({ ...about, message_id: id });
    expect(stream.events[3]?.data).toEqual({ agent: "heron", unread: 1, unread_more: false });
    expect(JSON.stringify(stream.events)).not.toContain('"body"');
  });

  test("how much is unread is told at once when a stream begins, and again only when it changes", async () => {
    const id = await send(hub, ana, ["heron"], "Before");
    using stream = await follow(hub, heron);
    await counts(stream, 1);
    await act(hub, heron, id, "read");
    await counts(stream, 0);
    await act(hub, heron, id, "archive");
    await act(hub, heron, id, "inbox");
    await act(hub, heron, id, "unread");
    await counts(stream, 1);
    expect(named(stream.events, "unread-count").map(({ data }) => data.unread)).toEqual([1, 0, 1]);
  });

  test("the last count told is the one that the list gives, however much happens at once", async () => {
    using stream = await follow(hub, heron);
    const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => send(hub, ana, ["heron", "otter"], `At ${n}`)));
    await Promise.all(ids.slice(0, 12).map((id) => act(hub, heron, id, "read")));
    await counts(stream, 18);
    expect((await hub.call(heron, "mail_inbox")).body.unread).toBe(18);
    expect(new Set(subjects(stream.events)).size).toBe(30);
  });

  test("an agent is told of its own mailbox alone, and of a foreign one not even whether it exists", async () => {
    using own = await follow(hub, heron);
    await send(hub, ana, ["otter"], "Not for heron");
    await act(hub, otter, await send(hub, ana, ["otter"], "Neither"), "ack");
    await send(hub, ana, ["heron"], "For heron");
    await counts(own, 1);
    expect(subjects(own.events)).toEqual(["For heron"]);
    expect(JSON.stringify(own.events)).not.toMatch(/otter|Neither/);
    const refused = async (token: string, name: string): Promise<unknown> => {
      const { status, body } = await hub.request("GET", `/events?topics=mail&agent=${name}`, { token });
      return [status, body.code, body.error.replace(name, "NAME")];
    };
    expect(await refused(heron, "otter")).toEqual([404, "AGENT_NOT_FOUND", SENTENCE]);
    expect(await refused(heron, "otter")).toEqual(await refused(heron, "nobody"));
    expect(await refused(ana, "nobody")).toEqual(await refused(heron, "nobody"));
    await hub.token("human", "ben");
    expect(await refused(ana, "ben")).toEqual(await refused(ana, "nobody"));
  });

  test("a person follows their own mailbox, or that of the agent they look at", async () => {
    using own = await follow(hub, ana);
    using viewed = await follow(hub, ana, { agent: "heron" });
    await send(hub, otter, ["ana"], "For ana");
    await send(hub, otter, ["heron"], "For heron");
    await send(hub, otter, ["ana", "heron"], "For both");
    await vi.waitFor(() => expect(subjects(own.events)).toEqual(["For ana", "For both"]), { timeout: 90_000 });
    await vi.waitFor(() => expect(subjects(viewed.events)).toEqual(["For heron", "For both"]), { timeout: 90_000 });
    await counts(viewed, 2);
    expect(named(viewed.events, "unread-count").every(({ data }) => data.agent === "heron")).toBe(true);
    expect(named(own.events, "unread-count").every(({ data }) => data.agent === "ana")).toBe(true);
  });

  test("a sender is told when it was read and acknowledged, and by whom", async () => {
    using stream = await follow(hub, ana);
    const id = await send(hub, ana, ["heron"], "Receipt");
    await hub.call(heron, "mail_read", { id });
    await act(hub, heron, id, "ack");
    const receipts = () => stream.events.filter(({ data }) => data.type === "mail.receipt" && data.ref === id);
    await vi.waitFor(() => expect(receipts()).toHaveLength(2), { timeout: 90_000 });
    expect(receipts().map(({ data }) => [data.by, data.state])).toEqual([
      ["heron", "read"],
      ["heron", "acknowledged"],
    ]);
  });

  test("NOTIFY-5: who comes back with the last id is told each mail once, in order, and the count as it then is", async () => {
    const seen: string[] = [];
    let after: string | undefined;
    for (let round = 0; round < 4; round++) {
      using stream = await follow(hub, heron, { ...(after && { after }) });
      await send(hub, ana, ["heron"], `Live ${round}`);
      await counts(stream, 3 * round + 1);
      seen.push(...subjects(stream.events));
      after = stream.last_id;
      stream[Symbol.dispose]();
      for (const n of [1, 2]) await send(hub, ana, ["heron"], `Away ${round}.${n}`);
    }
    const rounds = [0, 1, 2, 3].flatMap((round) => [`Live ${round}`, `Away ${round}.1`, `Away ${round}.2`]);
    expect(seen).toEqual(rounds.slice(0, -2));
  });

  test("a position that can no longer be followed is told to read again, with the count as it is", async () => {
    await send(hub, ana, ["heron"], "There");
    using stream = await follow(hub, heron, { after: String(Date.now() * 1000 + 3.6e9) });
    await counts(stream, 1);
    expect(stream.events.map(({ event }) => event)).toEqual(["resync", "unread-count"]);
  });

  test("mail and chat are followed on one stream", async () => {
    using stream = await EventStream.open(hub.url, { token: ana, topics: "chat,mail&agent=heron" });
    await hub.call(ana, "chat_human_post", { content: "hello", agent: "heron" });
    await hub.call(ana, "chat_human_post", { content: "hello", agent: "otter" });
    await send(hub, ana, ["heron"], "Both");
    await counts(stream, 1);
    expect(stream.events.map(({ event }) => event).filter((event) => event !== "unread-count")).toEqual([
      "chat",
      "mail",
      "new-message",
    ]);
  });
});

describe("a hub of its own", () => {
  eachDatabase((open) => {
    test("MAIL-5: what wakes from a snooze is told as a new mail, once, and counted again", async () => {
      const hub = await open({ now: Date.UTC(2026, 0, 1) });
      const [ana, heron] = [await hub.token("human", "ana"), await hub.token("agent", "heron")];
      const id = await send(hub, ana, ["heron"], "Later");
      using stream = await follow(hub, heron);
      await counts(stream, 1);
      await act(hub, heron, id, "snooze", { until: "1h" });
      await counts(stream, 0);
      await hub.tick(HOUR_MS);
      await counts(stream, 1);
      await hub.tick(HOUR_MS);
      expect(named(stream.events, "new-message").map(({ data }) => data.message_id)).toEqual([id]);
    });
  });
});
