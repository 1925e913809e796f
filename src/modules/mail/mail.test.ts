/** Sending, threads and who sees what. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let otter: string;
  let heron: string;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
    heron = await hub.token("agent", "heron");
  });

  const send = (token: string, to: string[], more: object = {}) =>
    hub.call(token, "mail_send", { to, subject: "Build", body: "It is red.", ...more });
  const inbox = async (token: string, args: object = {}) => (await hub.call(token, "mail_inbox", args)).body;
  const subjects = async (token: string, args: object = {}) =>
    (await inbox(token, args)).messages.map(({ subject }: { subject: string }) => subject);

  test("a mail reaches each recipient with its sender as the hub knows it, and its id is its time", async () => {
    const { status, body } = await send(scout, ["otter", "ana"], { priority: "urgent", deadline: "2h" });

    expect(status).toBe(200);
    expect(body).toEqual({ id: expect.any(String), thread_id: body.id, to: ["otter", "ana"] });
    for (const reader of [otter, ana]) {
      const { messages, unread, next } = await inbox(reader);
      expect([unread, next]).toEqual([1, null]);
      expect(messages).toEqual([
        {
          id: body.id,
          thread_id: body.id,
          from: "scout",
          to: ["otter", "ana"],
          recipients: 2,
          trust: "peer",
          subject: "Build",
          preview: "It is red.",
          bytes: 10,
          priority: "urgent",
          deadline: expect.stringMatching(/Z$/),
          overdue: false,
          topic: null,
          sent_at: new Date(Math.floor(Number(body.id) / 1000)).toISOString(),
          state: "inbox",
          read_at: null,
          acked_at: null,
          snoozed_until: null,
          thread_size: 1,
          position: expect.any(String),
        },
      ]);
    }
    expect(await subjects(heron)).toEqual([]);
    expect(await subjects(scout)).toEqual([]);
    expect(await subjects(scout, { folder: "sent" })).toEqual(["Build"]);
  });

  test("a list names the first of many recipients and counts all; the mail itself names them all", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `worker${n}`);
    for (const name of names) await hub.token("agent", name);
    const { body } = await send(scout, names);

    const [item] = (await inbox(scout, { folder: "sent" })).messages;
    expect([item.to, item.recipients]).toEqual([names.slice(0, 5), 12]);
    expect((await hub.call(scout, "mail_read", { id: body.id })).body.to).toEqual(names);
  });

  test("MAIL-2: one unknown recipient among many is named with the nearest name, and nothing is sent", async () => {
    const { status, body } = await send(scout, ["otter", "herom"]);

    expect(status).toBe(404);
    expect(body).toMatchObject({ code: "RECIPIENT_NOT_FOUND", recipient: "herom" });
    expect(body.error).toContain("Did you mean heron?");
    expect(await subjects(otter)).toEqual([]);
    expect(await subjects(scout, { folder: "sent" })).toEqual([]);
  });

  test("a recipient named twice gets one copy, and oneself is no recipient", async () => {
    await send(scout, ["otter", "otter"]);
    expect(await subjects(otter)).toEqual(["Build"]);

    const { status, body } = await send(scout, ["otter", "scout"]);
    expect([status, body.code]).toEqual([400, "MAIL_TO_SELF"]);
    expect(await subjects(otter)).toEqual(["Build"]);
  });

  test.each([
    ["no recipients", { to: [] }],
    ["ten thousand recipients", { to: Array.from({ length: 10_000 }, (_, n) => `agent${n}`) }],
    ["no subject", { subject: " " }],
    ["a subject of two lines", { subject: "a\nb" }],
    ["a subject of 201 characters", { subject: "a".repeat(201) }],
    ["no body", { body: " \n" }],
    ["a body beyond 1 MiB", { body: "ä".repeat(600_000) }],
    ["a deadline that has passed", { deadline: "2020-01-01T00:00:00Z" }],
    ["a deadline that is no time", { deadline: "soon" }],
    ["an unknown priority", { priority: "high" }],
    ["a sender of one's own choice", { from: "ana" }],
    ["a thread one is not in", { thread_id: "1" }],
  ])("%s is refused with a sentence and a code, and nothing is sent", async (_, more) => {
    const { status, body } = await hub.call(scout, "mail_send", { to: ["otter"], subject: "s", body: "b", ...more });

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({ error: expect.stringMatching(/\.$/), code: expect.stringMatching(/^[A-Z_]+$/) });
    expect(body.error.length).toBeLessThan(500);
    expect(await subjects(otter)).toEqual([]);
  });

  test("User is the people of the space, whoever they are", async () => {
    const { body } = await send(scout, ["User"]);

    expect(body.to).toEqual(["admin", "ana"]);
    expect(await subjects(ana)).toEqual(["Build"]);
    expect((await send(ana, ["User"])).body.to).toEqual(["admin"]);
  });

  test("MAIL-3: a reply goes to every sender and recipient of the thread but its sender", async () => {
    const first = await send(scout, ["otter", "ana"]);
    const { body } = await hub.call(otter, "mail_reply", { id: first.body.id, body: "On it." });

    expect(body).toMatchObject({ thread_id: first.body.id, to: ["ana", "scout"] });
    expect(await subjects(scout)).toEqual(["Re: Build"]);
    const again = await hub.call(ana, "mail_reply", { id: body.id, body: "Thanks." });
    expect(again.body.to).toEqual(["otter", "scout"]);
    expect(await subjects(scout)).toEqual(["Re: Build", "Re: Build"]);
  });

  test("MAIL-3: who is not in a thread can neither answer, read nor add to it, and it looks as if there were none", async () => {
    const { body: mail } = await send(scout, ["otter"]);
    const missing = String(Number(mail.id) + 777);

    for (const [tool, args] of [
      ["mail_reply", { body: "hi" }],
      ["mail_read", {}],
      ["mail_thread", {}],
      ["mail_status", {}],
      ["mail_update", { action: "trash" }],
    ] as const) {
      const foreign = await hub.call(heron, tool, { id: mail.id, ...args });
      const unknown = await hub.call(heron, tool, { id: missing, ...args });
      expect([tool, foreign.status]).toEqual([tool, 404]);
      expect(foreign.body.code).toBe(unknown.body.code);
      expect(foreign.body.error.replace(mail.id, "")).toBe(unknown.body.error.replace(missing, ""));
    }
    expect((await send(heron, ["otter"], { thread_id: mail.id })).body.code).toBe("THREAD_NOT_FOUND");
  });

  test("whoever is named in a thread later joins it, and sees what was sent to them", async () => {
    const { body: first } = await send(scout, ["otter"]);
    await send(scout, ["heron"], { thread_id: first.id, subject: "More", body: "Look too." });

    const thread = (await hub.call(heron, "mail_thread", { id: first.id })).body;
    expect(thread.participants).toEqual(["heron", "otter", "scout"]);
    expect(thread.messages.map(({ body }: { body: string }) => body)).toEqual(["Look too."]);
    const whole = (await hub.call(scout, "mail_thread", { id: first.id })).body;
    expect(whole.messages.map(({ body }: { body: string }) => body)).toEqual(["It is red.", "Look too."]);
    expect(whole).toMatchObject({ thread_id: first.id, subject: "Build", has_more: false });
  });

  test("a long thread is read page by page, each mail once", async () => {
    const { body: first } = await send(ana, ["otter"], { body: "0" });
    for (let n = 1; n < 7; n++) await hub.call(n % 2 ? otter : ana, "mail_reply", { id: first.id, body: String(n) });

    const read: string[] = [];
    for (let before: string | undefined; ; ) {
      const { body } = await hub.call(ana, "mail_thread", { id: first.id, limit: 3, ...(before && { before }) });
      read.unshift(...body.messages.map(({ body }: { body: string }) => body));
      before = body.messages[0].id;
      if (!body.has_more) break;
    }
    expect(read).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  });

  test("MAIL-8: publishing reaches those who follow the topic at that moment, each with a copy of its own", async () => {
    const follow = (token: string, on = true) => hub.call(token, "mail_subscribe", { topic: "deploys", on });
    for (const token of [otter, heron, scout]) await follow(token);
    await follow(heron, false);

    const { body } = await hub.call(scout, "mail_publish", { topic: "deploys", subject: "v2", body: "is out" });
    await follow(ana);

    expect(body.to).toEqual(["otter"]);
    expect((await inbox(otter)).messages[0]).toMatchObject({ subject: "v2", topic: "deploys" });
    expect(await subjects(heron)).toEqual([]);
    expect(await subjects(ana)).toEqual([]);
    expect(await subjects(scout)).toEqual([]);
    expect((await hub.call(otter, "mail_topics")).body.topics).toEqual([
      { topic: "deploys", subscribers: 3, subscribed: true },
    ]);
    await hub.call(heron, "mail_subscribe", { topic: "builds" });
    const named = async (token: string) =>
      (await hub.call(token, "mail_topics", { subscribed: true })).body.topics.map(
        ({ topic }: { topic: string }) => topic,
      );
    expect([await named(heron), await named(scout)]).toEqual([["builds"], ["deploys"]]);
  });

  test("who was deleted gets no answer and no publication, and whoever answers nobody but them is told so", async () => {
    for (const token of [otter, heron]) await hub.call(token, "mail_subscribe", { topic: "deploys" });
    const { body: both } = await send(heron, ["otter", "ana"]);
    const { body: alone } = await send(heron, ["otter"]);
    await hub.call(hub.admin, "agent_delete", { name: "heron" });

    expect((await hub.call(otter, "mail_reply", { id: both.id, body: "yes" })).body.to).toEqual(["ana"]);
    expect((await hub.call(otter, "mail_reply", { id: alone.id, body: "yes" })).body).toEqual({
      code: "RECIPIENT_NOT_FOUND",
      error: expect.stringContaining("nothing was sent"),
    });
    const published = await hub.call(ana, "mail_publish", { topic: "deploys", subject: "v2", body: "is out" });
    expect(published.body.to).toEqual(["otter"]);
    expect((await hub.call(otter, "mail_topics")).body.topics).toEqual([
      { topic: "deploys", subscribers: 1, subscribed: true },
    ]);
  });

  test("a mail of one's thread that one did not get is no way into it", async () => {
    const { body: first } = await send(scout, ["otter", "heron"]);
    const { body: hidden } = await send(scout, ["otter"], { thread_id: first.id });

    expect((await hub.call(heron, "mail_thread", { id: hidden.id })).body.code).toBe("THREAD_NOT_FOUND");
    expect((await hub.call(otter, "mail_thread", { id: hidden.id })).body.thread_id).toBe(first.id);
  });

  test("the subject of an answer is cut between characters", async () => {
    const { body: mail } = await send(scout, ["otter"], { subject: `${"x".repeat(195)}\u{1f600}yyy` });
    await hub.call(otter, "mail_reply", { id: mail.id, body: "b" });
    expect(await subjects(scout)).toEqual([`Re: ${"x".repeat(195)}`]);
  });

  test("an agent sees its own mailbox alone; people look into agents' and mark nothing; nobody into people's", async () => {
    await send(scout, ["otter"]);
    await send(scout, ["ana"]);

    expect((await hub.call(heron, "mail_inbox", { agent: "otter" })).body.code).toBe("AGENT_NOT_FOUND");
    const looked = await inbox(ana, { agent: "otter" });
    expect([looked.agent, looked.unread]).toEqual(["otter", 1]);
    expect((await inbox(otter)).unread).toBe(1);
    const ben = await hub.token("human", "ben");
    expect((await hub.call(ben, "mail_inbox", { agent: "ana" })).body.code).toBe("AGENT_NOT_FOUND");
    expect((await hub.call(hub.admin, "mail_inbox", { agent: "ana" })).body.code).toBe("AGENT_NOT_FOUND");
  });

  test("MAIL-12: only an administrator reads a mail for a named agent, and it is read for that agent alone", async () => {
    const { body: mail } = await send(scout, ["otter", "heron"]);

    const refused = await hub.call(ana, "mail_read", { id: mail.id, agent: "otter" });
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
    expect((await inbox(otter)).unread).toBe(1);

    const { status } = await hub.call(hub.admin, "mail_read", { id: mail.id, agent: "otter" });
    expect(status).toBe(200);
    expect((await inbox(otter)).unread).toBe(0);
    expect((await inbox(heron)).unread).toBe(1);
  });

  test("mail of one space is nowhere in another: no list, count, search hit, thread or status", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_other" });
    const twin = await hub.token("agent", "scout", "sess_other");
    const guest = await hub.token("agent", "guest", "sess_other");
    const { body: mail } = await send(otter, ["scout"], { body: "secret word" });

    const elsewhere = { "x-session-id": "sess_other" };
    for (const token of [twin, guest]) {
      const there = (await hub.call(token, "mail_inbox", {}, elsewhere)).body;
      expect([there.messages, there.unread]).toEqual([[], 0]);
      expect((await hub.call(token, "mail_search", { query: "secret" }, elsewhere)).body.messages).toEqual([]);
      expect((await hub.call(token, "mail_read", { id: mail.id }, elsewhere)).status).toBe(404);
      expect((await hub.call(token, "mail_thread", { id: mail.id }, elsewhere)).status).toBe(404);
    }
    expect((await hub.call(guest, "mail_send", { to: ["otter"], subject: "s", body: "b" })).body.code).toBe(
      "RECIPIENT_NOT_FOUND",
    );
  });

  test("sending again with the same key gives the first mail, and others their own", async () => {
    const key = { "idempotency-key": "k1" };
    const letter = { to: ["otter"], subject: "s", body: "b" };
    const first = await hub.call(scout, "mail_send", letter, key);
    const again = await hub.call(scout, "mail_send", letter, key);

    expect(again.body).toEqual(first.body);
    expect(await subjects(otter)).toEqual(["s"]);
    expect((await hub.call(heron, "mail_send", letter, key)).body.id).not.toBe(first.body.id);
  });

  test("what an orchestrator sends for an agent is that agent's, and answers come to the agent", async () => {
    const boss = await hub.token("orchestrator", "boss");
    const { body } = await hub.call(
      boss,
      "mail_send",
      { to: ["otter"], subject: "s", body: "b" },
      { "x-caller-agent": "heron" },
    );

    expect((await inbox(otter)).messages[0].from).toBe("heron");
    await hub.call(otter, "mail_reply", { id: body.id, body: "yes" });
    expect(await subjects(heron)).toEqual(["Re: s"]);
    expect(await subjects(boss)).toEqual([]);
  });
});
