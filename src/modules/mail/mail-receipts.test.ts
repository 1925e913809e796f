/** What a sender is told of how far its mail came, and what that is known from. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3_600_000;

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let otter: string;
  let heron: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
    heron = await hub.token("agent", "heron");
  });

  const send = async (to: string[]): Promise<string> =>
    (await hub.call(scout, "mail_send", { to, subject: "Build", body: "It is red." })).body.id;
  const update = (token: string, args: object) => hub.call(token, "mail_update", args);

  test("the sender sees for each recipient how far there is proof it came, and by which channel", async () => {
    const id = await send(["otter", "heron", "ana"]);
    await hub.call(otter, "mail_poll", { channel: "hook.stop" });
    await hub.call(otter, "mail_poll", { channel: "hook.stop" });
    await hub.call(heron, "mail_read", { id });
    await update(heron, { id, action: "ack" });

    const { recipients } = (await hub.call(scout, "mail_status", { id })).body;
    const of = (name: string) => recipients.find((one: { name: string }) => one.name === name);
    expect(of("otter")).toMatchObject({
      state: "offered",
      read_at: null,
      deliveries: [{ channel: "hook.stop", attempt: 2, state: "offered", proof: "mail_poll hook.stop" }],
    });
    expect(of("heron")).toMatchObject({ state: "acknowledged", deliveries: [{ channel: "tool", attempt: 2 }] });
    expect(of("ana")).toMatchObject({ state: "stored", deliveries: [] });
    expect((await hub.call(otter, "mail_status", { id })).status).toBe(404);
    expect((await hub.call(ana, "mail_status", { id })).status).toBe(200);
  });

  test("what an administrator marks is shown to the sender as that, and the agent's own reading when it comes", async () => {
    const id = await send(["otter"]);
    await hub.call(hub.admin, "mail_read", { id, agent: "otter" });
    await update(hub.admin, { id, action: "ack", agent: "otter" });

    const status = async () => (await hub.call(scout, "mail_status", { id })).body.recipients[0];
    const marked = { channel: "admin", attempt: 2, state: "marked", proof: "mail_update ack, by admin" };
    expect(await status()).toMatchObject({ state: "stored", read_at: null, acked_at: null, deliveries: [marked] });

    await hub.tick(HOUR);
    await hub.call(otter, "mail_read", { id });
    const read_at = new Date(START + HOUR).toISOString();
    expect(await status()).toMatchObject({ state: "read", read_at, acked_at: null });
    expect((await status()).deliveries).toMatchObject([marked, { channel: "tool", attempt: 1, proof: "mail_read" }]);
  });

  test("what proves a reading, or tells of an administrator, is noted by the hub alone", async () => {
    const id = await send(["otter"]);
    for (const channel of ["tool", "admin"]) {
      expect((await hub.call(otter, "mail_poll", { channel })).body.code).toBe("INVALID_ARGUMENT");
      const injected = { ids: [id], channel, proof: "seen" };
      expect((await hub.call(otter, "mail_injected", injected)).body.code).toBe("INVALID_ARGUMENT");
    }
    expect((await hub.call(scout, "mail_status", { id })).body.recipients).toMatchObject([{ deliveries: [] }]);
  });
});
