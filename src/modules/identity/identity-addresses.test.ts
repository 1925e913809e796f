import { beforeAll, expect, onTestFinished, test } from "vitest";
import { onSharedHub } from "../../testing/shared-hub.ts";

const SENTENCE = expect.stringMatching(/^\S.*\.$/s);
const START = Date.UTC(2026, 0, 1);

onSharedHub(
  (shared) => {
    let boss: string;
    let other: string;
    beforeAll(async () => {
      boss = await shared.hub.token("orchestrator", "boss");
      other = await shared.hub.token("orchestrator", "chief");
    });

    const create = (token: string, body: object, headers = {}) =>
      shared.hub.request("POST", "/sessions", { token, body: JSON.stringify(body), headers });
    const look = (token: string | undefined, id: string) => shared.hub.request("GET", `/sessions/${id}`, { token });
    const end = (token: string, id: string, headers = {}) =>
      shared.hub.request("DELETE", `/sessions/${id}`, { token, headers });

    test("an orchestrator creates a session, which lives for a day, and uses it at once", async () => {
      const { status, body } = await create(boss, {});
      expect([status, body]).toEqual([
        201,
        {
          space: expect.stringMatching(/^[0-9a-f-]{36}$/),
          session_id: body.space,
          created_at: new Date(START).toISOString(),
          expires_at: new Date(START + 24 * 3600 * 1000).toISOString(),
        },
      ]);
      const here = await shared.hub.call(boss, "whoami", {}, { "x-session-id": body.space });
      expect(here.body).toMatchObject({ principal: "boss", roles: ["orchestrator"], space: body.space });
      expect((await look(boss, body.space)).body).toEqual(body);
    });

    test("a session may be named, by either word, in either format", async () => {
      const ids = [{ id: "sess_one" }, { session_id: "sess_two" }, { id: "0190c5b4-6f9e-7cc1-8b53-aaaaaaaaaaaa" }];
      for (const given of ids) expect((await create(boss, given)).body.space).toBe(Object.values(given)[0]);
      expect((await create(boss, { id: `sess_${"x".repeat(64)}` })).status).toBe(201);
    });

    test("a session that is given two names is refused, unless they are the same", async () => {
      const { status, body } = await create(boss, { id: "sess_this", session_id: "sess_that" });
      expect([status, body]).toEqual([400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
      for (const id of ["sess_this", "sess_that"]) expect((await look(boss, id)).status).toBe(404);
      expect((await create(boss, { id: "sess_same", session_id: "sess_same" })).body.space).toBe("sess_same");
    });

    test("a session that exists, or did, is not created again", async () => {
      await create(boss, { id: "sess_twice" });
      for (const token of [boss, other, shared.hub.admin])
        for (const id of ["sess_twice", "main"]) {
          const { status, body } = await create(token, { id });
          expect([status, body]).toEqual([409, { code: "CONFLICT", error: SENTENCE }]);
        }
      expect((await look(other, "sess_twice")).status).toBe(404);
      await end(boss, "sess_twice");
      expect((await create(boss, { id: "sess_twice" })).status).toBe(409);
    });

    test("of two that create the same session at once one succeeds", async () => {
      const answers = await Promise.all([boss, other, boss, other].map((token) => create(token, { id: "sess_race" })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    });

    test("a retry with the same key finds the session of the first attempt", async () => {
      const key = { "idempotency-key": "create-1" };
      const first = await create(boss, {}, key);
      expect(await create(boss, {}, key)).toMatchObject({ status: 201, body: first.body });
      expect((await create(boss, { ttl_seconds: 60 }, key)).body.code).toBe("IDEMPOTENCY_CONFLICT");
    });

    test("ids, times to live and fields that do not fit are refused", async () => {
      const before = (await shared.hub.call(shared.hub.admin, "space_list")).body.spaces.length;
      const bad = [
        { id: "hub" },
        { id: "sess_" },
        { id: "sess_a b" },
        { id: "sess_ä" },
        { id: `sess_${"x".repeat(65)}` },
        { id: "0190c5b4-6f9e-7cc1-8b53" },
        { id: "../../main" },
        { id: "Main" },
        { id: "" },
        { id: 7 },
        { id: null },
        { ttl_seconds: 0 },
        { ttl_seconds: -1 },
        { ttl_seconds: 1.5 },
        { ttl_seconds: "60" },
        { ttl_seconds: 366 * 24 * 3600 + 1 },
        { ttl: 60 },
        { id: "sess_a", name: "x" },
      ];
      for (const body of bad) {
        const answer = await create(boss, body);
        expect([body, answer.status, answer.body]).toEqual([body, 400, { code: "INVALID_ARGUMENT", error: SENTENCE }]);
      }
      expect((await create(boss, { id: "sess_\0" })).body.code).toBe("INVALID_TEXT");
      expect((await shared.hub.call(shared.hub.admin, "space_list")).body.spaces).toHaveLength(before);
    });

    test("who is neither orchestrator nor admin creates and deletes no session", async () => {
      const ana = await shared.hub.token("human", "ana");
      expect((await create(ana, {})).status).toBe(403);
      expect((await end(ana, "main")).status).toBe(403);
      expect((await create("nobody", {})).status).toBe(401);
    });

    test("SPACE-5: somebody else's session and one that does not exist give the same answer to everything", async () => {
      await create(boss, { id: "sess_mine" });
      const answers = async (id: string): Promise<unknown> => {
        const told = [
          await look(other, id),
          await end(other, id),
          await shared.hub.call(other, "whoami", {}, { "x-session-id": id }),
          await shared.hub.call(other, "space_delete", { id }),
        ];
        return told.map(({ status, body }) => [status, body.code, body.error.replace(id, "ID")]);
      };
      expect(await answers("sess_mine")).toEqual(await answers("sess_none"));
      expect(await answers("sess_mine")).toEqual(
        Array.from({ length: 4 }, () => [404, "SESSION_NOT_FOUND", "There is no space ID."]),
      );
      expect((await look(boss, "sess_mine")).status).toBe(200);
    });

    test("SPACE-5: a refusal waits for nothing in somebody else's session: how busy it is, or that it is, takes no time", async () => {
      await create(boss, { id: "sess_busy" });
      const done = Promise.withResolvers<void>();
      onTestFinished(() => done.resolve());
      const begun = Promise.withResolvers<void>();
      const busy = shared.hub.hub.database.write("sess_busy", () => {
        begun.resolve();
        return done.promise;
      });
      await begun.promise;

      for (const id of ["sess_busy", "sess_none"])
        for (const answer of [await shared.hub.call(other, "space_delete", { id }), await end(other, id)])
          expect([answer.status, answer.body.code]).toEqual([404, "SESSION_NOT_FOUND"]);
      done.resolve();
      await busy;
    });

    test("looking at a session asks for a token first", async () => {
      const { status, body } = await look(undefined, "main");
      expect([status, body.code]).toEqual([401, "UNAUTHENTICATED"]);
      expect((await look(boss, "nonsense")).body.code).toBe("INVALID_SESSION_ID");
    });

    test("a deleted session is gone at once, for everybody, and to delete it again changes nothing", async () => {
      await create(boss, { id: "sess_over" });
      const mason = await shared.hub.token("agent", "mason", "sess_over");
      expect((await shared.hub.call(mason, "whoami")).body.space).toBe("sess_over");

      const { status, body } = await end(boss, "sess_over");

      expect([status, body.expires_at]).toEqual([200, new Date(START).toISOString()]);
      for (const answer of [
        await look(boss, "sess_over"),
        await shared.hub.call(mason, "whoami"),
        await shared.hub.call(shared.hub.admin, "whoami", {}, { "x-session-id": "sess_over" }),
        await shared.hub.call(shared.hub.admin, "token_create", { role: "agent", name: "ari", space: "sess_over" }),
      ])
        expect([answer.status, answer.body]).toEqual([410, { code: "SESSION_EXPIRED", error: SENTENCE }]);
      await shared.hub.tick(1000);
      expect((await end(boss, "sess_over")).body).toEqual(body);
      const { spaces } = (await shared.hub.call(boss, "space_list")).body;
      expect(spaces.map(({ space }: { space: string }) => space)).not.toContain("sess_over");
    });

    test("who may use several sessions ends one by its address alone", async () => {
      await create(shared.hub.admin, { id: "sess_home" });
      const lead = await shared.hub.token("orchestrator", "lead", "sess_home");
      for (const id of ["sess_first", "sess_second"])
        expect((await create(lead, { id }, { "x-session-id": "sess_home" })).status).toBe(201);
      const without = async (): Promise<string> => (await shared.hub.call(lead, "whoami")).body.code;
      // What it was granted before may be believed for a second.
      await expect.poll(without).toBe("MISSING_SESSION_ID");

      expect((await end(lead, "sess_first")).status).toBe(200);
      expect((await end(lead, "sess_first")).body.code).toBe("SESSION_EXPIRED");
      expect((await end(lead, "sess_first", { "x-session-id": "sess_home" })).status).toBe(200);
      expect((await end(lead, "sess_second")).status).toBe(200);
      expect((await end(lead, "nonsense")).body.code).toBe("INVALID_SESSION_ID");
    });

    test("the space main is permanent", async () => {
      for (const token of [boss, shared.hub.admin]) {
        const { status, body } = await end(token, "main");
        expect([status, body]).toEqual([409, { code: "CONFLICT", error: SENTENCE }]);
      }
      expect((await look(boss, "main")).body).toMatchObject({ space: "main", expires_at: null });
    });
  },
  { now: START },
);
