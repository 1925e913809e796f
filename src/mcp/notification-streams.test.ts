/** Streams of notifications that end, come back, lag, or ask for too much. */
import { beforeEach, expect, test } from "vitest";
import { transact } from "../context.ts";
import { append } from "../feed/append.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { modern, Raw, type RawStream } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";
import { stopTime } from "../testing/stopwatch.ts";
import { Desk } from "../testing/workspace.ts";

const START = Date.UTC(2026, 0, 1);
const DAY = 24 * 3600_000;
const SPACE = "sess_a";
const NOTES = { events: ["scratchpad/note_added"] };

eachDatabase((open, database) => {
  let hub: TestHub;
  let token: string;
  let raw: Raw;
  let scout: Desk;
  beforeEach(async () => {
    hub = await open({ now: START, config: { event_days: 3, space_subscriptions: 3 } });
    for (const session_id of [SPACE, "sess_b"]) await hub.call(hub.admin, "create_session", { session_id });
    token = await hub.token("agent", "scout", SPACE);
    raw = new Raw(hub.url, token, SPACE);
    scout = new Desk(hub, token, { "x-session-id": SPACE });
  });
  const note = (content: string, desk = scout) => desk.done("add_note", { content });
  const there = async () => new Desk(hub, await hub.token("agent", "mason", "sess_b"), { "x-session-id": "sess_b" });

  const ask = (session: string, params: object = NOTES) =>
    raw.legacy(session, { id: 1, method: "notifications/subscribe", params: { ...params } });
  const session = async (params?: object, of = raw): Promise<Record<string, string>> => {
    const id = await of.session();
    await of.legacy(id, { id: 1, method: "notifications/subscribe", params: { ...NOTES, ...params } });
    return { "mcp-session-id": id, accept: "text/event-stream" };
  };
  /** Once the hub knows that the last one is gone. */
  const attach = (headers: Record<string, string>, of = raw): Promise<RawStream> =>
    until(async () => {
      const stream = await of.stream("GET", "/mcp", { headers });
      return stream.status === 200 ? stream : undefined;
    });
  const listen = (wish: object = NOTES, headers: Record<string, string> = {}, of = raw) => {
    const filter = { "parley/scratchpad": wish };
    const rpc = modern({ id: 7, method: "subscriptions/listen", params: { notifications: filter } });
    return of.stream("POST", "/mcp", { ...rpc, headers: { ...rpc.headers, ...headers } });
  };
  const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
  const told = ({ messages }: RawStream): string[] =>
    messages
      .filter(({ method }) => method !== ACKNOWLEDGED)
      .map(({ method, params }) => params.content_preview ?? method);

  test("NOTIFY-5: a session's stream that comes back with Last-Event-ID is told what it missed, in order and once", async () => {
    const headers = await session();
    const first = await attach(headers);
    await note("one");
    await note("two");
    await first.first(2);
    const [one = ""] = first.ids;
    first[Symbol.dispose]();
    await note("elsewhere", await there());
    await note("three");
    const second = await attach({ ...headers, "last-event-id": one });
    await note("four");
    await second.first(3);
    expect(told(second)).toEqual(["two", "three", "four"]);
    second[Symbol.dispose]();
    await until(() => second.ended);
    await note("five");
    // One that does not say how far it got goes on where the last one stopped.
    using third = await attach(headers);
    await note("six");
    await third.first(2);
    expect(told(third)).toEqual(["five", "six"]);
  });

  test("NOTIFY-5: whoever listens again is told what came after the position it names, by header or in the filter", async () => {
    const before = await listen();
    await note("one");
    const [ack, one] = await before.first(2);
    before[Symbol.dispose]();
    const { position, ...honoured } = ack.params.notifications["parley/scratchpad"];
    expect(honoured).toEqual({ session_id: SPACE, ...NOTES });
    const after = one.params._meta["parley/event_id"];
    expect(before.ids).toEqual([after]);
    await note("elsewhere", await there());
    await note("two");
    await expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "listen")).toBe(0);
    using header = await listen(NOTES, { "last-event-id": after });
    using filter = await listen({ ...NOTES, after });
    using start = await listen({ ...NOTES, after: position });
    await note("three");
    for (const stream of [header, filter]) await expect.poll(() => told(stream)).toEqual(["two", "three"]);
    await expect.poll(() => told(start)).toEqual(["one", "two", "three"]);
  });

  test("NOTIFY-5: a position that is no longer kept, or never was, is told as resync, and what comes then is told", async () => {
    const boss = new Desk(hub, hub.admin);
    const admin = new Raw(hub.url, hub.admin, "main");
    const headers = await session({}, admin);
    const first = await attach(headers, admin);
    await note("old", boss);
    await first.first(1);
    const [old = ""] = first.ids;
    first[Symbol.dispose]();
    await note("missed", boss);
    await hub.tick(5 * DAY);
    for (const [after, reason] of [
      [old, "WATERMARK_EXPIRED"],
      ["9007199254740990", "WATERMARK_INVALID"],
      ["nonsense", "WATERMARK_INVALID"],
    ] as const) {
      const listening = await listen({ ...NOTES, after }, {}, admin);
      const attached = await attach({ ...headers, "last-event-id": after }, admin);
      const resync = { method: "scratchpad/resync", params: { session_id: "main", reason } };
      expect((await listening.first(2))[1]).toMatchObject(resync);
      expect((await attached.first(1))[0]).toMatchObject(resync);
      await note(after, boss);
      for (const stream of [listening, attached]) {
        await expect.poll(() => told(stream)).toEqual(["scratchpad/resync", after]);
        stream[Symbol.dispose]();
      }
      await expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "listen")).toBe(0);
    }
  });

  test("NOTIFY-3: streams and subscriptions end with their space, in both eras, and nothing is told of it then", async () => {
    const headers = await session();
    const streams = [await attach(headers), await listen()];
    await note("alive");
    for (const stream of streams) await expect.poll(() => told(stream)).toEqual(["alive"]);
    await hub.tick(DAY + 1000);
    await expect.poll(() => streams.map(({ ended }) => ended)).toEqual([true, true]);
    expect(streams.map(told)).toEqual([["alive"], ["alive"]]);
    const { status, body } = await ask(headers["mcp-session-id"] ?? "");
    expect([status, body.error.data.code]).toEqual([410, "SESSION_EXPIRED"]);
    const late = await listen();
    expect(late.status).toBe(410);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("one event is told once on a stream, however many of its subscriptions want it, and until the last has ended", async () => {
    const id = await raw.session();
    const [one, two] = [await ask(id), await ask(id, {})].map(({ body }) => body.result.subscription_id);
    using stream = await attach({ "mcp-session-id": id });
    const end = (subscription_id: string) =>
      raw.legacy(id, { id: 2, method: "notifications/unsubscribe", params: { subscription_id } });
    await note("one");
    await note("two");
    await stream.first(2);
    expect((await end(one)).body.result).toEqual({});
    expect((await end(one)).body.error.data.code).toBe("NOT_FOUND");
    await note("three");
    await stream.first(3);
    await end(two);
    await note("nobody hears this");
    await ask(id);
    await note("four");
    await stream.first(4);
    expect(told(stream)).toEqual(["one", "two", "three", "four"]);
  });

  test("a later subscription of a session hears nothing that happened before it", async () => {
    const id = await raw.session();
    await ask(id, { events: ["scratchpad/checklist_updated"] });
    await note("too early");
    await ask(id);
    await note("in time");
    using stream = await attach({ "mcp-session-id": id });
    await stream.first(1);
    await note("then");
    await stream.first(2);
    expect(told(stream)).toEqual(["in time", "then"]);
  });

  test("NOTIFY-4: a stream that does not read delays nobody, and is told all of it in order when it reads again", async () => {
    stopTime();
    const headers = await session();
    using stalled = await attach(headers);
    using lively = await listen();
    await lively.first(1);
    stalled.pause();
    const batch = Array.from({ length: 200 }, (_, n) => `${n} ${"😀".repeat(190)}`);
    for (let times = 0; times < 20; times += 1)
      await transact(await hub.as(token, SPACE), async (ctx) => {
        for (const preview of batch)
          await append(ctx, { type: "note.added", topic: "workspace", stream: "notes", data: { preview } });
      });
    await until(() => told(lively).length === 20 * batch.length);
    expect(told(stalled).length).toBeLessThan(20 * batch.length);
    stalled.resume();
    await until(() => told(stalled).length === 20 * batch.length);
    expect(told(stalled)).toEqual(told(lively));
  });

  test("NOTIFY-3: a space has as many subscriptions as the settings say; sessions whose client is long gone make room", async () => {
    const time = stopTime();
    const gone = await session();
    using held = await listen();
    await held.first(1);
    using beside = await listen();
    await beside.first(1);
    const id = await raw.session();
    expect((await ask(id)).body.error).toMatchObject({
      message: expect.stringMatching(/at most 3/),
      data: { code: "TOO_MANY_SUBSCRIPTIONS" },
    });
    const refused = await raw.send(
      "POST",
      "/mcp",
      modern({ method: "subscriptions/listen", params: { notifications: { "parley/scratchpad": {} } } }),
    );
    expect(refused.body.error.data.code).toBe("TOO_MANY_SUBSCRIPTIONS");
    // Another space has its own.
    const mason = new Raw(hub.url, await hub.token("agent", "mason", "sess_b"), "sess_b");
    using other = await listen(NOTES, {}, mason);
    await other.first(1);
    time.pass(60_001);
    expect((await ask(id)).body.result.subscription_id).toMatch(/^sub_/);
    expect((await raw.legacy(gone["mcp-session-id"] ?? "", { id: 1, method: "ping" })).status).toBe(404);
  });

  test("what is asked for wrongly is refused in a sentence, and the newer era is told how to ask", async () => {
    const id = await raw.session();
    for (const [params, code] of [
      [{ events: "scratchpad/note_added" }, "INVALID_ARGUMENT"],
      [{ events: [7] }, "INVALID_ARGUMENT"],
      [{ session_id: 7 }, "INVALID_ARGUMENT"],
      [{ events: ["note.added"] }, "INVALID_ARGUMENT"],
      [{ session_id: "sess_b" }, "SESSION_NOT_FOUND"],
    ] as const) {
      const { error } = (await ask(id, params)).body;
      expect([error.data.code, error.message]).toEqual([code, expect.stringMatching(/^\S.*\.$/s)]);
      const filter = { notifications: { "parley/scratchpad": params } };
      const listening = await raw.modern({ method: "subscriptions/listen", params: filter });
      expect([params, listening.body.error.data.code]).toEqual([params, code]);
    }
    const { body } = await raw.modern({ method: "notifications/subscribe", params: {} });
    expect(body.error.message).toContain("subscriptions/listen");
  });

  test("outside the facet a credential of several spaces has to name one, and a role hears what it may read alone", async () => {
    const admin = new Raw(hub.url, hub.admin);
    const id = await admin.session();
    const unnamed = await admin.legacy(id, { id: 1, method: "notifications/subscribe", params: {} });
    expect(unnamed.body.error.data.code).toBe("MISSING_SESSION_ID");
    const listening = await admin.modern({
      method: "subscriptions/listen",
      params: { notifications: { "parley/scratchpad": {} } },
    });
    expect([listening.status, listening.body.error.data.code]).toEqual([400, "MISSING_SESSION_ID"]);
    const digest = new Raw(hub.url, await hub.token("trigger", "digest", SPACE), SPACE);
    const [ack] = await (await listen({}, {}, digest)).first(1);
    const { events } = ack.params.notifications["parley/scratchpad"];
    expect(events).toEqual(expect.arrayContaining(["scratchpad/question_added"]));
    expect(events).not.toContain("scratchpad/note_added");
    expect((await listen(NOTES, {}, digest)).isStream).toBe(false);
  });
});
