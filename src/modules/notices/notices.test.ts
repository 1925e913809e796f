import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";
import { raise } from "./index.ts";
import { listNotices } from "./store.ts";

const SOON = { timeout: 90_000 };
const START = Date.parse("2027-03-01T08:00:00Z");
const ASKED = { key: "rm", kind: "choice", title: "May I run rm?", text: "rm -r dist", choices: ["allow", "deny"] };

eachDatabase((open, database) => {
  let hub: TestHub;
  let [ana, ben, scout, mason]: string[] = [];
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, ben] = [await hub.token("human", "ana"), await hub.token("human", "ben")];
    [scout, mason] = [await hub.token("agent", "scout"), await hub.token("agent", "mason")];
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const ask = (more: object = {}, token = scout) => call(token, "notice_raise", { ...ASKED, ...more });
  const settle = async (token: string | undefined, id: string, choice?: string) =>
    (await hub.settle(token, { id, ...(choice && { choice }) })).body;
  const listed = async (args: object = {}, token = ana) => (await call(token, "notice_list", args)).notices;
  const told = {
    key: "k",
    kind: "mail",
    title: "Two go round in circles",
    text: "",
    topic: "mail",
    ref: 7,
    agents: ["mason", "scout"],
  };
  const tell = async (more: object = {}) =>
    transact(await hub.as(hub.admin), (ctx) => raise(ctx, { ...told, ...more }));

  test("a question is answered by a person, once, and everybody can see by whom and when", async () => {
    const { id, state } = await ask();
    expect(state).toBe("open");
    const settled = await settle(ana, id, "allow");
    const answer = { state: "answered", choice: "allow", settled_by: "ana", settled_at: new Date(START).toISOString() };
    expect(settled).toMatchObject({ id, ...answer, raised_by: "scout", choices: ["allow", "deny"] });
    const late = { code: "ALREADY_DECIDED", error: "ana has answered already: allow.", ...answer };
    expect(await settle(ben, id, "deny")).toMatchObject(late);
    expect(await settle(ana, id, "allow")).toMatchObject({ code: "ALREADY_DECIDED" });
    expect(await listed()).toEqual([settled]);
    expect(await call(scout, "notice_wait", { id })).toEqual({
      id,
      state: "answered",
      choice: "allow",
      settled_by: "ana",
      pending_until: null,
    });
  });

  test("of all who answer at the same moment exactly one is the first, and all others are told the same one", async () => {
    const second = database === "postgres" ? await open({ same: hub }) : hub;
    for (let round = 0; round < 5; round++) {
      const { id } = await ask({ key: `round ${round}` });
      const tries = Array.from({ length: 10 }, (_, n) =>
        (n % 2 ? second : hub).settle(n % 3 ? ana : ben, { id, choice: n % 2 ? "deny" : "allow" }),
      );
      const answers = await Promise.all(tries);
      const [won, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      const { choice, settled_by } = won?.body ?? {};
      const lost = answers.filter(({ status }) => status === 409).map(({ body }) => [body.choice, body.settled_by]);
      expect(lost).toEqual(Array.from({ length: 9 }, () => [choice, settled_by]));
    }
  });

  test("raised again it stays what it was, also after it was answered and after a restart", async () => {
    const { id } = await ask();
    expect(await ask({ title: "May I run something else?" })).toMatchObject({ id, state: "open" });
    await settle(ana, id, "deny");
    await hub.stop();
    hub = await open({ same: hub });
    const answered = { id, state: "answered", choice: "deny", settled_by: "ana", pending_until: null };
    expect(await ask({ choices: ["yes", "no"] })).toEqual(answered);
    expect(await listed()).toMatchObject([{ id, title: ASKED.title, choices: ASKED.choices }]);
  });

  test("raised many times at once it is one notice and one event", async () => {
    using stream = await EventStream.open(hub.url, { token: ana ?? "", topics: "notice" });
    const raised = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(new Set(raised.map(({ id }) => id)).size).toBe(1);
    await settle(ana, raised[0].id, "allow");
    const [first, last, ...more] = await stream.until(2);
    expect([first?.event, last?.event, more]).toEqual(["notice", "notice", []]);
    expect(first?.data).toMatchObject({ notice_id: raised[0].id, kind: "choice", state: "open" });
    expect(last?.data).toMatchObject({ notice_id: raised[0].id, state: "answered", choice: "allow" });
  });

  test("what a module raises is the hub's, whoever caused it, and is gone with a transaction that fails", async () => {
    const notice = await tell();
    expect(notice).toMatchObject({ raised_by: null, topic: "mail", ref: "7", choices: null, state: "open" });
    expect(notice.agents).toEqual(["mason", "scout"]);
    expect(await tell({ title: "Something else" })).toEqual(notice);
    const ctx = await hub.as(scout ?? "");
    const failing = transact(ctx, async (ctx) => {
      await raise(ctx, { ...told, key: "never" });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    const caused = await transact(ctx, (ctx) => raise(ctx, { ...told, key: "caused" }));
    expect(await listed()).toEqual([caused, notice]);
    expect(await call(scout, "notice_withdraw", { id: caused.id })).toMatchObject({ code: "NOTICE_NOT_FOUND" });
    expect(await settle(ana, notice.id)).toMatchObject({ state: "answered", choice: null, settled_by: "ana" });
  });

  test("a question takes one of its choices, a statement none", async () => {
    const { id } = await ask();
    for (const choice of [undefined, "", "Allow", "maybe"])
      expect(await settle(ana, id, choice)).toMatchObject({
        code: "INVALID_ARGUMENT",
        error: "This notice is answered with one of allow, deny.",
      });
    const statement = await tell();
    expect(await settle(ana, statement.id, "allow")).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect((await listed({ open: true })).length).toBe(2);
  });

  test("nobody answers what has expired, and whoever waits is told at that moment", async () => {
    const { id } = await ask({ expires_seconds: 60 });
    const waiting = call(scout, "notice_wait", { id, wait_seconds: 300 });
    await hub.tick(59_999);
    expect(await listed({ open: true })).toHaveLength(1);
    await hub.tick(1);
    expect(await waiting).toEqual({ id, state: "expired", choice: null, settled_by: null, pending_until: null });
    const settled_at = new Date(START + 60_000).toISOString();
    const closed = { code: "NOTICE_CLOSED", error: "This notice has expired: it can no longer be answered." };
    expect(await settle(ana, id, "allow")).toMatchObject({ ...closed, state: "expired", settled_at });
    expect(await listed({ open: true })).toEqual([]);
    expect(await listed({ open: false })).toMatchObject([{ id, state: "expired", settled_by: null, settled_at }]);
  });

  test("an answer in time is not undone when the time is over", async () => {
    const { id } = await ask({ expires_seconds: 60 });
    await settle(ana, id, "deny");
    await hub.tick(61_000);
    expect(await listed()).toMatchObject([{ id, state: "answered", choice: "deny" }]);
  });

  test("what expires while the hub is down is found expired when it is back", async () => {
    const { id } = await ask({ expires_seconds: 60 });
    await hub.stop();
    hub = await open({ same: hub, now: START + 3_600_000 });
    expect(await settle(ana, id, "allow")).toMatchObject({ code: "NOTICE_CLOSED" });
    await hub.tick(0);
    expect(await call(scout, "notice_wait", { id })).toMatchObject({ state: "expired" });
  });

  test("whoever waits has the answer as soon as it is given, on whichever node", async () => {
    const other = database === "postgres" ? await open({ same: hub }) : hub;
    const { id } = await ask();
    const waiting = hub.call(scout, "notice_wait", { id, wait_seconds: 300 });
    await expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait"), SOON).toBe(1);
    await other.settle(ben, { id, choice: "allow" });
    const answered = { id, state: "answered", choice: "allow", settled_by: "ben", pending_until: null };
    expect((await waiting).body).toEqual(answered);
    expect(hub.hub.streams.count(({ kind }) => kind === "wait")).toBe(0);
  });

  test("waiting ends with its time, and with the hub, and the notice is still open", async () => {
    const { id } = await ask();
    expect(await call(scout, "notice_wait", { id, wait_seconds: 0 })).toMatchObject({ state: "open" });
    const waiting = call(scout, "notice_wait", { id, wait_seconds: 300 });
    await expect.poll(() => hub.hub.streams.count(({ kind }) => kind === "wait"), SOON).toBe(1);
    await Promise.all([hub.stop(), expect(waiting).resolves.toMatchObject({ state: "open" })]);
  });

  test("who no longer needs an answer takes the question back, and a late answer is refused", async () => {
    const { id } = await ask({ expires_seconds: 60 });
    expect(await call(scout, "notice_withdraw", { id })).toMatchObject({ state: "withdrawn" });
    expect(await settle(ana, id, "allow")).toMatchObject({ code: "NOTICE_CLOSED", state: "withdrawn" });
    await hub.tick(61_000);
    expect(await listed()).toMatchObject([{ state: "withdrawn", settled_by: "scout" }]);
    const answered = await ask({ key: "another" });
    await settle(ana, answered.id, "deny");
    expect(await call(scout, "notice_withdraw", { id: answered.id })).toMatchObject({
      state: "answered",
      choice: "deny",
    });
  });

  test("an agent finds nothing of another agent's, and its keys are its own", async () => {
    const { id } = await ask();
    for (const tool of ["notice_wait", "notice_withdraw"])
      expect(await call(mason, tool, { id })).toMatchObject({ code: "NOTICE_NOT_FOUND" });
    const own = await ask({}, mason);
    expect(own).toMatchObject({ state: "open" });
    expect(own.id).not.toBe(id);
    using stream = await EventStream.open(hub.url, { token: mason ?? "", topics: "notice" });
    await settle(ana, id, "allow");
    await settle(ana, own.id, "deny");
    const [first] = await stream.until(1);
    expect(first?.data).toMatchObject({ notice_id: own.id, choice: "deny" });
  });

  test("neither an agent nor an observer answers, and an agent lists nothing", async () => {
    const { id } = await ask();
    const viewer = await hub.token("observer", "vera");
    for (const token of [scout, mason, viewer])
      expect(await settle(token, id, "allow")).toMatchObject({ code: "FORBIDDEN" });
    expect(await listed({}, viewer)).toMatchObject([{ id }]);
    expect(await call(mason, "notice_list")).toMatchObject({ code: "FORBIDDEN" });
    expect(await call(ana, "notice_raise", ASKED)).toMatchObject({ code: "FORBIDDEN" });
  });

  test("nothing of one space is seen, followed or answered in another, or left when it is over", async () => {
    await call(hub.admin, "space_create", { id: "sess_a", ttl_seconds: 60 });
    const inside = await hub.token("agent", "rook", "sess_a");
    const dora = await hub.token("human", "dora", "sess_a");
    const { id } = await ask({ expires_seconds: 30 }, inside);
    expect(await listed()).toEqual([]);
    expect(await settle(ana, id, "allow")).toMatchObject({ code: "NOTICE_NOT_FOUND" });
    expect(await listed({}, dora)).toMatchObject([{ id }]);
    const stored = () =>
      listNotices(hub.hub.database, {
        space_id: "sess_a",
        principal_id: "",
        before_id: Number.MAX_SAFE_INTEGER,
        limit: 9,
      });
    expect(await stored()).toHaveLength(1);
    await hub.tick(61_000);
    expect(await call(dora, "notice_list")).toMatchObject({ code: "SESSION_EXPIRED" });
    await expect.poll(stored, SOON).toEqual([]);
  });

  test("an agent cannot flood people: the 21st open one is refused until one is over", async () => {
    const ids = [];
    for (let n = 0; n < 20; n++) ids.push((await ask({ key: `n${n}` })).id);
    const refused = await hub.call(scout, "notice_raise", { ...ASKED, key: "n20" });
    expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_NOTICES"]);
    expect(await ask({ key: "n3" })).toMatchObject({ id: ids[3] });
    expect(await ask({}, mason)).toMatchObject({ state: "open" });
    await call(scout, "notice_withdraw", { id: ids[0] });
    expect(await ask({ key: "n20" })).toMatchObject({ state: "open" });
  });

  test("pages visit each notice once, newest first, and the count says how many are open", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.unshift((await tell({ key: `n${n}` })).id);
    await settle(ana, ids[2] ?? "");
    const seen: string[] = [];
    for (let before: string | null = null; ; ) {
      const page = await call(ana, "notice_list", { limit: 3, ...(before && { before }) });
      seen.push(...page.notices.map(({ id }: { id: string }) => id));
      before = page.next;
      if (!before) break;
    }
    expect(seen).toEqual(ids);
    expect((await listed({ open: false })).map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
  });

  test("people watch what waits for them by its resource; to an agent there is no such resource", async () => {
    using stream = await new Raw(hub.url, ana ?? "").listen(["parley://needs"]);
    await stream.first(1);
    const { id } = await ask();
    await stream.first(2);
    const read = async (token = "") => (await hub.hub.resources.read(await hub.actor(token), "parley://needs")).body;
    expect(await read(ana)).toMatchObject({ count: 1, needs: [{ id }] });
    await settle(ana, id, "deny");
    await stream.first(3);
    expect(await read(ana)).toMatchObject({ count: 0, needs: [] });
    await expect(read(scout)).rejects.toMatchObject({ code: "UNKNOWN_RESOURCE" });
  });

  const refused: object[] = [
    { title: "" },
    { title: "two\nlines" },
    { title: "x".repeat(201) },
    { text: "x".repeat(8001) },
    { key: "" },
    { kind: "Permission" },
    { choices: ["allow"] },
    { choices: ["allow", "allow"] },
    { choices: ["Allow it", "deny"] },
    { expires_seconds: 0 },
    { expires_seconds: 31 * 24 * 3600 },
    { raised_by: "mason" },
  ];
  test.each(refused)("refuses to raise with %o", async (more) => {
    expect(await ask(more)).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await listed()).toEqual([]);
  });
});
