import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { append } from "../feed/append.ts";
import { Feed } from "../feed/index.ts";
import { header } from "../header.ts";
import { Streams } from "../streams.ts";
import { EventStream } from "../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { NodeView } from "../testing/node-view.ts";
import { stopTime } from "../testing/stopwatch.ts";
import type { Wanted } from "./events.ts";
import { Follower } from "./follower.ts";
import { MAX_BUFFERED, Outlets } from "./outlet.ts";

eachDatabase((open) => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  function wantedOf(hub: TestHub): Map<string, Wanted> {
    const topic = hub.hub.modules.flatMap((module) => module.topics ?? []).find(({ name }) => name === "chat");
    if (!topic) throw new Error("no topic chat");
    return new Map([["chat", { topic, streams: null }]]);
  }

  /** Followers of this hub on a server of their own, so that the hub's side of each response can be looked at. */
  async function serveFollowers(hub: TestHub, outlets: Outlets): Promise<{ url: string; responses: ServerResponse[] }> {
    const actor = await hub.actor(hub.admin);
    const responses: ServerResponse[] = [];
    const wanted = wantedOf(hub);
    const server = createServer((request, response) => {
      responses.push(response);
      const after = header(request, "last-event-id");
      void new Follower(hub.hub, { actor, wanted }).start({ response, outlets, after });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
      outlets[Symbol.dispose]();
    });
    // `address` is a text only for pipes.
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, responses };
  }

  /** Events of four kilobytes each: a few thousand are more than any socket takes unread. */
  async function happen(hub: TestHub, count: number): Promise<string[]> {
    const ctx = await hub.as(hub.admin);
    return hub.hub.database.write("main", async (tx) => {
      const ids: string[] = [];
      const data = { agent: "x".repeat(4000), author: "user" };
      for (let n = 0; n < count; n++)
        ids.push(
          String(await append({ ...ctx, db: tx, tx }, { type: "chat.posted", topic: "chat", stream: "1", data })),
        );
      return ids;
    });
  }

  test("one that cannot be opened leaves nobody listening", async () => {
    const hub = await open();
    const actor = await hub.actor(hub.admin);
    let reads = 0;
    const view = new NodeView(hub.hub.database, async () => {
      reads += 1;
    });
    const feed = new Feed(view, () => {});
    const outlets = new Outlets();
    cleanups.push(() => outlets[Symbol.dispose]());
    const full = new Streams();
    full.add = () => {
      throw new Error("no room");
    };
    const follower = new Follower({ ...hub.hub, feed, streams: full }, { actor, wanted: wantedOf(hub) });
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    await expect(follower.start({ response, outlets, after: undefined })).rejects.toThrow("no room");
    expect([reads > 0, view.watched]).toEqual([true, []]);
  });

  test("CHAT-20, G16: a reader that does not read is never owed more than 256 KiB, delays nobody and misses nothing", async () => {
    const hub = await open();
    stopTime();
    const { url, responses } = await serveFollowers(hub, new Outlets());
    using stuck = await EventStream.open(url, { token: "" });
    stuck.response.pause();
    using other = await EventStream.open(url, { token: "" });
    await expect.poll(() => hub.hub.streams.count(() => true)).toBe(2);

    const ids: string[] = [];
    let most = 0;
    for (let batch = 0; batch < 25; batch++) {
      ids.push(...(await happen(hub, 100)));
      await other.until(ids.length);
      most = Math.max(most, responses[0]?.writableLength ?? 0);
    }
    expect(responses[0]?.writableNeedDrain).toBe(true);
    expect(most).toBeLessThanOrEqual(MAX_BUFFERED);
    expect(other.ids).toEqual(ids);

    stuck.response.resume();
    await stuck.until(ids.length);
    ids.push(...(await happen(hub, 1)));
    expect((await stuck.until(ids.length)) && stuck.ids).toEqual(ids);
  });

  test("a reader that has room again while it is read on for is told nothing twice", async () => {
    const hub = await open();
    const ids = await happen(hub, 1000);
    const { url, responses } = await serveFollowers(hub, new Outlets());
    const opening = EventStream.open(url, { token: "", last_event_id: String(Number(ids[0]) - 1) });
    // A keep-alive that does not fit and then does makes it so.
    for (let n = 0; n < 2000; n++) {
      responses[0]?.emit("drain");
      await setImmediate();
    }
    using stream = await opening;
    await stream.until(ids.length);
    ids.push(...(await happen(hub, 1)));
    expect((await stream.until(ids.length)) && stream.ids).toEqual(ids);
  });

  test("G16: a reader that leaves everything unread is dropped, and comes back to what it missed", async () => {
    const hub = await open();
    const time = stopTime();
    const { url, responses } = await serveFollowers(hub, new Outlets({ keep_alive_ms: 150, stalled_ms: 200 }));
    using stuck = await EventStream.open(url, { token: "" });
    stuck.response.pause();
    using other = await EventStream.open(url, { token: "" });
    const ids: string[] = [];
    await expect.poll(() => hub.hub.streams.count(() => true)).toBe(2);
    while (!responses[0]?.writableNeedDrain) {
      ids.push(...(await happen(hub, 200)));
      await other.until(ids.length);
    }
    await expect.poll(() => responses[1]?.writableNeedDrain).toBe(false);
    time.pass(201);
    await expect.poll(() => responses[0]?.destroyed).toBe(true);
    expect(other.ids).toEqual(ids);
    expect(await hub.hub.metrics.text()).toContain('parley_streams_dropped_total{reason="slow"} 1');

    stuck.response.resume();
    await stuck.ended;
    using again = await EventStream.open(hub.url, { token: hub.admin, last_event_id: stuck.last_id });
    await again.until(ids.length - stuck.events.length);
    expect([...stuck.ids, ...again.ids]).toEqual(ids);
  });
});
