/** Whom the hub acts for from inside comes in no other way than at the door. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3_600_000;

eachDatabase((open) => {
  let hub: TestHub;
  let scout: string;
  let scout_id: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    scout = await hub.token("agent", "scout");
    scout_id = (await hub.actor(scout)).principal_id;
  });

  const acting = (space = "main") => hub.hub.credentials.actorFor(scout_id, space);
  const act = async (tool: string, args: object, space?: string) =>
    hub.hub.call(await acting(space), hub.hub.tools.find(tool), args, { door: "internal" });
  const tokenOf = async (secret: string) => (await hub.actor(secret)).token_id;

  test("who is acted for is the same actor as at the door", async () => {
    expect(await acting()).toEqual(await hub.actor(scout));
    const { id } = (await act("chat_assistant_post", { content: "From inside" })) as { id: string };
    const { messages } = (await hub.call(scout, "chat_read_since", {})).body;
    expect(messages).toMatchObject([{ id, author: "assistant", author_principal: "scout" }]);
  });

  test("what its roles do not allow is refused, as at the door", async () => {
    await expect(act("token_list", {})).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(act("chat_human_post", { content: "I am a person" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("a role that is given counts at once", async () => {
    await hub.token("worker", "scout");
    expect((await acting()).roles).toEqual(["agent", "worker"]);
  });

  test("nobody acts for whom all tokens were taken from, and with another token somebody does", async () => {
    await hub.call(hub.admin, "token_revoke", { id: await tokenOf(scout) });
    await expect(act("whoami", {})).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    const next = await hub.token("agent", "scout");
    expect((await acting()).token_id).toBe(await tokenOf(next));
  });

  test("nobody acts for an agent that was deleted, nor for one that never was", async () => {
    await hub.token("agent", "otter");
    await hub.call(hub.admin, "agent_default", { name: "otter" });
    expect((await hub.call(hub.admin, "agent_delete", { name: "scout" })).status).toBe(200);
    await expect(acting()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    const nobody = hub.hub.credentials.actorFor("p_nobody", "main");
    await expect(nobody).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("in a space it was not let into, in none and in one that expired nobody acts for it", async () => {
    const { session_id } = (await hub.call(hub.admin, "space_create", { ttl_seconds: 3600 })).body;
    await expect(acting(session_id)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await expect(acting("sess_nowhere")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await hub.token("agent", "scout", session_id);
    expect(await act("whoami", {}, session_id)).toMatchObject({ principal: "scout", space: session_id });
    await hub.tick(2 * HOUR);
    await expect(acting(session_id)).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    expect(await act("whoami", {})).toMatchObject({ space: "main" });
  });
});
