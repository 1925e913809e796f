import { beforeEach, describe, expect, test } from "vitest";
import { EventStream } from "../testing/event-stream.ts";
import { eachDatabase } from "../testing/hub.ts";
import { onSharedHub } from "../testing/shared-hub.ts";
import { refusalOf } from "../testing/timeline-socket.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const DAY_MS = 24 * 3600 * 1000;

onSharedHub((shared) => {
  let ana: string;
  let ana_id: string;
  let scout: string;
  let mason: string;
  beforeEach(async () => {
    const make = (role: string, name: string) => shared.hub.call(shared.hub.admin, "token_create", { role, name });
    const { body } = await make("human", "ana");
    [ana, ana_id] = [body.token, body.id];
    scout = (await make("agent", "scout")).body.token;
    mason = (await make("agent", "mason")).body.token;
    // Of the test before.
    await expect.poll(openStreams).toBe(0);
  });

  const post = async (content: string, more: object = {}): Promise<string> =>
    (await shared.hub.call(ana, "chat_human_post", { content, ...more })).body.id;
  const reply = async (token: string, content: string): Promise<string> =>
    (await shared.hub.call(token, "chat_assistant_post", { content })).body.id;
  const follow = (
    token: string,
    options: { last_event_id?: string | undefined; headers?: Record<string, string> } = {},
  ) => EventStream.open(shared.hub.url, { token, ...options });
  const openStreams = (): number => shared.hub.hub.streams.count(() => true);

  test("a person is told of both authors' messages in every inbox, an agent of its own alone", async () => {
    using person = await follow(ana);
    using own = await follow(scout);

    const ids = [
      await post("to scout"),
      await post("to mason", { agent: "mason" }),
      await reply(scout, "by scout"),
      await reply(mason, "by mason"),
    ];
    const last = await post("to scout again");

    expect((await person.until(5)).map(({ id, event, data }) => [id, event, data.agent, data.author])).toEqual([
      [ids[0], "chat", "scout", "user"],
      [ids[1], "chat", "mason", "user"],
      [ids[2], "chat", "scout", "assistant"],
      [ids[3], "chat", "mason", "assistant"],
      [last, "chat", "scout", "user"],
    ]);
    expect((await own.until(3)) && own.ids).toEqual([ids[0], ids[2], last]);
    expect(person.events[0]?.data).toEqual({
      id: ids[0],
      ts: expect.stringMatching(/Z$/),
      type: "chat.posted",
      ref: ids[0],
      agent: "scout",
      author: "user",
    });
    expect(JSON.stringify(person.events)).not.toContain("to scout");
  });

  test("SPACE-4: other spaces are silent, though the same people are in them", async () => {
    await shared.hub.call(shared.hub.admin, "space_create", { id: "sess_other" });
    const there = { "x-session-id": "sess_other" };
    await shared.hub.token("human", "ana", "sess_other");
    using here = await follow(ana);
    using other = await follow(ana, { headers: there });

    const said = (await shared.hub.call(ana, "chat_human_post", { content: "there" }, there)).body.id;
    const here_id = await post("here");

    expect((await here.until(1)) && here.ids).toEqual([here_id]);
    expect((await other.until(1)) && other.ids).toEqual([said]);
    const foreign = await shared.hub.request("GET", "/events?topics=chat", { token: scout, headers: there });
    expect([foreign.status, foreign.body.code]).toEqual([404, "SESSION_NOT_FOUND"]);
  });

  test("NOTIFY-5: who comes back with the last id it saw is told exactly what it missed, in order", async () => {
    const seen = new EventStreamLog();
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      using stream = await follow(ana, { last_event_id: seen.last_id });
      ids.push(await post(`live ${round}`));
      await stream.until(ids.length - seen.ids.length);
      seen.take(stream);
      stream[Symbol.dispose]();
      for (let n = 0; n < 5; n++) ids.push(await (n % 2 ? reply(scout, "missed") : post("missed")));
    }
    using stream = await follow(ana, { last_event_id: seen.last_id });
    await stream.until(5);
    seen.take(stream);
    expect(seen.ids).toEqual(ids);
  });

  test("NOTIFY-5: an agent that comes back is told of its own inbox alone", async () => {
    const from = await post("before");
    await post("to mason", { agent: "mason" });
    const id = await post("to scout");
    using stream = await follow(scout, { last_event_id: from });
    expect((await stream.until(1)) && stream.ids).toEqual([id]);
  });

  test("with an agent's name it is that agent's inbox alone, and nobody learns whether a foreign one exists", async () => {
    using stream = await EventStream.open(shared.hub.url, { token: ana, topics: "chat&agent=mason" });
    await post("to scout");
    const ids = [await post("to mason", { agent: "mason" }), await reply(mason, "by mason")];
    await post("to scout again");
    const last = await post("to mason again", { agent: "mason" });
    expect((await stream.until(3)) && stream.ids).toEqual([...ids, last]);
    for (const [token, name] of [
      [ana, "nobody"],
      [scout, "mason"],
      [scout, "nobody"],
    ] as const) {
      const { status, body } = await shared.hub.request("GET", `/events?topics=chat&agent=${name}`, { token });
      expect([status, body]).toMatchObject([404, { code: "AGENT_NOT_FOUND", error: SENTENCE }]);
    }
    using own = await EventStream.open(shared.hub.url, { token: mason, topics: "chat&agent=mason" });
    const id = await post("to mason", { agent: "mason" });
    expect((await own.until(1)) && own.ids).toEqual([id]);
  });

  test("a position in the query means the same where a header cannot be set", async () => {
    const from = await post("before");
    const id = await post("after");
    using stream = await EventStream.open(shared.hub.url, { token: ana, topics: `chat&after=${from}` });
    expect((await stream.until(1)) && stream.ids).toEqual([id]);
  });

  test("a topic that does not exist, none at all, and a position that is none are refused", async () => {
    const refused: [string, Record<string, string>][] = [
      ["/events", {}],
      ["/events?topics=", {}],
      ["/events?topics=,", {}],
      ["/events?topics=weather", {}],
      ["/events?topics=chat,__proto__", {}],
      [`/events?topics=${"x".repeat(5000)}`, {}],
      ["/events?topics=chat", { "last-event-id": "abc" }],
      ["/events?topics=chat", { "last-event-id": "-1" }],
      ["/events?topics=chat", { "last-event-id": "1e3" }],
      ["/events?topics=chat", { "last-event-id": "99999999999999999999" }],
      ["/events?topics=chat&after=x", {}],
    ];
    for (const [path, headers] of refused) {
      const { status, body } = await shared.hub.request("GET", path, { token: ana, headers });
      expect([path, status, body]).toEqual([path, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
    }
    expect(openStreams()).toBe(0);
  });

  test("who is no agent and may not see the inboxes either follows nothing", async () => {
    const timer = await shared.hub.token("trigger", "timer");
    const { status, body } = await shared.hub.request("GET", "/events?topics=chat", { token: timer });
    expect([status, body.code]).toEqual([404, "AGENT_NOT_FOUND"]);
  });

  test("NOTIFY-5: a position ahead of everything is told to read again, and then to go on from a true one", async () => {
    const id = await post("one");
    using stream = await follow(ana, { last_event_id: String(Number(id) + 60_000_000) });
    expect(await stream.until(1)).toMatchObject([{ event: "resync", data: { reason: "WATERMARK_INVALID" } }]);
    const position = stream.last_id;
    stream[Symbol.dispose]();

    const next = await post("two");
    using again = await follow(ana, { last_event_id: position });
    expect((await again.until(1)) && again.ids).toEqual([next]);
  });

  test("more events than any buffer holds arrive all and in order, to a reader that pauses again and again", async () => {
    const from = await post("start");
    const actor = await shared.hub.actor(ana);
    const tool = shared.hub.hub.tools.find("chat_human_post");
    const many = async (count: number): Promise<void> => {
      await Promise.all(
        Array.from({ length: count }, () => shared.hub.hub.call(actor, tool, { content: "x" }, { door: "internal" })),
      );
    };
    await many(1500);
    using stream = await follow(ana, { last_event_id: from });
    stream.response.pause();
    await many(1500);
    const pausing = setInterval(() => {
      stream.response.pause();
      setTimeout(() => stream.response.resume(), 5);
    }, 20);
    stream.response.resume();
    await many(500);
    await stream.until(3500);
    clearInterval(pausing);

    const ids = stream.ids.map(Number);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids).toHaveLength(3500);
  });

  test("a revoked token's stream ends at once, the others' go on", async () => {
    using doomed = await follow(ana);
    using lasting = await follow(scout);

    await shared.hub.call(shared.hub.admin, "token_revoke", { id: ana_id });
    await doomed.ended;

    expect(doomed.response.complete).toBe(false);
    expect(openStreams()).toBe(1);
    const said = await reply(scout, "still here");
    expect((await lasting.until(1)) && lasting.ids).toEqual([said]);
  });

  test("a rotated token's stream ends, and the new one goes on from the same position", async () => {
    using before = await follow(ana);
    const first = await post("before");
    await before.until(1);
    const { token } = (await shared.hub.call(shared.hub.admin, "token_rotate", { id: ana_id })).body;
    await before.ended;
    ana = token;
    const second = await post("after");
    using after = await follow(token, { last_event_id: before.last_id });
    expect(before.last_id).toBe(first);
    expect((await after.until(1)) && after.ids).toEqual([second]);
  });

  test("a stream ends when its space does", async () => {
    await shared.hub.call(shared.hub.admin, "space_create", { id: "sess_short" });
    const short = await shared.hub.token("agent", "mason", "sess_short");
    using stream = await follow(short, { headers: { "x-session-id": "sess_short" } });
    await shared.hub.call(shared.hub.admin, "space_delete", { id: "sess_short" });
    await stream.ended;
    expect(openStreams()).toBe(0);
  });

  test("an address whose query holds the character NUL is the caller's mistake, wherever it is", async () => {
    for (const query of ["topics=chat&agent=a%00b", "topics=%00", "topics=chat&agent=scout&after=%00"]) {
      const { status, body } = await shared.hub.request("GET", `/events?${query}`, { token: ana });
      expect([query, status, body]).toEqual([query, 400, { code: "INVALID_TEXT", error: SENTENCE }]);
    }
    for (const query of ["agent=a%00b", "agent=scout&space=a%00b"])
      expect(await refusalOf(shared.hub, ana, query)).toEqual([400, expect.stringContaining("INVALID_TEXT")]);
  });

  test("a reader that hangs up is forgotten", async () => {
    for (let n = 0; n < 3; n++) (await follow(ana))[Symbol.dispose]();
    await expect.poll(openStreams).toBe(0);
    const text = await shared.hub.hub.metrics.text();
    expect(text).toContain('parley_streams_open{kind="events"} 0');
  });

  test("one principal holds at most a thousand streams, and another one is not bothered by that", async () => {
    const actor = await shared.hub.actor(ana);
    const leave = Array.from({ length: 1000 }, () =>
      shared.hub.hub.streams.add({ kind: "events", actor, close: () => {} }),
    );
    const { status, body } = await shared.hub.request("GET", "/events?topics=chat", { token: ana });
    expect([status, body]).toEqual([429, { code: "TOO_MANY_SUBSCRIPTIONS", error: SENTENCE }]);
    using _other = await follow(scout);
    leave[0]?.();
    using _again = await follow(ana);
    for (const gone of leave) gone();
  });
});

describe("a hub of its own", () => {
  eachDatabase((open) => {
    test("NOTIFY-5: also who left before anything had happened misses nothing", async () => {
      const fresh = await open();
      const ben = await fresh.token("human", "ben");
      const first = await EventStream.open(fresh.url, { token: ben });
      await expect.poll(() => first.last_id).toBeDefined();
      first[Symbol.dispose]();
      const { id } = (await fresh.call(ben, "chat_human_post", { content: "while away" })).body;
      using second = await EventStream.open(fresh.url, { token: ben, last_event_id: first.last_id });
      expect((await second.until(1)) && second.ids).toEqual([id]);
    });

    test("NOTIFY-5: a position whose successors are forgotten is told to read again", async () => {
      const old = await open({ now: Date.UTC(2026, 0, 1), config: { event_days: 30 } });
      const ben = await old.token("human", "ben");
      const say = async (): Promise<string> => (await old.call(ben, "chat_human_post", { content: "x" })).body.id;
      const forgotten = await say();
      await say();
      await old.tick(31 * DAY_MS);
      await say();
      using stream = await EventStream.open(old.url, { token: ben, last_event_id: forgotten });
      expect(await stream.until(1)).toMatchObject([{ event: "resync", data: { reason: "WATERMARK_EXPIRED" } }]);
      const { id } = (await old.call(ben, "chat_human_post", { content: "x" })).body;
      expect(await stream.until(2)).toMatchObject([{ event: "resync" }, { event: "chat", id }]);
    });

    test("stopping the hub says goodbye to its streams and does not wait for them", async () => {
      const hub = await open();
      const tokens = [await hub.token("human", "ana"), await hub.token("agent", "scout"), hub.admin];
      const streams = await Promise.all(tokens.map((token) => EventStream.open(hub.url, { token })));
      await hub.stop();
      await Promise.all(streams.map(({ ended }) => ended));
      expect(streams.map(({ response }) => response.complete)).toEqual([true, true, true]);
    });
  });
});

/** What one reader saw over several connections. */
class EventStreamLog {
  readonly ids: (string | undefined)[] = [];
  last_id: string | undefined;

  take(stream: EventStream): void {
    this.ids.push(...stream.ids);
    this.last_id = stream.last_id;
  }
}
