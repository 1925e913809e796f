import { beforeEach, describe, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { onSharedHub } from "../../testing/shared-hub.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const DAY_MS = 24 * 3600 * 1000;

class Rest {
  readonly #hub: TestHub;
  readonly #token: string;

  constructor(hub: TestHub, token: string) {
    this.#hub = hub;
    this.#token = token;
  }

  get(path: string, headers = {}) {
    return this.#hub.request("GET", `/api/${path}`, { token: this.#token, headers });
  }

  post(path: string, body?: object, headers = {}) {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#hub.request("POST", `/api/${path}`, { token: this.#token, headers, ...json });
  }
}

onSharedHub((shared) => {
  let ana: Rest;
  let heron: Rest;
  let otter: Rest;
  let boss: Rest;
  beforeEach(async () => {
    const { hub } = shared;
    ana = new Rest(hub, await hub.token("human", "ana"));
    heron = new Rest(hub, await hub.token("agent", "heron"));
    otter = new Rest(hub, await hub.token("agent", "otter"));
    boss = new Rest(hub, hub.admin);
  });

  const send = async (subject: string, to = ["heron", "otter"]): Promise<string> =>
    (await ana.post("messages", { to, subject, body: `About ${subject}` })).body.id;

  test("MAIL-11: mail is sent, listed, looked at, answered and read as a thread, by its own addresses", async () => {
    const sent = await ana.post("messages", { to: ["heron"], subject: "Plan", body: "Look at it" });
    expect([sent.status, sent.body]).toEqual([201, { id: sent.body.id, thread_id: sent.body.id, to: ["heron"] }]);
    const { id } = sent.body;

    const { status, body } = await heron.get("messages?limit=1");
    expect([status, body.agent, body.messages[0].id, body.messages[0].read_at]).toEqual([200, "heron", id, null]);
    expect((await heron.get(`messages/${id}`)).body).toMatchObject({ id, body: "Look at it", read_at: null });

    const answer = await heron.post(`messages/${id}/reply`, { body: "Looked" });
    expect([answer.status, answer.body]).toMatchObject([201, { thread_id: id, to: ["ana"] }]);
    const thread = (await ana.get(`thread/${id}`)).body;
    expect(thread.messages.map(({ body }: { body: string }) => body)).toEqual(["Look at it", "Looked"]);
    expect((await ana.get(`messages/${id}/status`)).body.recipients).toMatchObject([
      { name: "heron", state: "stored" },
    ]);
  });

  test("MAIL-11: read, ack, archive, trash, inbox, unread and snooze change the caller's own copy and nobody else's", async () => {
    const id = await send("States");
    const act = async (action: string, body?: object) => {
      const { status, body: said } = await heron.post(`messages/${id}/${action}`, body);
      return [status, said.messages[0].state, said.messages[0].read_at !== null, said.messages[0].acked_at !== null];
    };
    expect(await act("read")).toEqual([200, "inbox", true, false]);
    expect(await act("unread")).toEqual([200, "inbox", false, false]);
    expect(await act("ack", {})).toEqual([200, "inbox", true, true]);
    expect(await act("archive")).toEqual([200, "archived", true, true]);
    expect(await act("trash")).toEqual([200, "trash", true, true]);
    expect(await act("inbox")).toEqual([200, "inbox", true, true]);
    const { body } = await heron.post(`messages/${id}/snooze`, { until: "2h" });
    expect(body.messages[0].snoozed_until).toMatch(/Z$/);
    expect((await otter.get(`messages/${id}`)).body).toMatchObject({
      state: "inbox",
      read_at: null,
      acked_at: null,
      snoozed_until: null,
    });
  });

  test("looking marks nothing, at whatever address it is done", async () => {
    const id = await send("Untouched");
    for (const path of [`messages/${id}`, `thread/${id}`, "messages", "messages?folder=inbox&unread=true"])
      expect([path, (await heron.get(path)).status]).toEqual([path, 200]);
    for (const path of [`messages/${id}?agent=heron`, `thread/${id}?agent=heron`, "messages?agent=heron"])
      expect([path, (await ana.get(path)).status]).toEqual([path, 200]);
    expect((await ana.get(`messages/${id}/status`)).body.recipients).toMatchObject([
      { state: "stored", read_at: null },
      { state: "stored", read_at: null },
    ]);
  });

  test("folders and pages are asked for in our words and in those of other hubs", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await send(`Page ${n}`, ["heron"]));
    const first = (await heron.get("messages?limit=2")).body;
    expect(first.messages.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    for (const next of [`before=${first.next}`, `page_token=${first.next}`]) {
      const { body } = await heron.get(`messages?limit=2&${next}`);
      expect(body.messages.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2, 4));
    }
    await heron.post(`messages/${ids[0]}/read`);
    await heron.post(`messages/${ids[1]}/archive`);
    const listed = async (query: string): Promise<string[]> =>
      (await heron.get(`messages?${query}&limit=3`)).body.messages.map(({ id }: { id: string }) => id);
    expect(await listed("state=unread")).toEqual(ids.slice(2));
    expect(await listed("unread=1")).toEqual(ids.slice(2));
    expect((await listed("state=archived"))[0]).toBe(ids[1]);
    expect((await listed("folder=inbox"))[0]).toBe(ids[0]);
  });

  test("whose mailbox it is is said with agent, in the address or the body, and only an administrator changes another's", async () => {
    const id = await send("For another");
    expect((await ana.get("messages?agent=heron&limit=1")).body).toMatchObject({ agent: "heron", messages: [{ id }] });
    const refused = await ana.post(`messages/${id}/read?agent=heron`);
    expect([refused.status, refused.body]).toEqual([403, { code: "FORBIDDEN", error: SENTENCE }]);
    expect((await boss.post(`messages/${id}/read?agent=heron`)).body).toMatchObject({ agent: "heron" });
    expect((await boss.post(`messages/${id}/ack`, { agent: "otter" })).body).toMatchObject({ agent: "otter" });
    expect((await boss.post(`messages/${id}/ack?agent=heron`, { agent: "otter" })).body.code).toBe("INVALID_ARGUMENT");
    const states = (await ana.get(`messages/${id}/status`)).body.recipients;
    expect(states).toMatchObject([
      {
        name: "heron",
        state: "stored",
        deliveries: [{ state: "marked", proof: expect.stringContaining("mail_update read, by ") }],
      },
      {
        name: "otter",
        state: "stored",
        deliveries: [{ state: "marked", proof: expect.stringContaining("mail_update ack, by ") }],
      },
    ]);
  });

  test("another's mail, another's mailbox and what does not exist give the same answer", async () => {
    const foreign = (await ana.post("messages", { to: ["otter"], subject: "Secret", body: "s" })).body.id;
    const none = String(Number(foreign) - 1);
    const answers = async (id: string): Promise<unknown[]> => {
      const asked = [
        await heron.get(`messages/${id}`),
        await heron.get(`messages/${id}/status`),
        await heron.get(`thread/${id}`),
        ...(await Promise.all(
          ["read", "ack", "archive", "trash", "inbox", "unread"].map((action) =>
            heron.post(`messages/${id}/${action}`),
          ),
        )),
        await heron.post(`messages/${id}/snooze`, { until: "2h" }),
        await heron.post(`messages/${id}/reply`, { body: "x" }),
      ];
      return asked.map(({ status, body }) => [status, body.code, body.error.replace(id, "ID")]);
    };
    const told = await answers(foreign);
    expect(told).toEqual(await answers(none));
    for (const one of told) expect(one).toEqual([404, expect.stringMatching(/^(MAIL|THREAD)_NOT_FOUND$/), SENTENCE]);
    const mailbox = await heron.get("messages?agent=otter");
    expect([mailbox.status, mailbox.body.error.replace("otter", "X")]).toEqual([
      404,
      (await heron.get("messages?agent=nobody")).body.error.replace("nobody", "X"),
    ]);
  });

  test("what does not fit is refused with a sentence and a code, and changes nothing", async () => {
    const id = await send("Strict");
    const before = (await heron.get(`messages/${id}`)).body;
    const bad = [
      heron.get("messages/abc"),
      heron.get("messages/-1"),
      heron.get("messages/99999999999999999999"),
      heron.get("messages?limit=0"),
      heron.get("messages?limit=ten"),
      heron.get("messages?unread=perhaps"),
      heron.get("messages?folder=nowhere"),
      heron.get("messages?state=nowhere"),
      heron.get("messages?__proto__=x"),
      heron.get("messages?limit=1&limit=2"),
      heron.get("messages", { "idempotency-key": "k" }),
      heron.get("thread/x"),
      heron.post(`messages/${id}/snooze`),
      heron.post(`messages/${id}/snooze`, { until: "yesterday" }),
      heron.post(`messages/${id}/read`, { until: "2h" }),
      heron.post(`messages/${id}/read`, { id }),
      heron.post(`messages/${id}/read`, { action: "trash" }),
      heron.post(`messages/${id}/read`, []),
      heron.post("messages", {}),
      heron.post("messages?agent=otter", { to: ["ana"], subject: "s", body: "b" }),
    ];
    for (const [at, { status, body }] of (await Promise.all(bad)).entries())
      expect([at, status, body]).toEqual([at, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
    expect((await heron.get(`messages/${id}`)).body).toEqual(before);
  });

  test("addresses that do not exist and methods that do not fit say so", async () => {
    const id = await send("Methods");
    for (const path of [`messages/${id}/shout`, `messages/${id}/read/more`, "thread"])
      expect([path, (await heron.get(path)).body.code]).toEqual([path, "NOT_FOUND"]);
    expect((await heron.post(`messages/${id}/shout`)).body.code).toBe("NOT_FOUND");
    const wrong = [
      ["POST", await heron.get(`messages/${id}/read`)],
      ["POST", await heron.get(`messages/${id}/reply`)],
      ["GET", await heron.post(`messages/${id}`)],
      ["GET", await heron.post(`messages/${id}/status`)],
      ["GET", await heron.post(`thread/${id}`)],
    ] as const;
    for (const [allow, { status, headers, body }] of wrong)
      expect([status, headers.get("allow"), body.code]).toEqual([405, allow, "METHOD_NOT_ALLOWED"]);
    const put = await shared.hub.request("PUT", "/api/messages", { token: shared.hub.admin });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test("who may only look changes nothing, and who has no token does not even look", async () => {
    const watcher = new Rest(shared.hub, await shared.hub.token("observer", "vera"));
    const id = await send("Roles");
    expect((await watcher.get("messages?agent=heron")).status).toBe(200);
    for (const answer of [await watcher.post("messages", {}), await watcher.post(`messages/${id}/read?agent=heron`)])
      expect([answer.status, answer.body]).toEqual([403, { code: "FORBIDDEN", error: SENTENCE }]);
    const nobody = new Rest(shared.hub, "prl_nobody");
    expect((await nobody.get("messages")).status).toBe(401);
  });

  test("sent again with the same key there is one mail, and with other words a conflict", async () => {
    const key = { "idempotency-key": "rest-once" };
    const letter = { to: ["heron"], subject: "Once", body: "b" };
    const first = await ana.post("messages", letter, key);
    expect((await ana.post("messages", letter, key)).body).toEqual(first.body);
    const other = await ana.post("messages", { ...letter, body: "c" }, key);
    expect([other.status, other.body.code]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
  });
});

describe("a hub of its own", () => {
  eachDatabase((open) => {
    test("what is snoozed by its address is away until its time and then unread again", async () => {
      const hub = await open({ now: Date.UTC(2026, 0, 1) });
      const ana = new Rest(hub, await hub.token("human", "ana"));
      const heron = new Rest(hub, await hub.token("agent", "heron"));
      const { id } = (await ana.post("messages", { to: ["heron"], subject: "Later", body: "b" })).body;
      await heron.post(`messages/${id}/snooze`, { until: "1d" });
      expect((await heron.get("messages")).body).toMatchObject({ messages: [], unread: 0 });
      expect((await heron.get("messages?folder=snoozed")).body.messages).toMatchObject([{ id }]);
      await hub.tick(DAY_MS);
      expect((await heron.get("messages")).body).toMatchObject({ messages: [{ id, read_at: null }], unread: 1 });
    });
  });
});
