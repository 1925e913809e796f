/** What is no longer kept is said to be gone, never left out in silence. */
import { beforeEach, expect, test } from "vitest";
import { readSince } from "../modules/chat/index.ts";
import { EventReader } from "../testing/events.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { NodeView } from "../testing/node-view.ts";

/** However slow the machine is. */
const SOON = { timeout: 30_000 };

const START = Date.parse("2026-11-01T12:00:00Z");
const DAY = 24 * 3600 * 1000;

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    hub = await open({ now: START, config: { chat_days: 7, event_days: 3 } });
    ana = await hub.token("human", "ana");
  });

  const post = async (content: string): Promise<string> =>
    (await hub.call(ana, "chat_human_post", { content })).body.id;
  const reading = (after_id: string | null) => hub.call(ana, "chat_read_since", { after_id });
  const contents = async (after_id: string | null): Promise<string[]> =>
    (await reading(after_id)).body.messages.map(({ content }: { content: string }) => content);

  test("chat older than its days is forgotten, and reading on from before that is refused", async () => {
    const old = await post("old");
    const older = await post("also old");
    await hub.tick(4 * DAY);
    const recent = await post("recent");

    await hub.tick(3 * DAY - 1000);
    expect(await contents(null)).toEqual(["old", "also old", "recent"]);
    await hub.tick(2000);

    expect(await contents(null)).toEqual(["recent"]);
    const expired = await reading(old);
    expect([expired.status, expired.body.code]).toEqual([410, "WATERMARK_EXPIRED"]);
    expect(expired.body.first_id).toMatch(/^\d+$/);
    // Nothing between it and the rest is missing.
    expect(await contents(older)).toEqual(["recent"]);
    expect(await contents(recent)).toEqual([]);

    await hub.tick(8 * DAY);
    expect(await contents(null)).toEqual([]);
    expect((await reading(older)).body.code).toBe("WATERMARK_EXPIRED");
    expect(await contents(recent)).toEqual([]);
    const next = await post("next");
    expect(Number(next)).toBeGreaterThan(Number(recent));
    expect(await contents(recent)).toEqual(["next"]);
  });

  test("events older than their days are forgotten, what they were about stays, and who follows is told to read again", async () => {
    const old = await post("old");
    await hub.tick(2 * DAY);
    const recent = await post("recent");
    await hub.tick(DAY + 1000);

    expect(await contents(null)).toEqual(["old", "recent"]);
    await using behind = await EventReader.open(hub.url, ana, { after: String(Number(old) - 1) });
    await using ahead = await EventReader.open(hub.url, ana, { after: old });
    await expect
      .poll(() => behind.events, SOON)
      .toMatchObject([{ event: "resync", data: { reason: "WATERMARK_EXPIRED" } }]);
    const next = await post("next");
    await expect.poll(() => behind.events.at(-1)?.id, SOON).toBe(next);
    await expect.poll(() => ahead.events.map(({ id }) => id), SOON).toContain(next);
    expect(ahead.events.filter(({ event }) => event === "chat").map(({ id }) => id)).toContain(recent);
  });

  test("kept for longer than before, what was to be forgotten stays", async () => {
    await post("old");
    await hub.stop();
    hub = await open({ same: hub, config: { chat_days: 0, event_days: 30 } });
    await hub.tick(20 * DAY);

    expect(await contents(null)).toEqual(["old"]);
    await using reader = await EventReader.open(hub.url, ana, { after: "1" });
    await expect.poll(() => reader.events.map(({ event }) => event), SOON).toContain("chat");
  });

  test("what is forgotten in the middle of a reading is no silent gap", async () => {
    for (let purge_at = 1; purge_at <= 10; purge_at++) {
      const [from, old] = [await post("from"), await post("old")];
      await hub.tick(6 * DAY);
      const recent = await post("recent");
      let steps = 0;
      const view = new NodeView(hub.hub.database, async () => {
        steps += 1;
        if (steps === purge_at) await hub.tick(DAY + 1000);
      });
      const ctx = { ...(await hub.as(ana)), db: view, database: view };

      const read = readSince(ctx, { after_id: from, limit: 50 }).then(
        ({ messages }) => messages.map(({ id }) => id),
        (error) => error.code,
      );
      expect([[old, recent], "WATERMARK_EXPIRED"], `purged at step ${purge_at}`).toContainEqual(await read);
      await hub.tick(8 * DAY);
    }
  });
});
