/** What waits for a person: one list, and a number that is its length. */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";
import { close, raise } from "./index.ts";

const START = Date.parse("2027-03-01T08:00:00Z");
const HOUR = 3_600_000;

interface Need {
  id: string;
  kind: string;
  digest: string;
}

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, ben, scout]: string[] = [];
  let asked = 0;
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    scout = await hub.token("agent", "scout");
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const settle = async (token: string | undefined, answer: { id: string; choice?: string; digest?: string }) =>
    (await hub.settle(token, answer)).body;
  const ask = async (more: object = {}): Promise<string> => {
    const words = { key: `k${++asked}`, kind: "choice", title: "May I?", choices: ["allow", "deny"] };
    return (await call(scout, "notice_raise", { ...words, ...more })).id;
  };
  const write = async (to: string, more: object = { priority: "urgent" }): Promise<string> =>
    (await call(scout, "mail_send", { to: [to], subject: "Look", body: "at this", ...more })).id;
  const needs = (token = ana, args: object = {}): Promise<{ needs: Need[]; count: number; next: string | null }> =>
    call(token, "need_list", args);
  const ids = async (token = ana) => (await needs(token)).needs.map(({ id }) => id);

  test("one list has what agents ask and the mail that waits for an answer, newest first", async () => {
    const first = await ask();
    const mail = await write("ana");
    const last = await ask();
    expect(await needs()).toMatchObject({
      needs: [
        { id: last, kind: "choice", from: "scout", tool: "notice_settle", choices: ["allow", "deny"] },
        { id: mail, kind: "mail", title: "Look", text: "at this", from: "scout", tool: "mail_reply", ref: mail },
        { id: first },
      ],
      count: 3,
      next: null,
    });
    expect(await ids(ben)).toEqual([last, first]);
    expect((await hub.call(scout, "need_list")).body).toMatchObject({ code: "FORBIDDEN" });
  });

  test("mail waits until it is dealt with: reading it is not enough, and it raises no notice", async () => {
    const mails = {
      ack: await write("ana"),
      archive: await write("ana"),
      reply: await write("ana", { deadline: "3d" }),
    };
    for (const id of Object.values(mails)) await call(ana, "mail_read", { id });
    expect(await ids()).toEqual(Object.values(mails).reverse());
    await call(ana, "mail_update", { id: mails.ack, action: "ack" });
    await call(ana, "mail_update", { id: mails.archive, action: "archive" });
    await call(ana, "mail_reply", { id: mails.reply, body: "done" });
    expect(await ids()).toEqual([]);
    await call(ana, "mail_update", { id: mails.archive, action: "inbox" });
    expect(await ids()).toEqual([mails.archive]);
    await write("ana", {});
    expect(await ids()).toEqual([mails.archive]);
    expect((await call(ana, "notice_list")).notices).toEqual([]);
  });

  test("not now is for one person alone, until the time comes", async () => {
    const [asking, mail] = [await ask(), await write("ana")];
    expect(await call(ana, "need_later", { id: asking, until: "2h" })).toEqual({
      id: asking,
      until: new Date(START + 2 * HOUR).toISOString(),
    });
    await call(ana, "need_later", { id: mail, until: "1h" });
    expect(await needs()).toEqual({ needs: [], count: 0, next: null });
    expect(await ids(ben)).toEqual([asking]);
    expect(await call(ben, "need_later", { id: mail, until: "1h" })).toMatchObject({ code: "NEED_NOT_FOUND" });
    await call(ana, "need_later", { id: mail, until: "3h" });

    using stream = await new Raw(hub.url, ana ?? "").listen(["parley://needs"]);
    await stream.first(1);
    await hub.tick(2 * HOUR);
    await stream.first(2);
    expect(await ids()).toEqual([asking]);
    await hub.tick(HOUR);
    expect(await ids()).toEqual([mail, asking]);
  });

  test("what was put off is listed with when it comes back, and can be brought back before", async () => {
    const [asking, mail, open] = [await ask(), await write("ana"), await ask()];
    await call(ana, "need_later", { id: asking, until: "2h" });
    await call(ana, "need_later", { id: mail, until: "1h" });
    const put_off = (token = ana) => call(token, "need_list", { put_off: true });
    expect(await put_off()).toMatchObject({
      needs: [
        { id: mail, put_off_until: new Date(START + HOUR).toISOString() },
        { id: asking, put_off_until: new Date(START + 2 * HOUR).toISOString() },
      ],
      count: 1,
      next: null,
    });
    expect(await call(ana, "need_list", { put_off: true, limit: 1 })).toMatchObject({
      needs: [{ id: mail }],
      next: mail,
    });
    expect((await put_off(ben)).needs).toEqual([]);
    using stream = await new Raw(hub.url, ana ?? "").listen(["parley://needs"]);
    await stream.first(1);
    expect(await call(ana, "need_later", { id: asking, until: null })).toEqual({ id: asking, until: null });
    await stream.first(2);
    expect(await ids()).toEqual([open, asking]);
    await call(ana, "need_later", { id: asking, until: "2h" });
    expect(await call(ana, "need_later", { id: asking, until: "now" })).toEqual({ id: asking, until: null });
    expect(await ids()).toEqual([open, asking]);
    expect((await needs()).needs.map((need) => (need as { put_off_until?: unknown }).put_off_until)).toEqual([
      null,
      null,
    ]);
    // Dealt with meanwhile, it comes back no more.
    await call(ana, "mail_update", { id: mail, action: "ack" });
    expect((await put_off()).needs).toEqual([]);
    await hub.tick(3 * HOUR);
    expect(await ids()).toEqual([open, asking]);
  });

  test("whoever asks is told at once that somebody has said not now, and goes on waiting", async () => {
    const id = await ask();
    const waiting = call(scout, "notice_wait", { id, wait_seconds: 60 });
    await expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait")).toBe(1);
    await call(ben, "need_later", { id, until: "2h" });
    const pending = { id, state: "open", pending_until: new Date(START + 2 * HOUR).toISOString() };
    expect(await waiting).toMatchObject(pending);
    await call(ana, "need_later", { id, until: "1h" });
    const earlier = { ...pending, pending_until: new Date(START + HOUR).toISOString() };
    expect(await call(scout, "notice_wait", { id, wait_seconds: 0 })).toMatchObject(earlier);
    await hub.tick(3 * HOUR);
    expect(await call(scout, "notice_wait", { id, wait_seconds: 0 })).toMatchObject({ pending_until: null });
    await call(ana, "need_later", { id, until: "1h" });
    await settle(ben, { id, choice: "allow" });
    const answered = { state: "answered", choice: "allow", pending_until: null };
    expect(await call(scout, "notice_wait", { id })).toMatchObject(answered);
  });

  test("whoever follows what it asked or wrote hears pending, and until when", async () => {
    const until = new Date(START + HOUR).toISOString();
    using stream = await EventStream.open(hub.url, { token: scout ?? "", topics: "notice,mail" });
    const [id, mail] = [await ask(), await write("ana")];
    for (const one of [id, mail]) await call(ana, "need_later", { id: one, until: "1h" });
    const told = () => stream.events.map(({ data }) => data).filter(({ state }) => state === "pending");
    await expect.poll(told).toMatchObject([
      { notice_id: id, kind: "choice", until },
      { by: "ana", until },
    ]);
  });

  test("what is for one person is listed to, and answered by, that person alone", async () => {
    const id = await ask({ audience: "ben" });
    expect(await ids(ana)).toEqual([]);
    expect((await call(ana, "notice_list")).notices).toEqual([]);
    expect(await settle(ana, { id, choice: "allow" })).toMatchObject({ code: "NOTICE_NOT_FOUND" });
    expect(await ids(ben)).toEqual([id]);
    expect(await settle(ben, { id, choice: "deny" })).toMatchObject({ audience: "ben", choice: "deny" });
    expect(await call(scout, "notice_wait", { id })).toMatchObject({ state: "answered", choice: "deny" });
    const wrong = { key: "k", kind: "choice", title: "May I?", audience: "scout" };
    expect(await call(scout, "notice_raise", wrong)).toMatchObject({ code: "RECIPIENT_NOT_FOUND" });
  });

  test("a decision about what was shown decides nothing else", async () => {
    const told = {
      kind: "late",
      title: "One is late",
      topic: "mail",
      gather: { name: "late", title: "{times} are late" },
    };
    const tell = async (ref: number) =>
      transact(await hub.as(hub.admin), (ctx) => raise(ctx, { ...told, key: `late ${ref}`, text: `${ref}`, ref }));
    const { id, digest } = await tell(1);
    await tell(2);
    expect(await settle(ana, { id, digest })).toMatchObject({ code: "NOTICE_CHANGED" });
    const [shown] = (await needs()).needs;
    expect(shown?.digest).not.toBe(digest);
    expect(await settle(ana, { id, digest: shown?.digest ?? "" })).toMatchObject({ state: "answered" });
    expect(await settle(ben, { id, digest })).toMatchObject({ code: "ALREADY_DECIDED" });
    expect(await call(ana, "notice_settle", { id: await ask(), choice: "allow" })).toMatchObject({
      code: "INVALID_ARGUMENT",
      error: "notice_settle: digest: name the digest of what you were shown, as need_list gives it.",
    });
  });

  test("what is over closes its notice, or leaves it with the rest, in the transaction that ends it", async () => {
    const told = {
      kind: "late",
      title: "One is late",
      topic: "mail",
      gather: { name: "late", title: "{times} are late" },
    };
    const ctx = await hub.as(hub.admin);
    const tell = (ref: number) =>
      transact(ctx, (ctx) => raise(ctx, { ...told, key: `late ${ref}`, text: `late: ${ref}`, ref }));
    const end = (ref: number, state?: "superseded") =>
      transact(ctx, (ctx) => close(ctx, { kind: "late", topic: "mail", ref }, state));
    const listed = async () => (await call(ana, "notice_list")).notices;
    for (const ref of [1, 2, 3]) await tell(ref);
    await end(1);
    expect(await listed()).toMatchObject([{ title: "2 are late", times: 2, ref: "2", text: "late: 2\nlate: 3" }]);
    await end(1);
    await end(3);
    expect(await listed()).toMatchObject([
      { title: "One is late", times: 1, ref: "2", text: "late: 2", state: "open" },
    ]);
    const failing = transact(ctx, async (ctx) => {
      await close(ctx, { kind: "late", topic: "mail", ref: 2 });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await listed()).toMatchObject([{ state: "open" }]);
    await end(2, "superseded");
    expect(await listed()).toMatchObject([{ state: "superseded", settled_by: null }]);
    const [{ id }] = await listed();
    expect(await settle(ana, { id })).toMatchObject({ code: "NOTICE_CLOSED" });
  });

  test("pages visit everything once, and the number stops at 100", async () => {
    const all = [];
    for (let n = 0; n < 5; n++) all.unshift(await ask(), await write("ana"));
    const seen: string[] = [];
    for (let before: string | null = null; ; ) {
      const page = await needs(ana, { limit: 3, ...(before && { before }) });
      seen.push(...page.needs.map(({ id }) => id));
      expect(page.count).toBe(10);
      before = page.next;
      if (!before) break;
    }
    expect(seen).toEqual([...all].sort().reverse());
    for (let n = 0; n < 95; n++) await call(ben, "mail_send", { to: ["ana"], subject: "s", body: "b", deadline: "1d" });
    expect((await needs()).count).toBe(100);
  });

  test("whatever happens, the number is the length of the list", async () => {
    const pick = fc.nat({ max: 9 });
    const step = fc.oneof(
      fc.record({ does: fc.constantFrom("ask", "ask ben", "ask soon", "urgent", "deadline", "plain", "tick") }),
      fc.record({
        does: fc.constantFrom("answer", "later", "ack", "snooze", "archive", "inbox", "reply", "withdraw"),
        at: pick,
      }),
    );
    const made: string[] = [];
    const at = (n: number) => made[n % made.length] ?? "1";
    const run = async ({ does, at: n = 0 }: { does: string; at?: number }): Promise<unknown> => {
      const id = at(n);
      if (does === "ask") return made.push(await ask());
      if (does === "ask ben") return made.push(await ask({ audience: "ben" }));
      if (does === "ask soon") return made.push(await ask({ expires_seconds: 600 }));
      if (does === "urgent") return made.push(await write("ana"));
      if (does === "deadline") return made.push(await write("ana", { deadline: "30m" }));
      if (does === "plain") return made.push(await write("ana", {}));
      if (does === "tick") return hub.tick(HOUR / 3);
      if (does === "answer") return settle(ana, { id, choice: "allow" });
      if (does === "later") return call(ana, "need_later", { id, until: "1h" });
      if (does === "reply") return call(ana, "mail_reply", { id, body: "b" });
      if (does === "withdraw") return call(scout, "notice_withdraw", { id });
      return call(ana, "mail_update", { id, action: does, ...(does === "snooze" && { until: "1h" }) });
    };
    const check = async (steps: { does: string; at?: number }[]) => {
      for (const one of steps) await run(one);
      for (const token of [ana, ben]) {
        const { needs: listed, count, next } = await needs(token, { limit: 100 });
        expect([count, next]).toEqual([listed.length, null]);
        expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
      }
      // At most 20 open of one agent at a time.
      for (const id of made.splice(0)) await call(scout, "notice_withdraw", { id });
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), check), { numRuns: 15 });
  });
});
