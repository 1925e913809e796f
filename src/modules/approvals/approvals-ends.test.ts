import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { modern } from "../../testing/mcp-raw.ts";
import { ApprovalState, takeBackCalls } from "./index.ts";

const PUSH = { server: "claude-code", tool: "Bash", arguments: { command: "git push" } };

eachDatabase((open) => {
  let hub: TestHub;
  let [ana, scout, mason]: string[] = [];
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
    [mason, scout] = [await hub.token("agent", "mason"), await hub.token("agent", "scout")];
  });

  const call = async (token: string | undefined, tool: string, args: object = {}) =>
    (await hub.call(token, tool, args)).body;
  const request = (key: string, more: object = {}, token = scout) =>
    call(token, "approval_request", { key, call_id: key, ...PUSH, ...more });
  const stateOf = async (id: string) => (await call(ana, "approval_get", { id })).state;

  test("POLICY-17: who asks anew about the same call of its model means the new one, and the earlier is superseded, never denied", async () => {
    const first = await request("one", { call_id: "toolu_1", expires_seconds: 60 });
    const others = [
      await request("other call", { call_id: "toolu_2" }),
      await request("other server", { call_id: "toolu_1", server: "codex" }),
      await request("other agent", { call_id: "toolu_1" }, mason),
    ];
    const second = await request("two", { call_id: "toolu_1", arguments: { command: "git push --force" } });
    const seen = await call(scout, "approval_wait", { id: first.id, wait_seconds: 0 });
    expect(seen).toMatchObject({ state: "superseded", outcome: null, code: null, decided_by: null });
    expect(seen.says).toBe("A newer request has taken its place. It was not run, and nobody has refused it.");
    const stale = { id: first.id, digest: first.digest, decision: "approve" };
    expect(await call(ana, "approval_decide", stale)).toMatchObject({ code: "NOTICE_CLOSED", state: "superseded" });
    for (const { id } of [...others, second]) expect(await stateOf(id)).toBe("pending");
    // The same request again is itself, and takes nobody's place.
    expect(await request("two", { call_id: "toolu_1", arguments: { command: "git push --force" } })).toMatchObject({
      id: second.id,
      state: "pending",
    });
    // What was decided stays decided.
    await call(ana, "approval_decide", { id: second.id, digest: second.digest, decision: "deny_continue" });
    await request("three", { call_id: "toolu_1" });
    expect(await stateOf(second.id)).toBe("denied");
  });

  test("POLICY-16: of a state, and of an agent, exactly those are listed that are shown in it, by pages", async () => {
    const rule = (tool: string, decision: string) => ({ tool, decision });
    const rules = [rule("yes", "allow"), rule("no", "deny_continue")];
    await call(ana, "policy_set", { document: { rules }, expected_version: 0 });
    const own = { server: "shop", executes: "runtime" };
    const decided = async (key: string, decision: string, more: object = own) => {
      const { id, digest } = await request(key, more);
      await call(ana, "approval_decide", { id, digest, decision });
      return id;
    };
    const ended = async (key: string, outcome: string) => {
      const { id } = await request(key, { ...own, tool: "yes", holder: "one" });
      await call(scout, "approval_finish", { id, holder: "one", outcome });
    };
    await request("open", own);
    await request("open of mason", own, mason);
    await request("allowed", { ...own, tool: "yes" });
    await decided("approved", "approve");
    await decided("taken back", "approve", { ...own, call_id: "taken back" });
    await transact(await hub.as(scout ?? ""), (ctx) =>
      takeBackCalls(ctx, {
        agent_id: ctx.actor.principal_id,
        choose: async () => (call_id) => call_id === "taken back",
      }),
    );
    await ended("completed", "completed");
    await ended("failed", "failed");
    await request("left running", { ...own, tool: "yes", holder: "one", fence: 1 });
    await call(scout, "approval_recover", { fence: 2 });
    await request("running", { ...own, tool: "yes", holder: "two", fence: 2 });
    const client = { executes: "client", verdicts: ["approve", "leave"] };
    await decided("answered", "approve", client);
    await request("answered by the policy", { ...client, tool: "yes" });
    await decided("denied", "deny_abort");
    await request("denied by the policy", { ...own, tool: "no" });
    await decided("left", "leave", client);
    await request("again", { ...own, call_id: "same" });
    const { id } = await request("once more", { ...own, call_id: "same" });
    await call(scout, "approval_withdraw", { id });
    await request("late", { ...own, expires_seconds: 1 });
    await expect.poll(async () => (await call(ana, "approval_list", { state: "expired" })).approvals.length).toBe(1);
    const { approvals: all } = await call(ana, "approval_list", { limit: 100 });
    expect(new Set(all.map(({ state }: { state: string }) => state))).toEqual(new Set(ApprovalState.options));
    for (const state of [undefined, ...ApprovalState.options])
      for (const agent of [undefined, "scout", "mason"]) {
        const wanted = { ...(state && { state }), ...(agent && { agent }), limit: 1 };
        const listed = [];
        for (let before: string | undefined, more = true; more; more = before !== null) {
          const { approvals, next } = await call(ana, "approval_list", { ...wanted, ...(before && { before }) });
          listed.push(...approvals);
          before = next;
        }
        const shown = all.filter(
          (one: typeof wanted) => (!state || one.state === state) && (!agent || one.agent === agent),
        );
        expect([state, agent, listed]).toEqual([state, agent, shown]);
      }
  });

  test("U38: history says by which way each was decided: by a page, at a terminal, by MCP or by HTTP", async () => {
    const { code } = await call(hub.admin, "login_create", { name: "ana" });
    const own = { "content-type": "application/json", origin: hub.url };
    const login = await hub.request("POST", "/login", { body: JSON.stringify({ code }), headers: own });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const json = { ...own, accept: "application/json, text/event-stream" };
    const byMcp = (args: object, who: object) => {
      const { body, headers } = modern({ method: "tools/call", params: { name: "approval_decide", arguments: args } });
      return hub.request("POST", "/mcp/approvals", { body, headers: { ...json, ...headers, ...who } });
    };
    const bearer = { authorization: `Bearer ${ana}` };
    const ways: [string | null, (args: object) => Promise<unknown>][] = [
      ["page", (args) => byMcp(args, { cookie })],
      // Whoever has a token cannot pass for a page.
      ["mcp", (args) => byMcp(args, { ...bearer, cookie, "x-parley-client": "page" })],
      ["cli", (args) => hub.call(ana, "approval_decide", args, { "x-parley-client": "cli" })],
      ["http", (args) => hub.call(ana, "approval_decide", args)],
      [null, async () => {}],
    ];
    for (const [at, [, way]] of ways.entries()) {
      const { id, digest } = await request(`${at}`);
      await way({ id, digest, decision: "approve" });
    }
    const { approvals } = await call(ana, "approval_list");
    const seen = approvals.map(({ decided_via }: { decided_via: string | null }) => decided_via).reverse();
    expect(seen).toEqual(ways.map(([via]) => via));
    const [{ id, digest }] = approvals.slice(-1);
    expect(await call(ana, "approval_decide", { id, digest, decision: "approve" })).toMatchObject({
      ...{ code: "ALREADY_DECIDED", error: "ana has allowed it already, on the page.", decided_via: "page" },
    });
  });

  test("when an agent is deleted, what it asked and proposed is withdrawn, and rules for it alone are gone", async () => {
    const rules = [
      { tool: "Read", agent: "scout", decision: "allow" },
      { tool: "Read", decision: "deny_continue" },
      { tool: "Read", agent: "mason", decision: "allow" },
    ];
    await call(ana, "policy_set", { document: { rules }, expected_version: 0 });
    const [open_call, decided, foreign] = [await request("a"), await request("b"), await request("c", {}, mason)];
    await call(ana, "approval_decide", { id: decided.id, digest: decided.digest, decision: "deny_continue" });
    const rule = { tool: "Bash", decision: "allow" };
    const proposal = await call(scout, "policy_propose", { rule, reason: "A lot of it." });
    const kept = await call(mason, "policy_propose", { rule, reason: "Me too." });

    expect(await hub.call(hub.admin, "agent_delete", { name: "scout" })).toMatchObject({ status: 200 });
    expect([await stateOf(open_call.id), await stateOf(decided.id)]).toEqual(["withdrawn", "denied"]);
    expect(await stateOf(foreign.id)).toBe("pending");
    const { needs } = await call(ana, "need_list");
    expect(needs.map(({ id }: { id: string }) => id).toSorted()).toEqual([foreign.id, kept.id].toSorted());
    const { proposals } = await call(ana, "policy_proposals");
    expect(proposals).toMatchObject([
      { id: kept.id, state: "pending" },
      { id: proposal.id, state: "withdrawn" },
    ]);
    const late = { id: proposal.id, digest: proposal.digest, decision: "accept" };
    expect(await call(ana, "policy_decide", late)).toMatchObject({ code: "NOTICE_CLOSED", state: "withdrawn" });
    const { version, document, note } = await call(ana, "policy_get");
    expect([version, document.rules, note]).toEqual([2, rules.slice(1), "scout was deleted."]);
    // Of an agent that no rule names, nothing is written.
    await hub.token("agent", "passer");
    await call(hub.admin, "agent_delete", { name: "passer" });
    expect(await call(ana, "policy_get")).toMatchObject({ version: 2 });
  });
});
