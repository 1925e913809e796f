import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ROLES, type Role } from "../../context.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { onSharedHub } from "../../testing/shared-hub.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);

describe("who may do what", () => {
  onSharedHub((shared) => {
    const tokens = {} as Record<Role, string>;
    beforeAll(async () => {
      for (const role of ROLES) tokens[role] = await shared.hub.token(role, `${role}-one`);
    });

    test("IDENTITY-2: a role may call exactly its tools, and the core of them is what it is shown", async () => {
      for (const role of ROLES) {
        const actor = await shared.hub.actor(tokens[role]);
        const listed = shared.hub.hub.tools.list(actor).map(({ name }) => name);
        for (const { name, roles, core, unlisted } of shared.hub.hub.tools.all) {
          const { status } = await shared.hub.call(tokens[role], name, { id: 7 }, { "x-session-id": "main" });
          const may = roles.some((one) => actor.roles.includes(one));
          expect([role, name, status !== 403]).toEqual([role, name, may]);
          const isCore = core === true || (core !== false && core?.some((one) => actor.roles.includes(one)) === true);
          expect([role, name, listed.includes(name)]).toEqual([role, name, may && isCore && !unlisted]);
        }
      }
    });

    test("IDENTITY-2: people post as people, agents as agents, and nobody as the other", async () => {
      const may = async (tool: string): Promise<Role[]> => {
        const answers = ROLES.map(async (role) => {
          const { status } = await shared.hub.call(tokens[role], tool, { content: "x" });
          return status === 200 ? [role] : [];
        });
        return (await Promise.all(answers)).flat();
      };
      expect(await may("chat_human_post")).toEqual(["admin", "human"]);
      expect(await may("chat_assistant_post")).toEqual(["agent", "orchestrator", "worker"]);
    });

    test("everybody can ask who they are", async () => {
      const agents = ["agent", "orchestrator", "worker"];
      for (const role of ROLES) {
        const { body } = await shared.hub.call(tokens[role], "whoami");
        expect(body).toEqual({
          // No name of a person or an agent has a colon.
          principal: role === "trigger" ? "trigger:trigger-one" : `${role}-one`,
          kind: agents.includes(role) ? "agent" : role === "trigger" ? "service" : "human",
          roles: role === "admin" ? ["admin", "human"] : [role],
          space: "main",
          agent: agents.includes(role) ? `${role}-one` : null,
        });
      }
    });

    test("a role, an author or a principal that a caller gives itself is an unknown field", async () => {
      for (const field of ["author", "role", "roles", "principal", "principal_id", "author_principal", "as", "from"]) {
        const args = { content: "x", [field]: "admin" };
        const { status, body } = await shared.hub.call(tokens.human, "chat_human_post", args);
        expect([field, status, body]).toEqual([field, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
      }
      for (const header of ["x-role", "x-principal", "x-user", "x-forwarded-user"]) {
        const { body } = await shared.hub.call(tokens.observer, "whoami", {}, { [header]: "admin" });
        expect(body).toMatchObject({ principal: "observer-one", roles: ["observer"] });
      }
    });

    test("SPACE-3: no tool takes the space as an argument, except those that are about spaces", () => {
      const about = ["create_session", "token_create"];
      for (const { name, input } of shared.hub.hub.tools.all.filter(({ name }) => !about.includes(name)))
        for (const field of ["session_id", "space", "space_id"])
          expect([name, field in input.shape]).toEqual([name, false]);
    });
  });
});

describe("agents and their inboxes", () => {
  eachDatabase((open) => {
    let hub: TestHub;
    let ana: string;
    let scout: string;
    let mason: string;
    beforeEach(async () => {
      hub = await open();
      ana = await hub.token("human", "ana");
      scout = await hub.token("agent", "scout");
      mason = await hub.token("agent", "mason");
    });

    const post = async (content: string, agent?: string): Promise<string> =>
      (await hub.call(ana, "chat_human_post", { content, ...(agent && { agent }) })).body.id;
    const fresh = async (token: string, args: object = {}): Promise<string[]> =>
      (await hub.call(token, "chat_read_and_advance", args)).body.messages.map(({ content }: ChatMessage) => content);

    test("IDENTITY-3: to an agent every other agent is one that does not exist", async () => {
      await post("secret", "mason");
      const actor = await hub.actor(scout);
      const reach = async (name: string): Promise<unknown> => {
        const told = [
          await hub.call(scout, "chat_read_since", { agent: name }),
          await hub.call(scout, "chat_read_and_advance", { agent: name }),
          await hub.call(scout, "chat_assistant_post", { content: "x", agent: name }),
        ].map(({ status, body }) => ({ status, ...body }));
        for (const uri of [`ui://chat/${name}/inbox`, `ui://agent/${name}/status`])
          for (const verb of ["read", "watch"] as const)
            told.push(
              await hub.hub.resources[verb](actor, uri).catch((error) => ({ code: error.code, error: error.message })),
            );
        return JSON.parse(JSON.stringify(told).replaceAll(name, "NAME"));
      };
      expect(await reach("mason")).toEqual(await reach("nobody"));
      expect(JSON.stringify(await reach("mason"))).not.toContain("secret");
      const told = { code: "AGENT_NOT_FOUND", error: SENTENCE };
      const refused = { status: 404, ...told };
      expect(await reach("mason")).toEqual([refused, refused, refused, told, told, told, told]);

      const posing = { "x-caller-agent": "mason" };
      expect((await hub.call(scout, "chat_read_since", {}, posing)).body.messages).toEqual([]);
      expect((await hub.call(scout, "whoami", {}, posing)).body.agent).toBe("scout");
    });

    test("IDENTITY-4: only admin reads and moves another subscriber's mark", async () => {
      await post("one");
      for (const token of [ana, scout]) {
        const { status, body } = await hub.call(token, "chat_read_and_advance", { subscriber: "somebody" });
        expect([status, body]).toEqual([403, { code: "FORBIDDEN", error: SENTENCE }]);
      }
      expect((await hub.call(ana, "chat_read_since", { subscriber: "somebody" })).body.code).toBe("INVALID_ARGUMENT");
      const { tokens } = (await hub.call(hub.admin, "token_list")).body;
      const { subscriber } = tokens.find(({ principal }: { principal: string }) => principal === "ana");
      expect(await fresh(hub.admin, { subscriber })).toEqual(["one"]);
      expect(await fresh(ana)).toEqual([]);
      expect(await fresh(hub.admin)).toEqual(["one"]);
      const unknown = await hub.call(hub.admin, "chat_read_and_advance", { subscriber: "somebody" });
      expect([unknown.status, unknown.body]).toEqual([404, { code: "NOT_FOUND", error: SENTENCE }]);
    });

    test("IDENTITY-5: two people, and two tokens of one person, have marks of their own; a shared token shares its mark", async () => {
      const ben = await hub.token("human", "ben");
      const phone = await hub.token("human", "ana");
      await post("one");

      expect(await fresh(ana)).toEqual(["one"]);
      expect(await fresh(ana)).toEqual([]);
      for (const token of [ben, phone, scout]) expect(await fresh(token)).toEqual(["one"]);
      await post("two");
      expect(await fresh(ben, { limit: 1 })).toEqual(["two"]);
      expect(await fresh(ana)).toEqual(["two"]);
    });

    test("IDENTITY-5: marks are a person's in each inbox and each space", async () => {
      await hub.call(hub.admin, "space_create", { id: "sess_two" });
      await hub.token("human", "ana", "sess_two");
      const there = { "x-session-id": "sess_two" };
      await post("to scout");
      await post("to mason", "mason");
      await hub.call(ana, "chat_human_post", { content: "there" }, there);

      expect(await fresh(ana)).toEqual(["to scout"]);
      expect(await fresh(ana, { agent: "mason" })).toEqual(["to mason"]);
      const other = await hub.call(ana, "chat_read_and_advance", {}, there);
      expect(other.body.messages.map(({ content }: ChatMessage) => content)).toEqual(["there"]);
    });

    test("IDENTITY-5: many readers of one mark at once are each given other messages", async () => {
      for (let n = 0; n < 12; n++) await post(`m${n}`);
      const pages = await Promise.all(Array.from({ length: 6 }, () => fresh(ana, { limit: 2 })));
      expect(pages.flat().sort()).toEqual(Array.from({ length: 12 }, (_, n) => `m${n}`).sort());
    });

    test("the first agent of a space is the one people speak to, until another is made the default", async () => {
      const agents = async (): Promise<[string, boolean][]> =>
        (await hub.call(ana, "agent_list")).body.agents.map((agent: Listed) => [agent.name, agent.default]);
      expect(await agents()).toEqual([
        ["scout", true],
        ["mason", false],
      ]);
      await post("to the default");
      expect((await hub.call(ana, "agent_default", { name: "mason" })).body).toMatchObject({
        name: "mason",
        default: true,
      });
      await post("to the new one");

      expect(await agents()).toEqual([
        ["scout", false],
        ["mason", true],
      ]);
      expect(await fresh(scout)).toEqual(["to the default"]);
      expect(await fresh(mason)).toEqual(["to the new one"]);
      const unknown = await hub.call(ana, "agent_default", { name: "nobody" });
      expect([unknown.status, unknown.body.code]).toEqual([404, "AGENT_NOT_FOUND"]);
      expect((await hub.call(ana, "agent_default", { name: "ana" })).body.code).toBe("AGENT_NOT_FOUND");
    });

    test("agents are listed in the order in which they came, those of one millisecond, too", async () => {
      const still = await open({ now: Date.parse("2026-11-01T12:00:00Z") });
      for (const name of ["scout", "mason", "ari"]) await still.call(still.admin, "agent_register", { name });
      const { agents } = (await still.call(still.admin, "agent_list")).body;
      expect(agents.map(({ name }: Listed) => name)).toEqual(["scout", "mason", "ari"]);
    });

    test("registering an agent gives it an inbox, twice changes nothing, and its token finds what was said before", async () => {
      const first = await hub.call(hub.admin, "agent_register", { name: "ari", type: "bridge" });
      expect(first.body).toMatchObject({ name: "ari", type: "bridge", lifecycle: "ready", run_phase: "idle" });
      await post("welcome", "ari");
      expect((await hub.call(hub.admin, "agent_register", { name: "ari" })).body).toEqual(first.body);
      expect(await fresh(await hub.token("agent", "ari"))).toEqual(["welcome"]);
    });

    test("an agent's report is seen by everybody, and only what it may report is taken", async () => {
      const { body } = await hub.call(scout, "agent_report", { run_phase: "tools_running" });
      expect(body).toMatchObject({ name: "scout", lifecycle: "ready", run_phase: "tools_running" });
      await hub.call(scout, "agent_report", { lifecycle: "stopped" });
      const { agents } = (await hub.call(ana, "agent_list")).body;
      expect(agents[0]).toMatchObject({ name: "scout", lifecycle: "stopped", run_phase: "tools_running" });
      for (const args of [{ run_phase: "asleep" }, { lifecycle: 1 }, { name: "mason" }, { run_phase: null }])
        expect((await hub.call(scout, "agent_report", args)).body.code).toBe("INVALID_ARGUMENT");
      expect(agents[1]).toMatchObject({ name: "mason", run_phase: "idle" });
    });

    test("an orchestrator acts for the agents of its space, of which its first call makes one, and for nobody else's", async () => {
      const boss = await hub.token("orchestrator", "boss");
      await post("for mason", "mason");
      const as = (name: string) => hub.call(boss, "chat_read_since", {}, { "x-caller-agent": name });
      expect((await as("mason")).body.messages).toHaveLength(1);
      expect((await as("newcomer")).body.messages).toEqual([]);
      expect((await hub.call(boss, "agent_list")).body.agents.map(({ name }: { name: string }) => name)).toContain(
        "newcomer",
      );
      expect((await as("ana")).body.code).toBe("AGENT_NOT_FOUND");
      await hub.call(hub.admin, "space_create", { id: "sess_far" });
      await hub.token("agent", "farid", "sess_far");
      expect((await as("farid")).body).toMatchObject({
        code: "AGENT_NOT_FOUND",
        error: "There is no agent farid here, and the name is somebody else's. Name another in X-Caller-Agent.",
      });
    });

    test("whoever makes spaces is an agent in each from its first call on, and takes its own agents from one to the next", async () => {
      const boss = await hub.token("orchestrator", "boss");
      const other = await hub.token("orchestrator", "other");
      for (const id of ["sess_one", "sess_two"]) {
        await hub.call(boss, "create_session", { session_id: id });
        const named = { "x-session-id": id };
        expect((await hub.call(boss, "add_note", { content: "mine" }, named)).body.author).toBe("boss");
        const analyst = { ...named, "x-caller-agent": "analyst" };
        expect((await hub.call(boss, "add_note", { content: "theirs" }, analyst)).body.author).toBe("analyst");
      }
      await hub.call(other, "create_session", { session_id: "sess_other" });
      const drawn = { "x-session-id": "sess_other", "x-caller-agent": "analyst" };
      expect((await hub.call(other, "add_note", { content: "drawn in" }, drawn)).body.code).toBe("AGENT_NOT_FOUND");
    });

    test("an orchestrator acts in its own spaces for the agents of the space it is from, whose tokens are not let in", async () => {
      const boss = await hub.token("orchestrator", "boss");
      const mason = await hub.token("agent", "mason");
      await hub.call(boss, "create_session", { session_id: "sess_own" });
      const as = { "x-session-id": "sess_own", "x-caller-agent": "mason" };
      expect((await hub.call(boss, "add_note", { content: "theirs" }, as)).body.author).toBe("mason");
      const { question_id } = (await hub.call(boss, "add_question", { question: "Which?" }, as)).body;
      const answers = { [question_id]: "this one" };
      await hub.call(boss, "submit_answers", { answers }, { "x-session-id": "sess_own" });
      await expect
        .poll(async () => (await hub.call(boss, "mail_inbox", {}, as)).body.messages)
        .toMatchObject([{ subject: "Answer: Which?" }]);
      // It is where it was, and needs to name no space.
      expect((await hub.call(mason, "add_note", { content: "at home" })).body.author).toBe("mason");
      expect((await hub.call(mason, "read_notes", {}, { "x-session-id": "sess_own" })).body.code).toBe(
        "SESSION_NOT_FOUND",
      );
    });

    test("an orchestrator registers new agents, but draws none of another team into its space", async () => {
      const boss = await hub.token("orchestrator", "boss");
      await hub.call(hub.admin, "space_create", { id: "sess_far" });
      const farid = await hub.token("agent", "farid", "sess_far");
      expect((await hub.call(boss, "agent_register", { name: "newcomer" })).status).toBe(200);
      expect((await hub.call(boss, "agent_register", { name: "mason" })).status).toBe(200);

      const { status, body } = await hub.call(boss, "agent_register", { name: "farid" });

      expect([status, body]).toEqual([409, { code: "NAME_TAKEN", error: SENTENCE }]);
      expect((await hub.call(farid, "whoami")).body.space).toBe("sess_far");
      expect((await hub.call(farid, "whoami", {}, { "x-session-id": "main" })).status).toBe(404);
    });
  });
});

describe("names", () => {
  onSharedHub((shared) => {
    const create = (name: unknown, role = "agent") => shared.hub.call(shared.hub.admin, "token_create", { role, name });

    test("AGENT-3: a name that looks like one there is, or differs only in case or dashes, is refused", async () => {
      const pairs: [string, string[]][] = [
        ["scout", ["Scout", "SCOUT", "sc0ut", "s-cout", "5cout", "s_c.o-u.t"]],
        ["Iris", ["iris", "lris", "1ris", "IRIS"]],
        ["modern", ["modem", "rnodern"]],
        ["william", ["vvilliam", "wiIIiam"]],
        ["agent-1", ["agent1", "agent-l", "agent.I"]],
      ];
      for (const [name, alikes] of pairs) {
        expect((await create(name)).status).toBe(200);
        for (const alike of alikes) {
          const { status, body } = await create(alike);
          expect([alike, status, body]).toEqual([alike, 409, { code: "NAME_TAKEN", error: SENTENCE }]);
          expect(body.error).toContain(name);
        }
      }
    });

    test("that a name is taken tells another team nothing about who has it", async () => {
      await create("bertha", "human");
      await shared.hub.call(shared.hub.admin, "space_create", { id: "sess_names" });
      const boss = await shared.hub.token("orchestrator", "foreman", "sess_names");
      for (const name of ["bertha", "Bertha", "ber-tha"]) {
        const { body } = await shared.hub.call(boss, "agent_register", { name });
        expect(body).toEqual({ code: "NAME_TAKEN", error: `${name} cannot be used. Choose another name.` });
      }
    });

    test("AGENT-3: a name stays with whom it was given to: a person's is no agent's and the other way round", async () => {
      await create("ana", "human");
      await create("mason", "agent");
      for (const [name, role] of [
        ["ana", "agent"],
        ["mason", "human"],
        ["admin", "agent"],
      ] as const) {
        const { status, body } = await create(name, role);
        expect([name, role, status, body.code]).toEqual([name, role, 409, "NAME_TAKEN"]);
      }
      const { body } = await shared.hub.call(shared.hub.admin, "agent_register", { name: "ana" });
      expect(body.code).toBe("NAME_TAKEN");
      const { agents } = (await shared.hub.call(shared.hub.admin, "agent_list")).body;
      expect(agents.map(({ name }: Listed) => name)).not.toContain("ana");
    });

    test("of two that take a name at the same moment in two spaces both are the same principal, or one is told", async () => {
      await shared.hub.call(shared.hub.admin, "space_create", { id: "sess_names" });
      const spaces = ["main", "sess_names", "main", "sess_names"];
      const answers = await Promise.all(
        spaces.map((space) => shared.hub.call(shared.hub.admin, "token_create", { role: "human", name: "zoe", space })),
      );
      const made = answers.filter(({ status }) => status === 200);
      expect(made.length).toBeGreaterThan(0);
      const ids = await Promise.all(
        made.map(async ({ body }) => (await shared.hub.actor(body.token, body.space)).principal_id),
      );
      expect(new Set(ids).size).toBe(1);
      for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe("NAME_TAKEN");
    });

    test("a name has 1 to 40 plain letters, digits, dots, dashes and underscores, and nothing else", async () => {
      const bad = [
        "",
        " ",
        "a b",
        "x".repeat(41),
        "-ana",
        "ana-",
        ".ana",
        "ana.",
        "../ana",
        "a/b",
        "ána",
        "anа",
        "ana\u200b",
        "\u202eana",
        "ana\n",
        "ana@example.com",
        "<b>ana</b>",
        7,
        null,
        ["ana"],
        { name: "ana" },
      ];
      for (const name of bad) {
        const { status, body } = await create(name, "human");
        expect([name, status, body]).toEqual([name, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
      }
      for (const name of ["an\0a", "ana\ud83d"]) expect((await create(name)).body.code).toBe("INVALID_TEXT");
      for (const name of ["q", "x".repeat(40), "A.b_C-9"]) expect((await create(name, "human")).status).toBe(200);
    });
  });
});

interface ChatMessage {
  content: string;
}

interface Listed {
  name: string;
  default: boolean;
}
