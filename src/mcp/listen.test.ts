import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { openDoor, Raw, type RawStream } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";
import { stopTime } from "../testing/stopwatch.ts";

const INBOX = "ui://chat/inbox";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

const MANY = { resourceSubscriptions: Array(900).fill(1) };

eachDatabase((open, database) => {
  test("the acknowledgement comes first, and every frame names its subscription", async () => {
    const { hub, ana, scout } = await people(open);
    using stream = await scout.listen([INBOX, "ui://chat/scout/inbox"], "mine");
    await stream.first(1);
    await hub.call(ana, "chat_human_post", { content: "hello" });
    const [ack, ...hints] = await stream.first(3);
    expect(ack).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { resourceSubscriptions: [INBOX, "ui://chat/scout/inbox"] },
        _meta: { [SUBSCRIPTION]: "mine" },
      },
    });
    expect(hints.map(({ method }) => method)).toEqual(Array(2).fill("notifications/resources/updated"));
    expect(hints.map(({ params }) => params.uri).sort()).toEqual([INBOX, "ui://chat/scout/inbox"]);
    expect(hints.map(({ params }) => params._meta[SUBSCRIPTION])).toEqual(["mine", "mine"]);
  });

  test("what is posted from the acknowledgement on is never missed", async () => {
    const { hub, ana, scout } = await people(open);
    for (let round = 0; round < 10; round += 1) {
      using stream = await scout.listen([INBOX]);
      await stream.first(1);
      const { body } = await hub.call(ana, "chat_human_post", { content: `round ${round}` });
      const [, hint] = await stream.first(2);
      expect(hint.params.uri).toBe(INBOX);
      // A hint may come without what it is about, but never with anything else.
      for (const message of hint.params.messages ?? []) expect(message.id).toBe(body.id);
    }
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a large message is hinted at without being taken along", async () => {
    const { hub, ana, scout } = await people(open);
    using stream = await scout.listen([INBOX]);
    await stream.first(1);
    await hub.call(ana, "chat_human_post", { content: "x".repeat(200_000) });
    const [, hint] = await stream.first(2);
    expect(hint.params).toEqual({ uri: INBOX, _meta: { [SUBSCRIPTION]: 7 } });
  });

  test("kinds of changes that never happen here are not acknowledged", async () => {
    const { scout } = await people(open);
    const { body } = rpc({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    const stream = await scout.stream("POST", "/mcp", { body, headers: HEADERS });
    const [ack, result] = await stream.all();
    expect(ack.params.notifications).toEqual({});
    expect(result).toMatchObject({ id: 1, result: { resultType: "complete", _meta: { [SUBSCRIPTION]: 1 } } });
  });

  test("a filter that is none is refused in one sentence", async () => {
    const { scout } = await people(open);
    for (const filter of [
      undefined,
      null,
      7,
      { resourceSubscriptions: "ui://chat/inbox" },
      { toolsListChanged: 1 },
      MANY,
    ]) {
      const answer = await scout.send("POST", "/mcp", { ...rpc(filter), headers: HEADERS });
      expect(answer).toMatchObject({ status: 200, body: { id: 1, error: { code: -32602 } } });
      expect(answer.body.error.data.code).toBe("INVALID_ARGUMENT");
      // However much is wrong with it.
      expect(answer.body.error.message).toMatch(/^subscriptions\/listen: params\.notifications.{1,320}\.$/);
    }
  });

  test("a hub that stops says goodbye to its listeners", async () => {
    const { hub, scout } = await people(open);
    const stream = await scout.listen([INBOX]);
    await stream.first(1);
    await hub.stop();
    expect((await stream.all()).at(-1)).toMatchObject({ id: 7, result: { resultType: "complete" } });
  });

  test("a listener that leaves is forgotten", async () => {
    const { hub, scout } = await people(open);
    const stream = await scout.listen([INBOX]);
    await stream.first(1);
    const listening = () => hub.hub.streams.count(({ kind }) => kind === "listen");
    expect(listening()).toBe(1);
    stream[Symbol.dispose]();
    await until(() => listening() === 0);
  });

  test("CHAT-20: a listener that does not read delays nobody, and is told once more when it reads again", async () => {
    const { hub, ana, scout } = await people(open);
    stopTime();
    using stalled = await scout.listen([INBOX], "stalled");
    using lively = await scout.listen([INBOX], "lively");
    await stalled.first(1);
    await lively.first(1);
    stalled.pause();
    await flood(hub, ana);
    await until(() => isToldWhole(lively, { hub, ana }));
    stalled.resume();
    const bare = { uri: INBOX, _meta: { [SUBSCRIPTION]: "stalled" } };
    await until(() => JSON.stringify(stalled.messages.at(-1)?.params) === JSON.stringify(bare));
    expect(stalled.messages.length).toBeLessThan(lively.messages.length);
  });

  test("a listener that does not read for too long is dropped while others are served", async () => {
    const { hub, ana, token } = await people(open);
    await using door = await openDoor(hub.hub, { keep_alive_ms: 300, stalled_ms: 2000 });
    const time = stopTime();
    const scout = new Raw(door.url, token);
    using stalled = await scout.listen([INBOX], "stalled");
    using lively = await scout.listen([INBOX], "lively");
    await stalled.first(1);
    await lively.first(1);
    stalled.pause();
    const listening = () => hub.hub.streams.count(({ kind }) => kind === "listen");
    await flood(hub, ana);
    await until(() => isToldWhole(lively, { hub, ana }));
    expect(listening()).toBe(2);
    time.pass(2001);
    await until(() => listening() === 1);
    await until(() => isToldWhole(lively, { hub, ana }));
  });

  test("being refused counts as a call", async () => {
    const hub = await open({ config: { rate_limit: 1 } });
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    stopTime();
    const many = Array.from({ length: 101 }, (_, n) => `ui://chat/agent-${n}/inbox`);
    const refusal = async (): Promise<string> => {
      const { body } = await scout.send("POST", "/mcp", { ...rpc({ resourceSubscriptions: many }), headers: HEADERS });
      return body.error.data.code;
    };
    expect(await refusal()).toBe("TOO_MANY_SUBSCRIPTIONS");
    await until(async () => (await refusal()) === "RATE_LIMITED");
  });

  test("more resources or streams than allowed are refused with a code, and what is open stays open", async () => {
    const { hub, ana, scout, token } = await people(open);
    const many = Array.from({ length: 101 }, (_, n) => `ui://chat/agent-${n}/inbox`);
    const { body } = rpc({ resourceSubscriptions: many });
    const refused = await scout.send("POST", "/mcp", { body, headers: HEADERS });
    expect(refused.body.error).toMatchObject({ code: 42900, data: { code: "TOO_MANY_SUBSCRIPTIONS" } });

    await using door = await openDoor(hub.hub, { streams: 2 });
    const client = new Raw(door.url, token);
    using first = await client.listen([INBOX]);
    const second = await client.listen([INBOX]);
    await first.first(1);
    await second.first(1);
    const third = await client.send("POST", "/mcp", { ...rpc({ resourceSubscriptions: [INBOX] }), headers: HEADERS });
    expect(third.body.error.data.code).toBe("TOO_MANY_SUBSCRIPTIONS");
    second[Symbol.dispose]();
    await until(() => hub.hub.streams.count(({ kind }) => kind === "listen") === 1);
    using fourth = await client.listen([INBOX]);
    await fourth.first(1);
    await hub.call(ana, "chat_human_post", { content: "hello" });
    await Promise.all([first.first(2), fourth.first(2)]);
  });
});

const HEADERS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };

function rpc(notifications: unknown): { body: string } {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications, _meta } };
  return { body: JSON.stringify(message) };
}

/** More than the system takes for a reader that does not read, one after the other: about 16 KB a hint. */
async function flood(hub: TestHub, token: string): Promise<void> {
  const content = "x".repeat(8000);
  for (let n = 0; n < 500; n += 1) {
    const { status } = await hub.call(token, "chat_human_post", { content });
    expect(status).toBe(200);
  }
}

/** Whether a listener is told of a post with what it is about: then it has read everything before. */
async function isToldWhole(listener: RawStream, { hub, ana }: { hub: TestHub; ana: string }): Promise<boolean> {
  const before = listener.messages.length;
  const { body } = await hub.call(ana, "chat_human_post", { content: "small" });
  await until(() => listener.messages.length > before);
  return listener.messages.at(-1)?.params.messages?.[0].id === body.id;
}

async function people(open: () => Promise<TestHub>) {
  const hub = await open();
  const token = await hub.token("agent", "scout");
  const ana = await hub.token("human", "ana");
  return { hub, ana, token, scout: new Raw(hub.url, token) };
}
