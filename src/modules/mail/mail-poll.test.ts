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
  const waiting = () => expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait"), { timeout: 30_000 });

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
