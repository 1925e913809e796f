/** Which session is which agent, and who is there. */
import { beforeEach, describe, expect, test } from "vitest";
import { statement } from "../../db/statement.ts";
import { counted } from "../../testing/counted.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { onSharedHub } from "../../testing/shared-hub.ts";
import { heartbeat } from "./index.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const START = Date.parse("2026-11-01T12:00:00Z");
const MINUTE = 60_000;

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open({ now: START });
  });

  const ensure = async (client_session_id: string, more: object = {}, token = hub.admin) =>
    (await hub.call(token, "agent_ensure", { client_session_id, ...more })).body;
  const whoami = async (token: string) => (await hub.call(token, "whoami")).body;
  const listed = async (name: string) =>
    (await hub.call(hub.admin, "agent_list")).body.agents.find((agent: { name: string }) => agent.name === name);

  describe("sessions", () => {
    test("AGENT-1: a new session is a new agent, called after where it works, with a token of its own", async () => {
      const made = await ensure("s-1", { project: "/work/shop", branch: "main", client: "claude-code" });
      expect(made).toEqual({
        agent: "shop-main",
        client_session_id: "s-1",
        created: true,
        token: expect.stringMatching(/^parley_/),
      });
      expect(await whoami(made.token)).toMatchObject({ agent: made.agent, roles: ["agent"], space: "main" });
      expect(await listed(made.agent)).toMatchObject({
        presence: "active",
        last_seen_at: new Date(START).toISOString(),
        project: "/work/shop",
        branch: "main",
        client: "claude-code",
      });
    });

    test("AGENT-1: two sessions of one project are two agents, and the same session is the same agent for ever", async () => {
      const one = await ensure("s-1", { project: "/work/shop" });
      const two = await ensure("s-2", { project: "/work/shop" });
      expect(two.agent).not.toBe(one.agent);
      await hub.tick(400 * 24 * 60 * MINUTE);
      expect(await ensure("s-1")).toMatchObject({ agent: one.agent, created: false });
      expect(await ensure("s-2")).toMatchObject({ agent: two.agent, created: false });
    });

    test("a session that comes back has a new token, reads on where it was, and the old token is over", async () => {
      const first = await ensure("s-1");
      await hub.call(hub.admin, "chat_human_post", { content: "one", agent: first.agent });
      await hub.call(first.token, "chat_read_and_advance");
      const second = await ensure("s-1");
      expect(second.token).not.toBe(first.token);
      await hub.tick(0);
      await expect.poll(async () => (await hub.call(first.token, "whoami")).status).toBe(401);
      expect((await hub.call(second.token, "chat_read_and_advance")).body.messages).toEqual([]);
      const { tokens } = (await hub.call(hub.admin, "token_list")).body;
      const own = tokens.filter(({ principal }: { principal: string }) => principal === first.agent);
      expect(own.map(({ label, revoked_at }: Listed) => [label, revoked_at === null])).toEqual(
        expect.arrayContaining([
          ["session", true],
          ["session", false],
        ]),
      );
    });

    test("tokens of sessions and browsers are forgotten thirty days after they ended; a session goes on all the same", async () => {
      const DAY = 24 * 60 * MINUTE;
      const kept = async () =>
        (await hub.call(hub.admin, "token_list")).body.tokens.filter(({ label }: Listed) => label === "session").length;
      const first = await ensure("s-1");
      await hub.call(first.token, "chat_assistant_post", { content: "hello" });
      await hub.call(first.token, "chat_read_and_advance");
      for (let start = 0; start < 5; start++) await ensure("s-1");
      const made = await hub.token("human", "ana");
      const [own] = (await hub.call(hub.admin, "token_list")).body.tokens.filter(
        ({ principal }: { principal: string }) => principal === "ana",
      );
      await hub.call(hub.admin, "token_revoke", { id: own.id });
      for (let day = 0; day < 30; day++) await hub.tick(DAY);
      expect(await kept()).toBe(6);
      await hub.tick(60 * MINUTE);
      expect(await kept()).toBe(1);
      expect((await hub.call(hub.admin, "token_list")).body.tokens.map(({ id }: { id: string }) => id)).toContain(
        own.id,
      );
      expect((await hub.call(made, "whoami")).status).toBe(401);
      const again = await ensure("s-1");
      expect(again).toMatchObject({ agent: first.agent, created: false });
      expect((await hub.call(again.token, "chat_read_and_advance")).body.messages).toEqual([]);
    });

    test("every node is told that the token ended, and what it had opened is closed", async () => {
      const { agent, token } = await ensure("s-1");
      const { token_id } = await hub.actor(token);
      const response = await fetch(`${hub.url}/events?topics=chat&agent=${agent}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
      await ensure("s-1");
      await hub.tick(0);
      expect(await hub.hub.database.all(told, { stream: token_id })).toEqual([{ type: "token.revoked" }]);
      await expect(response.text()).rejects.toThrow("terminated");
    });

    const namesOf = async (...sessions: (object | undefined)[]): Promise<string[]> => {
      const names: string[] = [];
      for (const more of sessions) names.push((await ensure(`s-${names.length}`, more)).agent);
      return names;
    };

    test("a session is called after its repository and branch, with the next number where that is taken", async () => {
      const place = { project: "/work/shop", branch: "main" };
      expect(await namesOf(place, place, place)).toEqual(["shop-main", "shop-main-2", "shop-main-3"]);
    });

    test("a name that a person, a deleted agent or a look-alike has is taken too", async () => {
      await hub.token("human", "shop-main");
      await hub.call(hub.admin, "agent_register", { name: "Sh0p_main.2" });
      expect(await namesOf({ project: "/work/shop", branch: "main" })).toEqual(["shop-main-3"]);
    });

    test("whatever a folder and a branch are called, the name is one that can be given", async () => {
      expect(
        await namesOf(
          { project: "/work/Größe & Maß/", branch: "feature/Ünïcode_und-so" },
          { project: `/${"very-long-".repeat(10)}`, branch: "main" },
          { project: "/work/shop", branch: "0123456789abcdef0123456789abcdef01234567" },
          { project: "/日本", branch: "…" },
          { project: "/" },
          {},
          { project: "/work/user" },
          { project: "/tmp/work", suggested_name: "shop-fix" },
          { project: "/work/.config" },
        ),
      ).toEqual([
        "gro-e-ma-feature-unicode-und-so",
        "very-long-very-long-very-long-ver",
        "shop-0123456",
        "agent",
        "agent-2",
        "agent-3",
        "agent-user",
        "shop-fix",
        "config",
      ]);
    });

    test("behind many sessions of a branch the next one gets the next number", async () => {
      const place = { project: "/work/shop", branch: "main" };
      for (let n = 0; n < 40; n += 1) await ensure(`n-${n}`, place);
      expect((await ensure("n-40", place)).agent).toBe("shop-main-41");
    });

    test("a name that is given is the new agent's, and the session keeps it", async () => {
      expect(await ensure("s-1", { name: "scout" })).toMatchObject({ agent: "scout", created: true });
      expect(await ensure("s-1", { name: "scout" })).toMatchObject({ agent: "scout", created: false });
      expect(await ensure("s-1")).toMatchObject({ agent: "scout", created: false });
    });

    test("AGENT-1: a name that contradicts the session, or that another live session has, is never guessed about", async () => {
      await ensure("s-1", { name: "scout" });
      const ambiguous = { code: "AMBIGUOUS_IDENTITY", error: SENTENCE };
      expect(await ensure("s-1", { name: "mason" })).toEqual(ambiguous);
      const second = await ensure("s-2", { name: "scout", adopt: true });
      expect(second).toEqual(ambiguous);
      expect(second.error).toContain("s-1");
      expect(await listed("mason")).toBeUndefined();
    });

    test("no new session is an agent that was there before, gone or not, unless it is said to adopt it", async () => {
      const { token } = await ensure("s-1", { name: "scout" });
      await hub.token("agent", "mason");
      await hub.tick(400 * 24 * 60 * MINUTE);
      for (const name of ["scout", "mason"])
        expect(await ensure("s-2", { name })).toMatchObject({ code: "NAME_TAKEN", error: SENTENCE });
      expect((await hub.call(token, "whoami")).body.agent).toBe("scout");
    });

    test("an agent is one session at a time: once it is offline another may adopt it, and the first waits in turn", async () => {
      const first = await ensure("s-1", { name: "scout" });
      await hub.tick(31 * MINUTE);
      const second = await ensure("s-2", { name: "scout", adopt: true });
      expect(second).toMatchObject({ agent: "scout", created: false });
      await expect.poll(async () => (await hub.call(first.token, "whoami")).status).toBe(401);
      expect(await ensure("s-1")).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
      await hub.tick(31 * MINUTE);
      expect(await ensure("s-1")).toMatchObject({ agent: "scout" });
      expect(await ensure("s-2")).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
    });

    test("a new session cannot be an agent that somebody is just now by a token of its own", async () => {
      const scout = await hub.token("agent", "scout");
      await hub.call(scout, "agent_heartbeat");
      expect(await ensure("s-1", { name: "scout", adopt: true })).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
      await hub.tick(31 * MINUTE);
      expect(await ensure("s-1", { name: "scout", adopt: true })).toMatchObject({ agent: "scout", created: false });
      expect((await hub.call(scout, "whoami")).status).toBe(200);
    });

    test("no session becomes a person, or an agent that may do more than an agent", async () => {
      await hub.token("human", "ana");
      await hub.token("orchestrator", "boss");
      await hub.token("worker", "mule");
      expect(await ensure("s-1", { name: "ana" })).toMatchObject({ code: "NAME_TAKEN" });
      expect(await ensure("s-1", { name: "admin" })).toMatchObject({ code: "NAME_TAKEN" });
      for (const name of ["boss", "mule"])
        expect(await ensure("s-1", { name })).toEqual({ code: "FORBIDDEN", error: SENTENCE });
      const own = await ensure("s-2", { name: "scout" });
      await hub.token("orchestrator", "scout");
      expect(await ensure("s-2")).toMatchObject({ code: "FORBIDDEN" });
      expect((await hub.call(own.token, "whoami")).status).toBe(200);
    });

    test("an orchestrator is given those it made itself, and no agent of anybody else's", async () => {
      const boss = await hub.token("orchestrator", "boss");
      const rival = await hub.token("orchestrator", "rival");
      await hub.token("agent", "mason");
      await hub.call(boss, "agent_register", { name: "helper" });
      await hub.call(hub.admin, "space_create", { id: "sess_far" });
      await hub.token("agent", "farid", "sess_far");
      const made = await ensure("s-1", { name: "scout" }, boss);
      expect(await whoami(made.token)).toMatchObject({ agent: "scout", roles: ["agent"] });
      expect(await ensure("s-1", {}, boss)).toMatchObject({ agent: "scout" });
      for (const name of ["mason", "helper", "farid", "rival"])
        expect([name, (await ensure("s-9", { name }, boss)).code]).toEqual([name, "NAME_TAKEN"]);
      expect(await ensure("s-1", {}, rival)).toEqual({ code: "FORBIDDEN", error: SENTENCE });
      expect(await ensure("s-9", { name: "scout" }, rival)).toMatchObject({ code: "NAME_TAKEN" });
      await ensure("s-2", { name: "quill" });
      expect(await ensure("s-2", {}, boss)).toMatchObject({ code: "FORBIDDEN" });
    });

    test("the same session in two spaces is two agents, and neither space knows of the other", async () => {
      await hub.call(hub.admin, "space_create", { id: "sess_far" });
      const far = { "x-session-id": "sess_far" };
      const near = await ensure("s-1");
      const other = (await hub.call(hub.admin, "agent_ensure", { client_session_id: "s-1" }, far)).body;
      expect(other.agent).not.toBe(near.agent);
      expect((await hub.call(other.token, "whoami")).body.space).toBe("sess_far");
      const { sessions } = (await hub.call(hub.admin, "agent_sessions", {}, far)).body;
      expect(sessions.map(({ agent }: { agent: string }) => agent)).toEqual([other.agent]);
    });

    test("agents and people may not ensure, and a session is 1 to 200 printable characters", async () => {
      for (const role of ["agent", "worker", "human", "observer", "trigger"] as const)
        expect(await ensure("s-1", {}, await hub.token(role, `${role}-one`))).toMatchObject({ code: "FORBIDDEN" });
      for (const id of ["", "a b", "x".repeat(201), "a\u0000", "ä", "a\n"])
        expect((await ensure(id)).code).toMatch(/^INVALID_/);
      for (const more of [{ project: "" }, { project: "a\nb" }, { branch: "x".repeat(201) }, { token: "x" }])
        expect(await ensure("s-1", more)).toMatchObject({ code: "INVALID_ARGUMENT" });
      expect(await ensure("x".repeat(200))).toMatchObject({ created: true });
    });

    test("twenty calls for one new session make one agent, and the last token works", async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => ensure("s-1")));
      expect(new Set(all.map(({ agent }) => agent)).size).toBe(1);
      expect(all.filter(({ created }) => created)).toHaveLength(1);
      const { tokens } = (await hub.call(hub.admin, "token_list")).body;
      const working = tokens.filter((token: Listed) => token.label === "session" && token.revoked_at === null);
      expect(working).toHaveLength(1);
    });

    test("people see which session is which agent, the last one first", async () => {
      const one = await ensure("s-1", { client: "codex", project: "/work/shop", branch: "fix" });
      await hub.tick(MINUTE);
      const two = await ensure("s-2");
      const { sessions } = (await hub.call(await hub.token("human", "ana"), "agent_sessions")).body;
      expect(sessions.map(({ agent }: { agent: string }) => agent)).toEqual([two.agent, one.agent]);
      expect(sessions[1]).toMatchObject({ client_session_id: "s-1", client: "codex", branch: "fix" });
      expect(JSON.stringify(sessions)).not.toMatch(/parley_|t_[0-9a-f]{16}/);
    });
  });

  describe("presence", () => {
    test("the agents of sessions that have been gone for a week are listed when asked for, all others always", async () => {
      await hub.token("agent", "scout");
      const gone = await ensure("s-1");
      const back = await ensure("s-2");
      await hub.tick(8 * 24 * 60 * MINUTE);
      await ensure("s-2");
      const names = async (args: object) =>
        (await hub.call(hub.admin, "agent_list", args)).body.agents.map(({ name }: { name: string }) => name).sort();

      expect(await names({})).toEqual([back.agent, "scout"].sort());
      expect(await names({ all: true })).toEqual([gone.agent, back.agent, "scout"].sort());
      expect((await hub.call(hub.admin, "mail_send", { to: [gone.agent], subject: "s", body: "b" })).status).toBe(200);
    });

    test("agents are found by presence, by the folder they work in or below, and by a part of their name", async () => {
      const project = "/work/shop";
      const names = async (args: object) =>
        (await hub.call(hub.admin, "agent_find", args)).body.agents.map(({ name }: { name: string }) => name).sort();
      const shop = await ensure("s-1", { name: "Otter", project });
      await ensure("s-2", { name: "heron", project: "/work/shop/api" });
      await ensure("s-3", { name: "rook", project: "/work/shopping" });
      await hub.token("agent", "scout");
      await hub.tick(8 * 24 * 60 * MINUTE);
      await hub.call(shop.token, "agent_heartbeat", {});

      expect(await names({ project })).toEqual(["Otter", "heron"]);
      expect(await names({ project: `${project}/` })).toEqual(["Otter", "heron"]);
      expect(await names({ status: "active" })).toEqual(["Otter"]);
      expect(await names({ name: "oT" })).toEqual(["Otter"]);
      expect(await names({ name: "o", project, status: "offline" })).toEqual(["heron"]);
      expect(await names({})).toEqual(["Otter", "heron", "rook", "scout"]);
    });

    test("however many agents there are, a list of them reads them once", async () => {
      await ensure("s-1");
      await hub.token("agent", "scout");
      const ctx = await hub.as(hub.admin);
      const { db, texts } = counted(ctx.db);
      const { run } = hub.hub.tools.find("agent_list");
      expect(await run({ ...ctx, db }, {} as never)).toMatchObject({ agents: [{}, { name: "scout" }] });
      expect(texts.filter((text) => /\b(from|join) agents\b/.test(text))).toHaveLength(1);
    });

    const presence = async (name: string): Promise<[string, string | null]> => {
      const agent = await listed(name);
      return [agent.presence, agent.last_seen_at];
    };
    const at = (ms: number): string => new Date(START + ms).toISOString();

    test("AGENT-3: active for 5 minutes after a heartbeat, idle until 30, offline from then on, and before the first", async () => {
      const scout = await hub.token("agent", "scout");
      expect(await presence("scout")).toEqual(["offline", null]);
      const { body } = await hub.call(scout, "agent_heartbeat", { branch: "main" });
      expect(body).toMatchObject({ agent: "scout", presence: "active", last_seen_at: at(0), branch: "main" });
      await hub.tick(5 * MINUTE);
      expect(await presence("scout")).toEqual(["active", at(0)]);
      await hub.tick(1);
      expect(await presence("scout")).toEqual(["idle", at(0)]);
      await hub.tick(25 * MINUTE - 1);
      expect(await presence("scout")).toEqual(["idle", at(0)]);
      await hub.tick(1);
      expect(await presence("scout")).toEqual(["offline", at(0)]);
      await hub.call(scout, "agent_heartbeat");
      expect(await presence("scout")).toEqual(["active", at(30 * MINUTE + 1)]);
    });

    test("a heartbeat within 15 seconds of the last one writes nothing, and no later one of who is there takes a turn at the counter, or is told to the feed", async () => {
      const scout = await hub.token("agent", "scout");
      const ctx = await hub.as(scout);
      await heartbeat(ctx);
      const before = await hub.hub.database.get(lastId, { id: "main" });
      const writes: string[] = [];
      const watched: typeof ctx = {
        ...ctx,
        database: new Proxy(ctx.database, {
          get: (target, key) => {
            if (key === "write") writes.push("write");
            const value = Reflect.get(target, key);
            return typeof value === "function" ? value.bind(target) : value;
          },
        }),
      };
      await hub.tick(15_000);
      await heartbeat(watched);
      expect([writes, await presence("scout")]).toEqual([[], ["active", at(0)]]);
      await hub.tick(1);
      await heartbeat(watched);
      expect([writes, await presence("scout")]).toEqual([[], ["active", at(15_001)]]);
      expect(await hub.hub.database.get(lastId, { id: "main" })).toEqual(before);
    });

    test("the feed is told who is there again: at the first heartbeat, after a silence, and after leaving", async () => {
      const { token } = await ensure("s-1", { name: "scout" });
      const position = async () => (await hub.hub.database.get(lastId, { id: "main" }))?.last_id;
      const told = async (call: () => Promise<unknown>) => {
        const before = await position();
        await call();
        return (await position()) !== before;
      };
      const beat = () => hub.call(token, "agent_heartbeat");
      await hub.tick(4 * MINUTE);
      expect(await told(beat)).toBe(false);
      await hub.tick(6 * MINUTE);
      expect(await told(beat)).toBe(true);
      await hub.call(token, "agent_leave");
      expect(await told(beat)).toBe(true);
    });

    test("who reports what it does is there, and who reports that it has stopped is not there for that", async () => {
      const scout = await hub.token("agent", "scout");
      await hub.call(scout, "agent_report", { lifecycle: "stopped" });
      expect(await presence("scout")).toEqual(["offline", null]);
      await hub.call(scout, "agent_report", { lifecycle: "ready", run_phase: "sampling" });
      expect(await presence("scout")).toEqual(["active", at(0)]);
      await hub.tick(31 * MINUTE);
      expect(await presence("scout")).toEqual(["offline", at(0)]);
      await hub.call(scout, "agent_report", { run_phase: "idle" });
      expect((await presence("scout"))[0]).toBe("active");
    });

    test("an orchestrator's heartbeat is for the agent it acts for, and a person has none", async () => {
      await hub.token("agent", "scout");
      const boss = await hub.token("orchestrator", "boss");
      await hub.call(boss, "agent_heartbeat", {}, { "x-caller-agent": "scout" });
      expect(await presence("scout")).toEqual(["active", at(0)]);
      expect(await presence("boss")).toEqual(["offline", null]);
      expect((await hub.call(hub.admin, "agent_heartbeat")).body.code).toBe("FORBIDDEN");
    });

    test("a session is seen with its agent, so that it stays the one", async () => {
      const { token } = await ensure("s-1", { name: "scout" });
      await hub.tick(25 * MINUTE);
      await hub.call(token, "agent_heartbeat");
      await hub.tick(25 * MINUTE);
      expect(await ensure("s-2", { name: "scout", adopt: true })).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
    });
  });

  describe("deleting", () => {
    const remove = async (name: string) => (await hub.call(hub.admin, "agent_delete", { name })).body;

    test("AGENT-3: an agent that is deleted is gone, its tokens are over, and nobody gets its name", async () => {
      await hub.token("agent", "mason");
      const own = await hub.token("agent", "scout");
      const made = await ensure("s-1", { name: "quill" });
      expect(await remove("scout")).toEqual({ name: "scout", deleted_at: new Date(START).toISOString() });
      await remove("quill");
      expect([await listed("scout"), await listed("quill")]).toEqual([undefined, undefined]);
      for (const token of [own, made.token])
        await expect.poll(async () => (await hub.call(token, "whoami")).status).toBe(401);
      for (const name of ["scout", "quill"]) {
        expect((await hub.call(hub.admin, "agent_register", { name })).body.code).toBe("NAME_TAKEN");
        expect((await hub.call(hub.admin, "token_create", { role: "agent", name })).body.code).toBe("NAME_TAKEN");
        expect((await ensure("s-9", { name })).code).toBe("NAME_TAKEN");
      }
      expect((await hub.call(hub.admin, "agent_register", { name: "sc0ut" })).body.code).toBe("NAME_TAKEN");
      expect(await ensure("s-1")).toEqual({ code: "AGENT_NOT_FOUND", error: SENTENCE });
      expect((await remove("scout")).code).toBe("AGENT_NOT_FOUND");
    });

    test("nothing is sent to an agent that was deleted, and people still read what it had got", async () => {
      const ana = await hub.token("human", "ana");
      await hub.token("agent", "mason");
      await hub.token("agent", "scout");
      const mail = { to: ["scout"], subject: "plan", body: "look at the tests" };
      expect((await hub.call(ana, "mail_send", mail)).status).toBe(200);
      await remove("scout");
      const { body } = await hub.call(ana, "mail_send", mail);
      expect(body).toMatchObject({ code: "RECIPIENT_NOT_FOUND", recipient: "scout" });
      expect((await hub.call(ana, "mail_send", { ...mail, to: ["sc0ut"] })).body.error).not.toContain("Did you mean");
      const { messages } = (await hub.call(ana, "mail_inbox", { agent: "scout" })).body;
      expect(messages.map(({ subject }: { subject: string }) => subject)).toEqual(["plan"]);
    });

    test("whom people speak to who name nobody is not deleted while there is another; the last one may be", async () => {
      const post = async (content: string) => (await hub.call(hub.admin, "chat_human_post", { content })).status;
      await hub.token("agent", "scout");
      await hub.token("agent", "mason");
      expect(await remove("scout")).toEqual({ code: "CONFLICT", error: SENTENCE });
      await hub.call(hub.admin, "agent_default", { name: "mason" });
      await remove("scout");
      await remove("mason");
      expect(await post("is anybody there?")).toBe(200);
      const quill = await hub.token("agent", "quill");
      const { messages } = (await hub.call(quill, "chat_read_since")).body;
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(["is anybody there?"]);
    });

    test("only an admin deletes, and in the space he is in alone", async () => {
      await hub.call(hub.admin, "space_create", { id: "sess_far" });
      await hub.token("agent", "farid", "sess_far");
      expect((await remove("farid")).code).toBe("AGENT_NOT_FOUND");
      for (const role of ["human", "orchestrator", "agent"] as const) {
        const token = await hub.token(role, `${role}-one`);
        expect((await hub.call(token, "agent_delete", { name: "farid" })).body.code).toBe("FORBIDDEN");
      }
    });
  });
});

describe("names", () => {
  onSharedHub((shared) => {
    test("nobody is called what means everybody or the hub, nor what looks like it", async () => {
      for (const name of ["User", "user", "U5er", "people", "everyone", "hub", "Parley", "parIey", "system", "Sys-tem"])
        for (const role of ["agent", "human"]) {
          const { body } = await shared.hub.call(shared.hub.admin, "token_create", { role, name });
          expect([name, body.code]).toEqual([name, "NAME_TAKEN"]);
        }
      const { body } = await shared.hub.call(shared.hub.admin, "agent_ensure", {
        client_session_id: "r",
        name: "User",
      });
      expect(body.code).toBe("NAME_TAKEN");
    });
  });
});

const lastId = statement<{ id: string }, { last_id: number }>("select last_id from spaces where id = :id");

const told = statement<{ stream: string }, { type: string }>(
  "select type from events where space_id = 'hub' and stream = :stream",
);

interface Listed {
  label: string | null;
  revoked_at: string | null;
}
