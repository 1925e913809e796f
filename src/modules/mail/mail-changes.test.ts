/** What recipients do with their copies, and what happens by itself. */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { counted } from "../../testing/counted.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

eachDatabase((open) => {
  let hub: TestHub;
  let scout: string;
  let otter: string;
  let heron: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
    heron = await hub.token("agent", "heron");
  });

  const send = async (to: string[], more: object = {}): Promise<string> =>
    (await hub.call(scout, "mail_send", { to, subject: "Build", body: "It is red.", ...more })).body.id;
  const inbox = async (token: string, args: object = {}) => (await hub.call(token, "mail_inbox", args)).body;
  const ids = async (token: string, args: object = {}) =>
    (await inbox(token, args)).messages.map(({ id }: { id: string }) => id);
  const update = (token: string, args: object) => hub.call(token, "mail_update", args);
  const notices = async () => (await hub.call(hub.admin, "notice_list")).body.notices;

  test("MAIL-1: each recipient has a state of its own, and a change of one never shows in another's", async () => {
    const id = await send(["otter", "heron"]);

    await update(otter, { id, action: "ack" });
    await update(otter, { id, action: "archive" });

    expect(await ids(otter)).toEqual([]);
    expect((await inbox(otter, { folder: "archived" })).messages[0]).toMatchObject({
      state: "archived",
      read_at: expect.any(String),
      acked_at: expect.any(String),
    });
    expect((await inbox(heron)).messages[0]).toMatchObject({ state: "inbox", read_at: null, acked_at: null });
  });

  test("to change a hundred mails waits for the database no more often than to change a few", async () => {
    const sent: string[] = [];
    for (let n = 0; n < 101; n += 1) sent.push(await send(["otter"]));
    const { run } = hub.hub.tools.find("mail_update");
    const asked = (ids: string[]): Promise<number> =>
      hub.as(otter).then((ctx) =>
        transact(ctx, async (ctx) => {
          const { db, texts } = counted(ctx.tx);
          // What the tool's own schema would have parsed.
          await run({ ...ctx, db, tx: db } as never, { ids, action: "archive" } as never);
          return texts.length;
        }),
      );
    const one = await asked(sent.slice(0, 1));
    expect(await asked(sent.slice(1))).toBeLessThanOrEqual(3 * one);
    expect(await ids(otter)).toEqual([]);
  });

  test("looking at lists, threads, searches and statuses marks nothing; reading marks once", async () => {
    const id = await send(["otter"]);
    for (const [tool, args] of [
      ["mail_inbox", {}],
      ["mail_thread", { id }],
      ["mail_search", { query: "red" }],
      ["mail_poll", {}],
    ] as const)
      await hub.call(otter, tool, args);
    expect((await inbox(otter)).unread).toBe(1);

    const { body } = await hub.call(otter, "mail_read", { id });
    expect(body).toMatchObject({ body: "It is red.", to: ["otter"], read_at: new Date(START).toISOString() });
    await hub.tick(HOUR);
    expect((await hub.call(otter, "mail_read", { id })).body.read_at).toBe(body.read_at);
    expect((await inbox(otter)).unread).toBe(0);
  });

  test("several are changed all or none", async () => {
    const [one, two] = [await send(["otter"]), await send(["otter"])];
    const foreign = await send(["heron"]);

    const refused = await update(otter, { ids: [one, foreign], action: "trash" });
    expect([refused.status, refused.body.code]).toEqual([404, "MAIL_NOT_FOUND"]);
    expect(await ids(otter)).toEqual([two, one]);

    const { body } = await update(otter, { ids: [one, two], action: "archive" });
    expect(body).toMatchObject({ agent: "otter", unread: 0, messages: [{ id: one }, { id: two }] });
    expect(await ids(otter)).toEqual([]);
  });

  test.each([
    ["no time", { action: "snooze" }],
    ["a time that has passed", { action: "snooze", until: "2020-01-01" }],
    ["a text that is no time", { action: "snooze", until: "whenever" }],
    ["a time too far", { action: "snooze", until: "9999d" }],
    ["a time where none belongs", { action: "archive", until: "2h" }],
    ["an unknown action", { action: "burn" }],
    ["both id and ids", { action: "ack", ids: ["1"] }],
  ])("a change with %s is refused, and the copy stays as it was", async (_, args) => {
    const id = await send(["otter"]);
    const { status, body } = await update(otter, { id, ...args });

    expect([status, body.code]).toEqual([400, "INVALID_ARGUMENT"]);
    expect((await inbox(otter)).messages[0]).toMatchObject({ state: "inbox", read_at: null, snoozed_until: null });
  });

  test("MAIL-5: a snoozed mail leaves the inbox and comes back by itself at its time, as new and on top", async () => {
    const id = await send(["otter", "heron"]);
    await hub.call(otter, "mail_read", { id });
    const later = await send(["otter"]);
    await update(otter, { id, action: "snooze", until: "2h" });

    expect(await ids(otter)).toEqual([later]);
    expect(await ids(otter, { folder: "snoozed" })).toEqual([id]);
    expect(await ids(heron)).toEqual([id]);
    await hub.tick(2 * HOUR - 1000);
    expect(await ids(otter)).toEqual([later]);
    await hub.tick(2000);
    expect(await ids(otter)).toEqual([id, later]);
    expect((await inbox(otter)).unread).toBe(2);
    expect(await ids(otter, { folder: "snoozed" })).toEqual([]);
  });

  test("MAIL-5: a mail whose time came while the hub was down is back when it is up", async () => {
    const id = await send(["otter"]);
    await update(otter, { id, action: "snooze", until: "1h" });
    await hub.stop();

    const again = await open({ same: hub, now: START + 2 * HOUR });
    await again.tick(1000);

    expect((await again.call(otter, "mail_inbox")).body.messages).toMatchObject([{ id, snoozed_until: null }]);
  });

  test("snoozed again, a mail comes back once, at the later time; taken back to the inbox it does not come again", async () => {
    const id = await send(["otter"]);
    await update(otter, { id, action: "snooze", until: "1h" });
    await update(otter, { id, action: "snooze", until: "5h" });
    await hub.tick(2 * HOUR);
    expect(await ids(otter)).toEqual([]);
    await update(otter, { id, action: "inbox" });
    await hub.call(otter, "mail_read", { id });
    await hub.tick(4 * HOUR);
    expect((await inbox(otter)).unread).toBe(0);
    expect(await ids(otter)).toEqual([id]);
  });

  test("MAIL-5: what woke up, or was marked unread, is new to whoever waits for what was never offered", async () => {
    const fresh = async () =>
      (await hub.call(otter, "mail_poll", { fresh: true })).body.messages.map(
        ({ id, offered }: { id: string; offered: number }) => [id, offered],
      );
    for (const priority of ["normal", "urgent"]) {
      const id = await send(["otter"], { priority });
      expect(await fresh()).toEqual([[id, 0]]);
      expect(await fresh()).toEqual([]);

      await update(otter, { id, action: "snooze", until: "1h" });
      const waiting = hub.call(otter, "mail_poll", { fresh: true, wait_seconds: 300 });
      await expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait")).toBe(1);
      await hub.tick(HOUR + 1000);
      expect((await waiting).body).toMatchObject({ ended: "mail", messages: [{ id, offered: 0 }] });

      await update(otter, { id, action: "unread" });
      expect(await fresh()).toEqual([[id, 0]]);
      await update(otter, { id, action: "archive" });
    }
  });

  test("acknowledged while it sleeps a mail is dealt with; one acknowledged before still comes back as new", async () => {
    const [dealt, again] = [await send(["otter"]), await send(["otter"])];
    await update(otter, { id: again, action: "ack" });
    await update(otter, { ids: [dealt, again], action: "snooze", until: "1h" });

    const { body } = await update(otter, { id: dealt, action: "ack" });
    expect(body.messages).toMatchObject([{ id: dealt, state: "inbox", snoozed_until: null }]);
    await hub.tick(2 * HOUR);

    expect(await ids(otter, { unread: true })).toEqual([again]);
    expect(await ids(otter)).toEqual([again, dealt]);
  });

  test("MAIL-6: a mail that is overdue and not acknowledged is raised once to the people, and not at all when it was", async () => {
    const late = await send(["otter", "heron"], { deadline: "1h", subject: "Review" });
    const done = await send(["otter"], { deadline: "1h" });
    await update(otter, { id: done, action: "ack" });
    await update(otter, { id: late, action: "ack" });

    await hub.tick(HOUR + 1000);
    await hub.tick(DAY);

    expect(await notices()).toMatchObject([
      { kind: "mail.overdue", ref: late, text: expect.stringContaining("heron did not acknowledge"), times: 1 },
    ]);
    expect((await inbox(heron)).messages[0]).toMatchObject({ id: late, overdue: true });
    expect((await inbox(otter)).messages.map(({ overdue }: { overdue: boolean }) => overdue)).toEqual([false, false]);
  });

  test("MAIL-9: what lies in the trash for thirty days is gone, for that recipient alone; what was taken out stays", async () => {
    const gone = await send(["otter", "heron"]);
    const saved = await send(["otter"]);
    await update(otter, { ids: [gone, saved], action: "trash" });
    await hub.tick(29 * DAY);
    expect(await ids(otter, { folder: "trash" })).toEqual([saved, gone]);
    await update(otter, { id: saved, action: "inbox" });

    await hub.tick(2 * DAY);

    expect(await ids(otter, { folder: "trash" })).toEqual([]);
    expect(await ids(otter)).toEqual([saved]);
    expect((await hub.call(otter, "mail_read", { id: gone })).status).toBe(404);
    expect(await ids(heron)).toEqual([gone]);
  });

  test("MAIL-9: with a number of days older mail goes altogether, with its words and its thread", async () => {
    const short = await open({ same: hub, now: START, config: { mail_days: 10 } }).catch(() => undefined);
    const node = short ?? (await reopened());
    const id = (await node.call(scout, "mail_send", { to: ["otter"], subject: "Old", body: "pebble" })).body.id;
    await node.tick(9 * DAY);
    expect((await node.call(otter, "mail_search", { query: "pebble" })).body.messages).toHaveLength(1);
    const young = (await node.call(scout, "mail_send", { to: ["otter"], subject: "New", body: "stone" })).body.id;

    await node.tick(2 * DAY);

    const left = (await node.call(otter, "mail_inbox")).body.messages.map(({ id }: { id: string }) => id);
    expect(left).toEqual([young]);
    expect((await node.call(otter, "mail_search", { query: "pebble" })).body.messages).toEqual([]);
    expect((await node.call(otter, "mail_thread", { id })).status).toBe(404);
    expect((await node.call(scout, "mail_inbox", { folder: "sent" })).body.messages).toHaveLength(1);
  });

  /** SQLite has one process to a file. */
  async function reopened(): Promise<TestHub> {
    await hub.stop();
    return open({ same: hub, now: START, config: { mail_days: 10 } });
  }

  test("MAIL-4: whatever is done, the unread count is the number of unread mails listed, and states are one's own", async () => {
    const actions = fc.constantFrom("read", "unread", "ack", "archive", "trash", "inbox", "snooze");
    const step = fc.oneof(
      fc.record({ kind: fc.constant("send" as const), both: fc.boolean() }),
      fc.record({ kind: fc.constant("change" as const), at: fc.nat(20), action: actions }),
      fc.record({ kind: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 5 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const sent: string[] = [];
        const heronBefore = (await inbox(heron)).unread;
        let toHeron = 0;
        for (const one of steps) {
          if (one.kind === "send") {
            sent.push(await send(one.both ? ["otter", "heron"] : ["otter"]));
            toHeron += one.both ? 1 : 0;
          } else if (one.kind === "wait") await hub.tick(one.hours * HOUR);
          else {
            const id = sent[one.at % Math.max(1, sent.length)];
            const until = one.action === "snooze" ? { until: "3h" } : {};
            if (id) expect((await update(otter, { id, action: one.action, ...until })).status).toBe(200);
          }
          const { unread } = await inbox(otter);
          expect((await inbox(otter, { unread: true, limit: 100 })).messages).toHaveLength(unread);
          const listed = (await inbox(otter, { limit: 100 })).messages;
          expect(listed.filter(({ read_at }: { read_at: string | null }) => read_at === null)).toHaveLength(unread);
        }
        expect((await inbox(heron)).unread).toBe(heronBefore + toHeron);
        for (const id of sent) await update(otter, { id, action: "archive" });
      }),
      { numRuns: 6 },
    );
  });
});
