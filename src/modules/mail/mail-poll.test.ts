/** Polling, waiting, and what is recorded of it. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let scout: string;
  let otter: string;
  beforeEach(async () => {
    hub = await open();
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
  });

  const send = async (subject: string, more: object = {}): Promise<string> =>
    (await hub.call(scout, "mail_send", { to: ["otter"], subject, body: "b", ...more })).body.id;
  const poll = async (args: object = {}) => (await hub.call(otter, "mail_poll", args)).body;
  const subjects = ({ messages }: { messages: { subject: string }[] }) => messages.map(({ subject }) => subject);
  const waiting = () => expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait"));

  test("CLI-3: what was offered is offered again, flagged, until it is read", async () => {
    const id = await send("one");

    const offers = [await poll(), await poll(), await poll()].map(({ messages }) => messages[0].offered);
    expect(offers).toEqual([0, 1, 2]);
    await hub.call(otter, "mail_read", { id });
    expect(await poll()).toMatchObject({ messages: [], unread: 0, ended: "time" });
  });

  test("urgent mail is offered first, then the newest, and no more than asked for", async () => {
    await send("old urgent", { priority: "urgent" });
    for (const subject of ["a", "b", "c"]) await send(subject);

    const polled = await poll({ limit: 3 });
    expect(subjects(polled)).toEqual(["old urgent", "c", "b"]);
    expect(polled).toMatchObject({ unread: 4, urgent: 1, ended: "mail" });
  });

  test("with fresh only what was never offered counts", async () => {
    await send("one");
    expect(subjects(await poll({ fresh: true }))).toEqual(["one"]);
    expect(subjects(await poll({ fresh: true }))).toEqual([]);
    await send("two", { priority: "urgent" });
    expect(subjects(await poll({ fresh: true }))).toEqual(["two"]);
    expect(subjects(await poll())).toEqual(["two", "one"]);
  });

  test("who keeps its own place is given what came after it, the oldest first, and waits for more", async () => {
    for (const subject of ["a", "b"]) await send(subject);
    await send("c", { priority: "urgent" });
    const after = (position: string, more: object = {}) =>
      poll({ fresh: true, mark: false, after: position, limit: 2, ...more });

    const first = await after("1");
    expect(subjects(first)).toEqual(["a", "b"]);
    const second = await after(first.messages[1].position);
    expect(subjects(second)).toEqual(["c"]);
    const last = second.messages[0].position;
    expect(await after(last)).toMatchObject({ messages: [], unread: 3, ended: "time" });

    const waited = after(last, { wait_seconds: 300 });
    await waiting().toBe(1);
    await send("d");
    expect(subjects(await waited)).toEqual(["d"]);
    // All of it is still new to everybody else.
    expect((await poll({ fresh: true })).messages).toHaveLength(4);
    expect(subjects(await after("1"))).toEqual([]);
    expect(subjects(await poll({ after: "1", limit: 3 }))).toEqual(["a", "b", "c"]);
  });

  test("what is asked for without a mark stays new until it is said to have been shown", async () => {
    const id = await send("one");
    const ask = () => poll({ fresh: true, mark: false, channel: "hook-stop" });
    for (let lost = 0; lost < 3; lost++) expect((await ask()).messages).toMatchObject([{ id, offered: 0 }]);
    const status = async () => (await hub.call(scout, "mail_status", { id })).body.recipients[0];
    expect(await status()).toMatchObject({ state: "stored", deliveries: [] });

    const noted = await hub.call(otter, "mail_offered", { ids: [id], channel: "hook-stop" });
    expect(noted.body).toEqual({ ids: [id] });
    expect(subjects(await ask())).toEqual([]);
    expect((await poll()).messages).toMatchObject([{ id, offered: 1 }]);
    expect(await status()).toMatchObject({
      state: "offered",
      deliveries: [
        expect.objectContaining({ channel: "hook-stop", proof: "mail_offered hook-stop" }),
        expect.anything(),
      ],
    });
  });

  test("a fresh wait wakes for what was handed to a waiter that never showed it", async () => {
    const lost = poll({ wait_seconds: 300, fresh: true, mark: false, waiter: "rewake" });
    await waiting().toBe(1);
    await send("one");
    expect(subjects(await lost)).toEqual(["one"]);
    expect(subjects(await poll({ wait_seconds: 300, fresh: true, mark: false, waiter: "rewake" }))).toEqual(["one"]);
  });

  test("that mail was shown is for its recipient to say, and what is gone by then is passed over", async () => {
    const kept = await send("kept");
    const others = (await hub.call(otter, "mail_send", { to: ["scout"], subject: "s", body: "b" })).body.id;
    const noted = await hub.call(otter, "mail_offered", { ids: [kept, others, "1"], channel: "watch" });
    expect(noted).toMatchObject({ status: 200, body: { ids: [kept] } });
    expect((await hub.call(scout, "mail_poll", { fresh: true })).body.messages).toHaveLength(1);
  });

  test("any number of urgent mails leaves a third of a page to the rest, fresh or not", async () => {
    await send("old");
    await send("older than the urgent ones");
    for (let at = 0; at < 8; at++) await send(`urgent ${at}`, { priority: "urgent" });
    const urgent = ["urgent 7", "urgent 6", "urgent 5", "urgent 4"];

    const fresh = await poll({ fresh: true, limit: 6 });
    expect(subjects(fresh)).toEqual([...urgent, "older than the urgent ones", "old"]);
    expect(subjects(await poll({ limit: 6 }))).toEqual([...urgent, "older than the urgent ones", "old"]);
    expect(subjects(await poll({ limit: 1 }))).toEqual(["urgent 7"]);
  });

  test("a body is cut to as many bytes as asked for, between characters, and it says how many are missing", async () => {
    const body = `begin ${"ä€👩".repeat(200)} end`;
    await send("long", { body });
    await send("short", { body: "all of it" });
    for (const body_limit of [100, 101, 102, 103, 104, 105, 106, 107]) {
      const [short, long] = (await poll({ bodies: true, body_limit })).messages;
      expect(short).toMatchObject({ body: "all of it" });
      expect("left_out" in short).toBe(false);
      const { body: head, body_end, left_out, bytes } = long;
      expect(Buffer.byteLength(head + body_end)).toBeLessThanOrEqual(body_limit);
      expect([body.startsWith(head), body.endsWith(body_end), bytes]).toEqual([true, true, Buffer.byteLength(body)]);
      expect([...head].length + left_out + [...body_end].length).toBe([...body].length);
    }
    expect((await poll({ bodies: true, limit: 1 })).messages[0].body).toBe("all of it");
    expect((await poll({ bodies: true })).messages[1].body).toBe(body);
  });

  test("a page of bodies is bounded in bytes, and what it leaves out was not offered", async () => {
    const body = "x".repeat(400_000);
    for (let at = 0; at < 6; at++) await send(`mail ${at}`, { body });
    const first = await poll({ bodies: true, limit: 100, fresh: true });
    expect(subjects(first)).toEqual(["mail 5", "mail 4"]);
    expect(first.unread).toBe(6);
    expect(subjects(await poll({ bodies: true, body_limit: 1000, limit: 100, fresh: true }))).toHaveLength(4);
  });

  test("CLI-2: a wait ends with the mail that comes, and otherwise at its time", async () => {
    const wait = poll({ wait_seconds: 300 });
    await waiting().toBe(1);
    await send("here");
    expect(subjects(await wait)).toEqual(["here"]);
    await waiting().toBe(0);

    expect(await poll({ wait_seconds: 1, fresh: true })).toMatchObject({ messages: [], ended: "time", unread: 1 });
  });

  test("of two waiters both are offered the mail; of two with one name the later takes the place of the first", async () => {
    const first = poll({ wait_seconds: 300, waiter: "rewake" });
    await waiting().toBe(1);
    const second = poll({ wait_seconds: 300, waiter: "rewake" });
    expect(await first).toMatchObject({ ended: "superseded", messages: [] });
    const third = poll({ wait_seconds: 300 });
    await waiting().toBe(2);

    await send("for both");

    expect(subjects(await second)).toEqual(["for both"]);
    expect(subjects(await third)).toEqual(["for both"]);
  });

  test("a waiter that lost its place between two waits does not take it back, whoever asks next", async () => {
    const wait = (waiter_id: string, more: object = {}) =>
      poll({ wait_seconds: 300, waiter: "channel", waiter_id, ...more });
    await send("one");
    // It has mail to show, and asks again only then: meanwhile it waits for nothing.
    const { messages } = await wait("first", { mark: false });
    const after = messages[0].position;
    const second = wait("second", { after });
    await waiting().toBe(1);

    expect(await wait("first", { after })).toMatchObject({ ended: "superseded", messages: [] });
    // Not only while the one that has the place waits.
    await send("two");
    expect(subjects(await second)).toEqual(["two"]);
    expect(await wait("first", { after: "1" })).toMatchObject({ ended: "superseded", messages: [] });
    expect(subjects(await wait("second", { after }))).toEqual(["two"]);
    expect(subjects(await wait("third", { after }))).toEqual(["two"]);
    expect(await wait("second", { after })).toMatchObject({ ended: "superseded", messages: [] });
  });

  test("a hub that stops ends a wait with an answer, and a token that is revoked with a refusal", async () => {
    const revoked = hub.call(otter, "mail_poll", { wait_seconds: 300 });
    await waiting().toBe(1);
    const { tokens } = (await hub.call(hub.admin, "token_list")).body;
    const own = tokens.find(({ principal }: { principal: string }) => principal === "otter");
    await hub.call(hub.admin, "token_revoke", { id: own.id });
    expect((await revoked).status).toBe(401);

    const left = hub.call(scout, "mail_poll", { wait_seconds: 300 });
    await waiting().toBe(1);
    await hub.stop();
    expect((await left).body).toMatchObject({ ended: "stopping", messages: [] });
  });

  test("whoever goes away in the middle of a wait leaves nothing behind", async () => {
    const gone = new AbortController();
    const wait = fetch(`${hub.url}/api/tools/mail_poll`, {
      method: "POST",
      headers: { authorization: `Bearer ${otter}` },
      body: JSON.stringify({ wait_seconds: 300 }),
      signal: gone.signal,
    }).catch((error: Error) => error.name);
    await waiting().toBe(1);
    gone.abort();

    expect(await wait).toBe("AbortError");
    await waiting().toBe(0);
  });

  test("proof that pushed mail arrived is for its recipient to give", async () => {
    const id = await send("pushed");
    await poll({ channel: "channel" });
    const proven = await hub.call(otter, "mail_injected", { ids: [id], channel: "channel", proof: "answered it" });
    expect(proven.status).toBe(200);
    const forged = await hub.call(scout, "mail_injected", { ids: [id], channel: "channel", proof: "I say so" });
    expect(forged.status).toBe(404);

    const { recipients } = (await hub.call(scout, "mail_status", { id })).body;
    expect(recipients[0]).toMatchObject({ state: "injected", deliveries: [{ attempt: 2, proof: "answered it" }] });
  });
});
