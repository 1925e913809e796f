import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "./testing/hub.ts";
import { createWait } from "./waiting.ts";

const MOST = 32;

eachDatabase((open) => {
  let hub: TestHub;
  let otter: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open();
    otter = await hub.token("agent", "otter");
    scout = await hub.token("agent", "scout");
  });

  const send = (to: string) => hub.call(hub.admin, "mail_send", { to: [to], subject: "Hello", body: "b" });
  const poll = (token: string) => hub.call(token, "mail_poll", { wait_seconds: 300 });
  const waits = () => hub.hub.streams.count(({ kind }) => kind === "wait");

  test("of all the calls of one principal only so many wait for the same, and others do not notice", async () => {
    const tries = Array.from({ length: MOST + 8 }, () => poll(otter));
    const refused = new Set<Awaited<(typeof tries)[number]>>();
    for (const one of tries) void one.then((answer) => refused.add(answer));
    await expect.poll(() => refused.size).toBe(8);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([429, "TOO_MANY_WAITS"]);
    expect(waits()).toBe(MOST);

    const other = poll(scout);
    await expect.poll(waits).toBe(MOST + 1);
    await send("scout");
    expect((await other).body).toMatchObject({ ended: "mail" });

    await send("otter");
    const answers = await Promise.all(tries);
    expect(answers.filter(({ body }) => body.ended === "mail")).toHaveLength(MOST);
    expect((await poll(otter)).status).toBe(200);
    expect(waits()).toBe(0);
  });

  test("what comes after a wait has timed out ends the next one", async () => {
    const { feed, streams } = hub.hub;
    const wait = createWait({ feed, streams, actor: await hub.actor(otter), signal: undefined });
    using waiter = await wait({ topic: "mail" });
    expect(await waiter.next(1)).toBe("time");
    waiter.wake();
    expect(await waiter.next(30_000)).toBe("event");
    expect(await waiter.next(1)).toBe("time");
  });

  test("mail that comes as whoever waited has gone is offered to nobody", async () => {
    const { id } = (await send("otter")).body;
    const tool = hub.hub.tools.find("mail_poll");
    const gone = AbortSignal.abort();
    const actor = await hub.actor(otter);
    const polled = await hub.hub.call(actor, tool, { wait_seconds: 300 }, { door: "internal", signal: gone });
    expect(polled).toMatchObject({ messages: [], unread: 1, ended: "stopping" });
    const { recipients } = (await hub.call(hub.admin, "mail_status", { id })).body;
    expect(recipients).toMatchObject([{ name: "otter", state: "stored", deliveries: [] }]);
  });
});
