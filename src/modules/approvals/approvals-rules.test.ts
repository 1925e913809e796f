import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T08:00:00Z");

eachDatabase((open, database) => {
  let hub: TestHub;
  let [ana, scout]: string[] = [];
  let asked = 0;
  beforeEach(async () => {
    hub = await open({ now: START });
    [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const request = (tool: string, given: unknown = {}, more: object = {}, token = scout) => {
    const key = `k${++asked}`;
    return call(token, "approval_request", { key, call_id: key, server: "runtime", tool, arguments: given, ...more });
  };
  const set = async (rules: unknown[], more: object = {}) => {
    const { version } = await call(ana, "policy_get");
    return call(ana, "policy_set", { document: { rules, default: "ask" }, expected_version: version, ...more });
  };

  test("POLICY-20: always allow is a proposed rule of exact tool and predicates with scope and expiry, previewed against history", async () => {
    const push = { cmd: ["git", "push"] };
    const [first] = [await request("exec", push), await request("exec", push), await request("exec", { cmd: ["ls"] })];
    const wanted = { approval_id: first.id, scope: "agent", expires: "7d" };
    const { rule, words } = await call(ana, "policy_draft", wanted);
    expect(words).toBe(
      'scout may use exec of runtime without asking, where all that it is given is exactly {"cmd":["git","push"]}, until 2027-03-08 08:00 UTC.',
    );
    expect(await call(ana, "policy_preview", { rule })).toMatchObject({
      words: "It would have allowed 2 more of 3 calls so far.",
      changed: { allow: 2, deny_continue: 0 },
      calls: [{ decision: "ask", would: "allow" }, { id: first.id }],
    });
    // It counts only once it is accepted, which the same person may do.
    const { id, digest } = await call(ana, "policy_propose", { rule, reason: "Always the same." });
    expect(await request("exec", push)).toMatchObject({ state: "pending" });
    await call(ana, "policy_decide", { id, digest, decision: "accept" });
    expect(await request("exec", push)).toMatchObject({ state: "approved" });
    expect(await request("exec", { cmd: ["git", "push", "--force"] })).toMatchObject({ state: "pending" });
    await hub.tick(8 * 24 * 3600_000);
    expect(await request("exec", push)).toMatchObject({ state: "pending" });
  });

  test("denials never become rules by themselves, and what is denied stays so whatever rule is accepted", async () => {
    const made = await request("t");
    await call(ana, "approval_decide", { id: made.id, digest: made.digest, decision: "deny_abort" });
    expect(await call(ana, "policy_get")).toMatchObject({ version: 0 });
    await set([{ tool: "t", when: { force: true }, decision: "deny_continue" }]);
    const { id, digest } = await call(ana, "policy_propose", { rule: { tool: "t", decision: "allow" }, reason: "x" });
    await call(ana, "policy_decide", { id, digest, decision: "accept" });
    expect(await request("t", { force: true })).toMatchObject({ outcome: "policy_deny_continue" });
    expect(await request("t", { force: false })).toMatchObject({ outcome: "policy_allow" });
  });

  const accept = async (rule: object) => {
    const { id, digest } = await call(ana, "policy_propose", { rule, reason: "x" });
    return call(ana, "policy_decide", { id, digest, decision: "accept" });
  };

  test("an accepted rule takes no question away that asks about more than the rule names, and its preview says so", async () => {
    const forced = { tool: "t", when: { force: true }, decision: "ask", risk: "high" };
    await set([forced, { tool: "t", agent: "scout", decision: "ask" }, { tool: "*", hint: "writes", decision: "ask" }]);
    const [force, plain] = [await request("t", { force: true }), await request("t", { force: false })];
    const { rule } = await call(ana, "policy_draft", { approval_id: plain.id, arguments: "any" });
    expect(await call(ana, "policy_preview", { rule })).toMatchObject({
      changed: { allow: 1 },
      calls: [{ id: plain.id, would: "allow" }],
    });
    await accept(rule);
    expect(await request("t", { force: true })).toMatchObject({ state: "pending" });
    expect(await request("t", { force: false })).toMatchObject({ outcome: "policy_allow" });
    // What names exactly this names more than what asks about it.
    await accept((await call(ana, "policy_draft", { approval_id: force.id })).rule);
    expect(await request("t", { force: true })).toMatchObject({ outcome: "policy_allow" });
    expect(await request("t", { force: true, all: true })).toMatchObject({ state: "pending" });
    const rules = (await call(ana, "policy_get")).document.rules.map((one: { decision: string }) => one.decision);
    expect(rules).toEqual(["allow", "ask", "allow", "ask", "ask"]);
  });

  test("always allow is for the program that was mounted, and not for another one under the same name", async () => {
    const mason = await hub.token("agent", "mason");
    const [mine, other] = ["1f2e3d4c5b6a", "aabbccddeeff"];
    const asked = await request("files_write", {}, { server: "files", mount: mine });
    const { rule, words } = await call(ana, "policy_draft", {
      approval_id: asked.id,
      scope: "space",
      arguments: "any",
    });
    expect(words).toBe("Every agent may use files_write of files without asking, where files is the program 1f2e3d4c.");
    await accept(rule);
    const same = await request("files_write", {}, { server: "files", mount: mine }, mason);
    expect(same).toMatchObject({ outcome: "policy_allow" });
    const { id } = await request("files_write", {}, { server: "files", mount: other }, mason);
    const reason = "A rule allows it for another program, which was mounted as files: not for this one.";
    expect(await call(ana, "approval_get", { id })).toMatchObject({ state: "pending", reason });
    const need = (await call(ana, "need_list")).needs.find((one: { id: string }) => one.id === id);
    expect(need.text).toContain(`The policy says: ${reason}`);
    const unmounted = await request("t", {});
    expect((await call(ana, "policy_draft", { approval_id: unmounted.id })).rule).not.toHaveProperty("mount");
  });

  test("of a call whose tool is called * no rule is made: it would be one for every tool", async () => {
    const asked = await request("*", {}, { server: "files" });
    expect(asked).toMatchObject({ state: "pending" });
    for (const which of ["exact", "any"])
      expect(await call(ana, "policy_draft", { approval_id: asked.id, arguments: which })).toMatchObject({
        code: "INVALID_ARGUMENT",
        error: expect.stringContaining("every tool"),
      });
  });

  test("a preview equals a replay: what it says of each call is what is decided when that call is made again", async () => {
    const tools = fc.constantFrom("t", "u", "constructor");
    const values = fc.constantFrom<unknown>("a", "ab", 1, null, ["x"], { deep: "a" });
    const given = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), values, { maxKeys: 2, noNullPrototype: true });
    const hints = fc.subarray(["read_only", "destructive", "open_world"]);
    const calls = fc.array(fc.record({ tool: tools, given, hints }), { minLength: 1, maxLength: 6 });
    const predicate = fc.constantFrom<unknown>("a", 1, null, { in: ["a", 1] }, { prefix: "a" }, { glob: "*b" });
    const when = fc.oneof(
      fc.dictionary(fc.constantFrom("a", "b", "a.deep"), predicate, { maxKeys: 2, noNullPrototype: true }),
      given.map((is) => ({ "": { is } })),
    );
    const decision = fc.constantFrom("allow", "ask", "deny_continue", "deny_abort");
    const anyTool = fc.oneof(tools, fc.constant("*"));
    const hint = fc.constantFrom("writes", "destructive", "open_world");
    const rule = fc
      .record({ tool: anyTool, when, hint, decision }, { requiredKeys: ["tool", "decision"] })
      .map(({ hint, ...one }) => (one.decision === "allow" || hint === undefined ? one : { ...one, hint }));
    const replays = async (
      past: { tool: string; given: unknown; hints: string[] }[],
      rules: unknown[],
      draft: unknown,
    ) => {
      // A new one each time: what waits for people is bounded.
      const mason = await hub.token("agent", `mason-${++asked}`);
      const make = async () => {
        const made: { id: string; outcome: string | null }[] = [];
        for (const { tool, given, hints } of past)
          made.push(await request(tool, JSON.stringify(given), { hints }, mason));
        return made;
      };
      await set(rules);
      const before = await make();
      const previewed = await call(ana, "policy_preview", { rule: draft, limit: 100 });
      const { id, digest } = await call(ana, "policy_propose", { rule: draft, reason: "x" });
      await call(ana, "policy_decide", { id, digest, decision: "accept" });
      const told = before.map((one) => {
        const changed = previewed.calls.find((call: { id: string }) => call.id === one.id);
        return changed ? outcome(changed.would) : one.outcome;
      });
      expect((await make()).map((one) => one.outcome)).toEqual(told);
    };
    await fc.assert(fc.asyncProperty(calls, fc.array(rule, { maxLength: 4 }), rule, replays), {
      numRuns: database === "sqlite" ? 12 : 3,
    });
  });
});

const outcome = (ruling: string): string | null => (ruling === "ask" ? null : `policy_${ruling}`);
