import { beforeEach, expect, test } from "vitest";
import { createClient } from "../../client/index.ts";
import { nodeTransport } from "../../client/node.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { PermissionRelay } from "./permission.ts";

const SOON = { timeout: 90_000 };
const START = Date.parse("2027-03-01T08:00:00Z");
const REQUEST = { request_id: "abcde", tool_name: "Bash", description: "", input_preview: "rm -r dist" };

eachDatabase((open, database) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
  });

  const notices = async (wanted: object = {}) => (await hub.call(ana, "notice_list", wanted)).body.notices;
  const relayed = (cause?: string) => {
    const permitted: object[] = [];
    const notes: string[] = [];
    const relay = new PermissionRelay({
      client: createClient({ transport: nodeTransport(hub.url), token: scout }),
      agent: Promise.resolve("scout"),
      cause: () => cause,
      permit: async (permission) => void permitted.push(permission),
      note: (text) => void notes.push(text),
    });
    return { relay, permitted, notes };
  };
  const decide = async (id: string, decision: string) => {
    const { digest } = (await hub.call(ana, "approval_get", { id })).body;
    return hub.call(ana, "approval_decide", { id, digest, decision });
  };
  const waiting = () => hub.hub.streams.count(({ kind }) => kind === "wait");

  test("a question whose time is over is dropped without a word, and a late answer allows nothing", async () => {
    const { relay, permitted, notes } = relayed();
    relay.ask(REQUEST);
    await expect.poll(waiting, SOON).toBe(1);
    const [{ id }] = await notices();
    await hub.tick(3600_000);
    await expect.poll(waiting, SOON).toBe(0);
    const late = await decide(id, "approve");
    expect(late.body).toMatchObject({ code: "NOTICE_CLOSED", state: "expired" });
    await relay.stop();
    expect([permitted, notes]).toEqual([[], []]);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("a question leads to what its session was shown last, and to nothing where that is not known", async () => {
    const asked = (await hub.call(ana, "chat_human_post", { content: "Clean up", agent: "scout" })).body.id;
    for (const cause of [asked, undefined]) {
      const { relay } = relayed(cause);
      relay.ask(REQUEST);
      // Not by who waits: the hub may still hold the wait of the one before.
      await expect.poll(async () => (await notices({ open: true })).length, SOON).toBe(1);
      const [{ id }] = await notices({ open: true });
      const { steps } = (await hub.call(ana, "event_why", { id })).body;
      expect(steps.map((step: { id: string }) => step.id)).toEqual(cause ? [id, cause] : [id]);
      await relay.stop();
    }
  });

  test("the same request told twice is one question and one answer", async () => {
    const { relay, permitted } = relayed();
    relay.ask(REQUEST);
    relay.ask(REQUEST);
    await expect.poll(waiting, SOON).toBe(1);
    const [{ id }, ...more] = await notices();
    expect(more).toEqual([]);
    await decide(id, "approve");
    await expect.poll(() => permitted, SOON).toEqual([{ request_id: "abcde", behavior: "allow" }]);
    await relay.stop();
  });

  test("a question that the hub refuses is noted, and nothing is allowed", async () => {
    for (let n = 0; n < 20; n++) {
      const call = { key: `n${n}`, call_id: `c${n}`, server: "s", tool: "t", arguments: {} };
      await hub.call(scout, "approval_request", call);
    }
    const { relay, permitted, notes } = relayed();
    relay.ask(REQUEST);
    await expect.poll(() => notes, SOON).toHaveLength(1);
    expect(notes[0]).toContain("20 calls of scout wait for a person already");
    await relay.stop();
    expect(permitted).toEqual([]);
  });

  test("what is too long to be shown whole can be denied from here, and only its terminal allows it", async () => {
    const { relay, permitted } = relayed();
    relay.ask({ ...REQUEST, input_preview: `echo ${"\n".repeat(6000)}; rm -rf /` });
    await expect.poll(waiting, SOON).toBe(1);
    const [{ id, choices }] = await notices();
    expect(choices).not.toContain("approve");
    const allowed = await decide(id, "approve");
    expect(allowed.status).toBe(400);
    await decide(id, "deny_continue");
    await expect.poll(() => permitted, SOON).toEqual([{ request_id: "abcde", behavior: "deny" }]);
    await relay.stop();
  });

  test("what the policy decides is answered at once, and nobody is asked", async () => {
    const rules = [{ tool: "Bash", server: "claude-code", decision: "allow" }];
    await hub.call(ana, "policy_set", { document: { rules, default: "deny_continue" }, expected_version: 0 });
    const { relay, permitted } = relayed();
    relay.ask(REQUEST);
    relay.ask({ ...REQUEST, request_id: "fghij", tool_name: "Write" });
    const answers = [
      { request_id: "abcde", behavior: "allow" },
      { request_id: "fghij", behavior: "deny" },
    ];
    await expect.poll(() => permitted, SOON).toEqual(expect.arrayContaining(answers));
    expect(await notices()).toEqual([]);
    await relay.stop();
  });

  test("whoever goes takes its questions back, and asks no more", async () => {
    const { relay, permitted } = relayed();
    relay.ask(REQUEST);
    await expect.poll(waiting, SOON).toBe(1);
    await relay.stop();
    relay.ask({ ...REQUEST, request_id: "fghij" });
    expect(await notices()).toMatchObject([{ state: "withdrawn" }]);
    expect(permitted).toEqual([]);
  });
});
