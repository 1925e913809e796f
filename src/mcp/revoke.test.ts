import { expect, test } from "vitest";
import { EventStream } from "../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { Raw } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";

const INBOX = "ui://chat/inbox";
const PING = { id: 1, method: "ping" };

eachDatabase((open, database) => {
  test("revoking a token ends what it listens to, its sessions and its streams, and nobody else's", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    const mason = new Raw(hub.url, await hub.token("agent", "mason"));
    const [gone, kept] = [await everything(scout), await everything(mason)];

    await revoke(hub, "scout");
    await until(() => gone.streams.every(({ ended }) => ended));
    // At once and without a goodbye: nothing more is said to whoever lost the right to hear it.
    expect(gone.streams.map(({ messages }) => messages.length)).toEqual([1, 0, 1]);
    expect((await scout.legacy(gone.session, PING)).status).toBe(401);

    expect(kept.streams.map(({ ended }) => ended)).toEqual([false, false, false]);
    expect((await mason.legacy(kept.session, PING)).status).toBe(200);
    for (const stream of kept.streams) stream[Symbol.dispose]();
  });

  test("a session belongs to the token that began it: another of the same agent starts its own", async () => {
    const hub = await open();
    const first = new Raw(hub.url, await hub.token("agent", "scout"));
    const second = new Raw(hub.url, await hub.token("agent", "scout"));
    const session = await first.session();

    expect((await first.legacy(session, PING)).status).toBe(200);
    expect((await second.legacy(session, PING)).status).toBe(404);
  });

  test("the streams of a space that has expired end", async () => {
    const now = Date.now();
    const hub = await open({ now });
    await hub.call(hub.admin, "space_create", { id: "sess_short", ttl_seconds: 60 });
    const scout = new Raw(hub.url, await hub.token("agent", "scout", "sess_short"));
    const { streams } = await everything(scout);
    await hub.tick(61_000);
    await until(() => streams.every(({ ended }) => ended));
  });

  test("the streams of a space that is deleted have ended by the time it is answered, and nobody else's", async () => {
    const hub = await open();
    await hub.call(hub.admin, "space_create", { id: "sess_short" });
    const scout = new Raw(hub.url, await hub.token("agent", "scout", "sess_short"));
    const mason = new Raw(hub.url, await hub.token("agent", "mason"));
    const [gone, kept] = [await everything(scout), await everything(mason)];
    using events = await EventStream.open(hub.url, {
      token: hub.admin,
      headers: { "x-session-id": "sess_short" },
    });

    expect((await hub.call(hub.admin, "space_delete", { id: "sess_short" })).status).toBe(200);
    expect(hub.hub.streams.count(({ actor }) => actor.space_id === "sess_short")).toBe(0);
    await until(() => gone.streams.every(({ ended }) => ended));
    await events.ended;
    expect(kept.streams.map(({ ended }) => ended)).toEqual([false, false, false]);
    for (const stream of kept.streams) stream[Symbol.dispose]();
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a hub that stops ends sessions and streams", async () => {
    const hub = await open();
    const scout = new Raw(hub.url, await hub.token("agent", "scout"));
    const { streams } = await everything(scout);
    await hub.stop();
    await until(() => streams.every(({ ended }) => ended));
    expect(hub.hub.streams.count(() => true)).toBe(0);
  });
});

async function everything(who: Raw) {
  const listening = await who.listen([INBOX]);
  await listening.first(1);
  const session = await who.session();
  const stream = await who.stream("GET", "/mcp", { headers: { "mcp-session-id": session } });
  const sse = await who.stream("GET", "/sse");
  await sse.first(1);
  return { session, streams: [listening, stream, sse] };
}

async function revoke(hub: TestHub, name: string): Promise<void> {
  const { body } = await hub.call(hub.admin, "token_list");
  const token = body.tokens.find(({ principal }: { principal: string }) => principal === name);
  expect((await hub.call(hub.admin, "token_revoke", { id: token.id })).status).toBe(200);
}
