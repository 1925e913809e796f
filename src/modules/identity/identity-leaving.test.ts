/** Sessions that end, and the ones that go on as their agent. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open({ now: START });
  });

  const ensure = async (client_session_id: string, more: object = {}) =>
    (await hub.call(hub.admin, "agent_ensure", { client_session_id, ...more })).body;
  const leave = async (token: string) => (await hub.call(token, "agent_leave")).body;
  const presence = async (name: string) =>
    (await hub.call(hub.admin, "agent_list")).body.agents.find((agent: { name: string }) => agent.name === name)
      .presence;

  test("a session that has ended is not active any more, until it is heard of again", async () => {
    const { agent, token } = await ensure("s-1");
    expect(await leave(token)).toEqual({ agent, left_at: new Date(START).toISOString() });
    expect(await presence(agent)).toBe("offline");
    // At once, though a mark so young is otherwise as good as a new one.
    await hub.call(token, "agent_heartbeat");
    expect(await presence(agent)).toBe("active");
    await leave(token);
    await ensure("s-1");
    expect(await presence(agent)).toBe("active");
  });

  test("another session may go on at once as the agent of one that has ended, and only then", async () => {
    const { agent, token } = await ensure("s-1");
    expect(await ensure("s-2", { name: agent, adopt: true })).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
    await leave(token);
    expect(await ensure("s-2", { name: agent })).toMatchObject({ code: "NAME_TAKEN" });
    const next = await ensure("s-2", { name: agent, adopt: true });
    expect(next).toMatchObject({ agent, created: false });
    await expect.poll(async () => (await hub.call(token, "whoami")).status).toBe(401);
    expect(await ensure("s-1")).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
    expect(await ensure("s-3", { name: agent, adopt: true })).toMatchObject({ code: "AMBIGUOUS_IDENTITY" });
    await leave(next.token);
    expect(await ensure("s-1")).toMatchObject({ agent, created: false });
  });

  test("a token that was made for no session ends none", async () => {
    const { agent } = await ensure("s-1");
    const { body } = await hub.call(hub.admin, "token_create", { name: agent, role: "agent" });
    expect(await leave(body.token)).toEqual({ agent, left_at: null });
    expect(await presence(agent)).toBe("active");
    const scout = await hub.token("agent", "scout");
    expect(await leave(scout)).toEqual({ agent: "scout", left_at: null });
  });
});
