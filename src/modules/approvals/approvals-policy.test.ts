import { beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../context.ts";
import { statement } from "../../db/statement.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import type { Tool } from "../../tool.ts";

const damaged = statement<{ space_id: string; document: string }>(
  "update policies set document = :document where space_id = :space_id and version = 1",
);
const START = Date.parse("2027-03-01T08:00:00Z");

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
  const request = (tool: string, given: unknown = {}, more: object = {}, token = scout) => {
    const key = `k${++asked}`;
    return call(token, "approval_request", { key, call_id: key, server: "runtime", tool, arguments: given, ...more });
  };
  const set = async (rules: unknown[], more: object = {}) => {
    const { version } = await call(ana, "policy_get");
    return call(ana, "policy_set", { document: { rules, default: "ask" }, expected_version: version, ...more });
  };

  test("POLICY-10: evaluator timeout, crash, bad output -> `-32953`, not executed", async () => {
    const glob = `*${"a".repeat(1000)}b`;
    await set([{ tool: "t", when: { text: { glob } }, decision: "allow" }]);
    const failed = await request("t", { text: "a".repeat(50_000) });
    expect(failed).toMatchObject({ state: "denied", outcome: "policy_failed", code: -32953 });
    expect(await call(scout, "approval_claim", { id: failed.id, holder: "one" })).toMatchObject({
      code: "APPROVAL_STATE",
    });
    const asked = await request("t", { text: "ab" });
    expect(asked).toMatchObject({ state: "pending" });
    const edited = { id: asked.id, digest: asked.digest, decision: "approve" };
    const far = { ...edited, edited_arguments: { text: "a".repeat(50_000) } };
    expect(await call(ana, "approval_decide", far)).toMatchObject({ code: "FORBIDDEN" });
    expect(await call(ana, "approval_decide", edited)).toMatchObject({ state: "approved" });
  });

  test.each([
    ["crash: what is stored is no JSON", '{"rules": ['],
    ["crash: what is stored is no policy", '{"rules": 5, "default": "allow"}'],
    [
      "bad output: a rule decides what there is not",
      '{"rules": [{"tool": "t", "decision": "maybe"}], "default": "allow"}',
    ],
    ["bad output: the default is none", '{"rules": [], "default": "yes"}'],
  ])("POLICY-10: evaluator %s -> `-32953`, not executed, until a person sets it anew", async (_, document) => {
    await set([{ tool: "t", decision: "allow" }]);
    await hub.hub.database.write("main", (tx) => tx.run(damaged, { space_id: "main", document }));
    await hub.stop();
    hub = await open({ same: hub });
    for (const server of ["files", "parley"]) {
      const failed = await request("t", {}, { server, holder: "one" });
      expect(failed).toMatchObject({ state: "denied", outcome: "policy_failed", code: -32953, holder: null });
      expect(await call(scout, "approval_claim", { id: failed.id, holder: "one" })).toMatchObject({
        code: "APPROVAL_STATE",
      });
    }
    const proposed = { rule: { tool: "t", decision: "allow" }, reason: "x" };
    expect(await call(scout, "policy_propose", proposed)).toMatchObject({ code: "CONFLICT" });
    const mended = { document: { rules: [{ tool: "t", decision: "allow" }] }, expected_version: 1 };
    expect(await call(ana, "policy_set", mended)).toMatchObject({ version: 2 });
    expect(await request("t")).toMatchObject({ state: "approved" });
  });

  test("POLICY-12: a change takes effect for the next call, persists, bumps the version; an invalid one is refused and the old stays", async () => {
    expect(await call(ana, "policy_get")).toMatchObject({ version: 0, document: { rules: [], default: "ask" } });
    const rules = [{ tool: "t", decision: "allow" }];
    expect(await request("t")).toMatchObject({ state: "pending" });
    expect(await set(rules, { note: "It is harmless." })).toMatchObject({ version: 1, set_by: "ana" });
    expect(await request("t")).toMatchObject({ state: "approved" });
    const refused: [unknown[], string][] = [
      [[{ tool: "t", decision: "maybe" }], "Rule 1: decision is one of allow, ask, deny_continue, deny_abort"],
      [[...rules, { decision: "ask" }], "Rule 2: tool is a text"],
      [[{ tool: "t", decision: "ask", tools: 1 }], 'Rule 1: there is no "tools" here'],
      [[{ tool: "t", when: { a: { like: "x" } }, decision: "ask" }], "Rule 1, a: it is a value"],
      [[{ tool: "t", decision: "ask", expires_at: "soon" }], "Rule 1: expires_at is a time"],
      [["t"], "Rule 1: it is an object"],
    ];
    for (const [wrong, sentence] of refused)
      expect(await set(wrong)).toMatchObject({ code: "INVALID_ARGUMENT", error: expect.stringContaining(sentence) });
    const rule = '{"tool": "t", "decision": "deny_abort"';
    const lost: [unknown, string][] = [
      [`{"rules": [${rule}, "decision": "allow"}]}`, 'The policy: the key "decision" is there twice'],
      [`{"rules": [${rule}, "when": {"n": 9007199254740993}}]}`, "The policy: the number 9007199254740993 would be"],
      [JSON.parse(`{"rules": [${rule}, "when": {"n": 9007199254740993}}]}`), "would be rounded"],
      ["{rules: []}", "The policy: it is not JSON"],
      ['["rules"]', "The policy: it is an object"],
      // By its zone it is in a year of five digits, which no time here has.
      [`{"rules": [${rule}, "expires_at": "9999-12-31T23:59:00-10:00"}]}`, "Rule 1: expires_at is a time"],
      [`{"rules": [${rule}, "expires_at": "2027-02-30T09:00:00Z"}]}`, "Rule 1: expires_at is a time"],
    ];
    for (const [document, sentence] of lost) {
      const refused = { code: "INVALID_ARGUMENT", error: expect.stringContaining(sentence) };
      expect(await call(ana, "policy_set", { document, expected_version: 1 })).toMatchObject(refused);
      expect(await call(ana, "policy_preview", { document })).toMatchObject(refused);
    }
    const twice = {
      code: "INVALID_ARGUMENT",
      error: expect.stringContaining('The rule: the key "tool" is there twice'),
    };
    for (const asked of [{ reason: "x" }, {}])
      expect(
        await call(ana, "reason" in asked ? "policy_propose" : "policy_preview", {
          ...asked,
          rule: `${rule}, "tool": "u"}`,
        }),
      ).toMatchObject(twice);
    // As an object it is part of the body, of which no tool is given a key twice.
    const sent = `{"document": {"rules": [${rule}, "decision": "allow"}]}, "expected_version": 1}`;
    for (const tool of ["policy_set", "policy_preview"]) {
      const headers = { authorization: `Bearer ${ana}`, "content-type": "application/json" };
      const { status, body } = await hub.request("POST", `/api/tools/${tool}`, { body: sent, headers });
      expect([status, body]).toEqual([
        400,
        { code: "INVALID_JSON", error: 'The body names "decision" twice in one object.' },
      ]);
    }
    expect(await call(ana, "policy_preview", { document: `{"rules": [${rule}}]}` })).toMatchObject({
      changed: { deny_abort: 2 },
    });
    const stale = { document: { rules: [] }, expected_version: 0 };
    expect(await call(ben, "policy_set", stale)).toMatchObject({ code: "VERSION_CONFLICT", current_version: 1 });
    await hub.stop();
    hub = await open({ same: hub });
    expect(await call(ana, "policy_get")).toMatchObject({ version: 1, document: { rules } });
    expect(await request("t")).toMatchObject({ state: "approved" });
    for (const expires_at of ["2027-03-01T10:00+02:00", "2027-03-01T08:00:00.000Z"])
      expect((await set([{ ...rules[0], expires_at }])).document.rules).toMatchObject([
        { expires_at: "2027-03-01T08:00:00.000Z" },
      ]);
    await set([]);
    expect(await request("t")).toMatchObject({ state: "pending" });
    const { versions } = await call(ana, "policy_history");
    expect(versions.slice(2)).toMatchObject([
      { version: 2 },
      { version: 1, set_by: "ana", note: "It is harmless.", rules: 1 },
    ]);
    expect(await call(ana, "policy_get", { version: 1 })).toMatchObject({ document: { rules } });
  });

  test("POLICY-13: an agent may propose, not approve; a person may; pending -> approved | rejected only", async () => {
    const rule = { tool: "t", decision: "allow", agent: "scout" };
    const made = await call(scout, "policy_propose", { rule, reason: "I need it a lot." });
    expect(made).toMatchObject({ state: "pending", proposed_by: "scout", rule });
    expect(made.words).toBe("scout may use t without asking.");
    const accept = { id: made.id, digest: made.digest, decision: "accept" };
    expect(await call(scout, "policy_decide", accept)).toMatchObject({ code: "FORBIDDEN" });
    expect(await call(scout, "policy_set", { document: {}, expected_version: 0 })).toMatchObject({ code: "FORBIDDEN" });
    expect((await call(ana, "need_list")).needs).toMatchObject([
      { id: made.id, kind: "policy", tool: "policy_decide", digest: made.digest, from: "scout" },
    ]);
    expect(await call(ana, "policy_decide", { ...accept, digest: "0" })).toMatchObject({ code: "NOTICE_CHANGED" });
    expect(await request("t")).toMatchObject({ state: "pending" });
    expect(await call(ana, "policy_decide", accept)).toMatchObject({
      state: "approved",
      decided_by: "ana",
      version: 1,
    });
    expect(await request("t")).toMatchObject({ state: "approved" });
    const late = { ...accept, decision: "reject" };
    expect(await call(ben, "policy_decide", late)).toMatchObject({ code: "ALREADY_DECIDED", state: "approved" });
    const second = await call(scout, "policy_propose", { rule: { tool: "*", decision: "allow" }, reason: "All." });
    await call(ana, "policy_decide", { id: second.id, digest: second.digest, decision: "reject" });
    expect(await call(ana, "policy_proposals")).toMatchObject({ proposals: [{ state: "rejected" }, { version: 1 }] });
    expect(await call(ana, "policy_get")).toMatchObject({ version: 1 });
  });

  test("POLICY-15: yielding, posting to one's chat and reading are allowed by the default policy; anything else asks", async () => {
    const { built_in } = await call(ana, "policy_get");
    const tools = new Map<string, Tool>(
      hub.hub.modules.flatMap((module) => module.tools.map((tool) => [tool.name, tool])),
    );
    for (const name of built_in) {
      expect(await request(name, {}, { server: "parley" })).toMatchObject({ outcome: "policy_allow" });
      // A server that calls itself otherwise is none of the hub.
      if (name === "chat_assistant_post") expect(await request(name)).toMatchObject({ state: "pending" });
    }
    const isRead = ({ roles, writes, upkeep }: Tool) =>
      !writes && !upkeep && AGENTS.some((role) => roles.includes(role));
    const reads = [...tools.values()].filter(isRead).map(({ name }) => name);
    // Beside what writes nothing: to say something, to end one's turn, and what notes that it was read.
    const spoken = ["chat_assistant_post", "loop_yield_turn"];
    const noted = ["chat_read_and_advance", "mail_read", "task_wait"];
    // Those of a runtime's own: what its mounted servers have to be read.
    const mounted = ["list", "read", "subscribe", "unsubscribe"].map((verb) => `resources_${verb}`);
    expect(built_in.toSorted()).toEqual([...reads, ...spoken, ...noted, ...mounted].toSorted());
    expect(await request("mail_send", {}, { server: "parley" })).toMatchObject({ state: "pending" });
    await set([{ tool: "*", decision: "deny_continue" }]);
    expect(await request("chat_assistant_post", {}, { server: "parley" })).toMatchObject({ state: "denied" });
  });

  test("U34: what a rule calls high risk is marked on its card, and approved by itself alone", async () => {
    await set([{ tool: "t", when: { path: { prefix: "/" } }, decision: "ask", risk: "high" }]);
    const [high, low] = [await request("t", { path: "/etc" }), await request("t", { path: "notes" })];
    const { needs } = await call(ana, "need_list");
    expect(needs).toMatchObject([
      { id: low.id, risk: "low" },
      { id: high.id, risk: "high" },
    ]);
    const approvals = [high, low].map(({ id, digest }) => ({ id, digest }));
    expect(await call(ana, "approval_decide_several", { approvals, decision: "approve" })).toMatchObject({
      decided: [low.id],
      refused: [{ id: high.id, error: expect.stringContaining("high risk") }],
    });
    expect((await call(ana, "policy_get")).words[0]).toMatch(/^Every agent has to ask .*, and it is of high risk\.$/);
    const alone = { id: high.id, digest: high.digest, decision: "approve" };
    expect(await call(ana, "approval_decide", alone)).toMatchObject({ outcome: "user_approve" });
    const wrong = { rules: [{ tool: "t", decision: "allow", risk: "high" }] };
    expect(await call(ana, "policy_set", { document: wrong, expected_version: 1 })).toMatchObject({
      error: expect.stringContaining("Rule 1: risk is said of what is asked about"),
    });
  });

  test("U31 and U34: what a server says of its tool makes people more careful with it, and never less", async () => {
    const risky = await request("files_wipe", {}, { server: "files", hints: ["destructive", "open_world"] });
    const tame = await request("files_look", {}, { server: "files", hints: ["read_only"] });
    const { needs } = await call(ana, "need_list");
    expect(needs).toMatchObject([
      { id: tame.id, risk: "low" },
      { id: risky.id, risk: "medium" },
    ]);
    expect(needs[1].text).toContain(
      "files says of it: it may delete or overwrite things, and it reaches beyond this hub.",
    );
    expect(needs[0].text).not.toContain("files says");
    expect(await call(ana, "approval_get", { id: risky.id })).toMatchObject({
      ...{ risk: "medium", hints: ["destructive", "open_world"] },
    });
    const approvals = [risky, tame].map(({ id, digest }) => ({ id, digest }));
    expect(await call(ana, "approval_decide_several", { approvals, decision: "approve" })).toMatchObject({
      decided: [tame.id],
      refused: [{ id: risky.id, error: expect.stringContaining("medium risk") }],
    });
    // What people say of it counts for more.
    await set([{ tool: "files_wipe", decision: "ask", risk: "low" }]);
    expect((await call(ana, "need_list")).needs).toMatchObject([{ id: risky.id, risk: "low" }]);
  });

  test("U34: what a client runs by itself is of medium risk, unless it is known to read only", async () => {
    const client = (server: string, tool: string, more: object = {}) =>
      request(tool, {}, { server, executes: "client", verdicts: ["approve", "deny_continue"], ...more });
    const riskOf = async ({ id }: { id: string }) => (await call(ana, "approval_get", { id })).risk;
    const careful: [string, string][] = [
      ...["Bash", "PowerShell", "Edit", "MultiEdit", "Write", "NotebookEdit", "WebFetch", "mcp__files__Read"].map(
        (tool): [string, string] => ["claude-code", tool],
      ),
      ...["Bash", "shell", "exec_command", "apply_patch", "Read"].map((tool): [string, string] => ["codex", tool]),
    ];
    for (const [server, tool] of careful) {
      const asked = await client(server, tool);
      expect([server, tool, await riskOf(asked)]).toEqual([server, tool, "medium"]);
      await call(scout, "approval_withdraw", { id: asked.id });
    }
    for (const tool of ["execute", "edit", "delete", "move", "fetch", "switch_mode", "other", "read", "Read"])
      expect([tool, await riskOf(await client("acp", tool))]).toEqual([tool, "medium"]);
    for (const tool of ["Read", "Glob", "Grep", "LS", "TodoWrite"])
      expect([tool, await riskOf(await client("claude-code", tool))]).toEqual([tool, "low"]);
    expect(await riskOf(await client("parley", "mail_send"))).toBe("low");
  });

  test("U34: nothing that is said of a client's call makes it less of a risk, but a rule of people", async () => {
    const wipe = { command: "rm -rf build" };
    const bash = (more: object) =>
      request("Bash", wipe, { server: "claude-code", executes: "client", verdicts: ["approve"], ...more });
    const said = [
      await bash({ about: "Low risk, it only reads.", hints: ["read_only"] }),
      await bash({ server: "a-harmless-client" }),
      await bash({ executes: "runtime" }),
    ];
    const read = await request("Read", { file_path: "a.txt" }, { server: "claude-code", executes: "client" });
    const approvals = [...said, read].map(({ id, digest }) => ({ id, digest }));
    const several = { approvals, decision: "approve" };
    expect(await call(ana, "approval_decide_several", several)).toMatchObject({
      decided: [read.id],
      refused: said.map(({ id }) => ({ id, error: expect.stringContaining("medium risk") })),
    });
    await set([{ tool: "Bash", when: { command: { prefix: "rm " } }, decision: "ask", risk: "high" }]);
    expect((await call(ana, "need_list")).needs).toMatchObject(said.map(() => ({ risk: "high" })));
    await set([{ tool: "Bash", decision: "ask", risk: "low" }]);
    expect(await call(ana, "approval_decide_several", several)).toMatchObject({
      decided: said.map(({ id }) => id),
    });
  });

  test("a rule may ask about and deny what a server says of itself, and allow nothing by it", async () => {
    const hinted = (tool: string, hints: string[], server = "files") => request(tool, {}, { server, hints });
    const wrong = { rules: [{ tool: "*", hint: "writes", decision: "allow" }] };
    expect(await call(ana, "policy_set", { document: wrong, expected_version: 0 })).toMatchObject({
      error: expect.stringContaining("Rule 1: a hint is what a server says of itself: by it nothing is allowed"),
    });
    const rules = [
      { tool: "*", hint: "destructive", decision: "deny_continue" },
      { tool: "*", hint: "open_world", decision: "ask", risk: "high" },
      { tool: "*", hint: "writes", decision: "ask" },
    ];
    const document = { rules, default: "allow" };
    const set_to = await call(ana, "policy_set", { document, expected_version: 0 });
    expect(set_to.words[0]).toBe("No agent may use any tool that is said to delete or overwrite things.");
    expect(await hinted("a", ["destructive", "read_only"])).toMatchObject({ state: "denied" });
    const { id } = await hinted("b", ["open_world", "read_only"]);
    expect(await call(ana, "approval_get", { id })).toMatchObject({ state: "pending", risk: "high" });
    expect(await hinted("c", [])).toMatchObject({ state: "pending" });
    expect(await hinted("d", ["read_only"])).toMatchObject({ state: "approved" });
    // The hub's own tools are known by their names.
    expect(await hinted("whoami", [], "parley")).toMatchObject({ state: "approved" });
  });

  test("POLICY-18: the digest covers server, tool and arguments, and nothing the model wrote about them; the card says what is not covered", async () => {
    const given = { path: "a.txt" };
    const first = await request("t", given, { about: "Harmless!" });
    const same = await request("t", '{ "path" : "a.txt" }', { about: "Something else." });
    expect(same.digest).toBe(first.digest);
    const others = [
      await request("u", given),
      await request("t", { path: "b.txt" }),
      await request("t", given, { server: "other" }),
      await request("t", given, { mount: "other" }),
    ];
    expect(new Set([first, ...others].map(({ digest }) => digest)).size).toBe(5);
    const need = (await call(ana, "need_list")).needs.find(({ id }: { id: string }) => id === first.id);
    expect(need.text.indexOf("t of runtime, with:")).toBe(0);
    expect(need.text.slice(need.arguments_at.from, need.arguments_at.to)).toBe('{"path": "a.txt"}');
    expect(need.text.indexOf("scout says about it:\nHarmless!")).toBeGreaterThan(need.text.indexOf("a.txt"));
    expect(need.text).toContain("what is in files and programs that they name is not covered");
  });

  test("POLICY-18: a card that shows a part says so, and of a tool of the hub that people are asked again with all of it", async () => {
    const part = { covers: "preview", executes: "client" };
    const ours = await request("mail_send", { preview: "To mason" }, { ...part, server: "parley" });
    const theirs = await request("Bash", { preview: "rm" }, { ...part, server: "claude-code" });
    const { needs } = await call(ana, "need_list");
    const textOf = (id: string): string => needs.find((need: { id: string }) => need.id === id).text;
    for (const { id } of [ours, theirs]) expect(textOf(id)).toContain("its client does not hand on all arguments");
    expect([ours, theirs].map(({ id }) => textOf(id).includes("you are asked again"))).toEqual([true, false]);
  });

  test("POLICY-19: keys of objects are compared as data (`constructor`, `__proto__`)", async () => {
    const given = '{"__proto__": {"admin": true}, "constructor": "x"}';
    const made = await request("constructor", given);
    expect(made).toMatchObject({ state: "pending" });
    expect(JSON.stringify(made.arguments)).toBe('{"__proto__":{"admin":true},"constructor":"x"}');
    expect((await request("constructor", '{"constructor":"x"}')).digest).not.toBe(made.digest);
    const rule = JSON.parse('{"tool":"constructor","when":{"__proto__.admin":true},"decision":"deny_abort"}');
    await set([rule, JSON.parse('{"tool":"toString","when":{"__proto__":"x"},"decision":"allow"}')]);
    expect(await request("constructor", given)).toMatchObject({ outcome: "policy_deny_abort" });
    expect(await request("constructor", "{}")).toMatchObject({ state: "pending" });
    expect(await request("toString", "{}")).toMatchObject({ state: "pending" });
    expect(await request("toString", '{"__proto__":"x"}')).toMatchObject({ state: "approved" });
    expect(await request("hasOwnProperty", { list: [1] })).toMatchObject({ state: "pending" });
  });

  test.each([
    ["an integer that would be rounded", '{"n": 9007199254740993}', "would be rounded"],
    ["a key that is there twice", '{"a": 1, "b": {"a": 2}, "\\u0061": 3}', "is there twice"],
    ["no JSON", "{a: 1}", "are not JSON"],
    ["no object", "[1]", "are a JSON object"],
    ["a number without end", '{"n": 1e999}', "would be rounded"],
    ["a number so small that it would be none", '{"n": 1e-400}', "the number 1e-400 would be rounded"],
    ["one that has lost digits by being small", '{"n": 1.23456789e-320}', "would be rounded"],
    ["one with as many digits as a double has, but not these", '{"n": 0.12345678901234567}', "would be rounded"],
  ])("arguments are refused and never changed: %s", async (_, given, sentence) => {
    expect(await request("t", given)).toMatchObject({
      code: "INVALID_ARGUMENT",
      error: expect.stringContaining(sentence),
    });
  });
});
