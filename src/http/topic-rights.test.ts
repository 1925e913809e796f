/** G15: whoever may not read something by its tool does not hear of it by `/events` either. */
import { beforeAll, describe, expect, test } from "vitest";
import { ROLES, type Role } from "../context.ts";
import { MODULES } from "../modules/index.ts";
import { EventStream } from "../testing/event-stream.ts";
import { eachDatabase } from "../testing/hub.ts";
import { planRun } from "../testing/runs.ts";
import { onSharedHub } from "../testing/shared-hub.ts";

/** By which tool what a topic tells of is read. */
const READ_BY: Record<string, string> = {
  chat: "chat_read_since",
  mail: "mail_inbox",
  notice: "notice_list",
  tasks: "task_list",
  triggers: "trigger_list",
  run: "run_list",
  workspace: "read_plan",
  questions: "get_pending_questions",
  timeline: "timeline_read",
  approvals: "approval_list",
};
/** A session of a trigger follows what becomes of its own tasks, and an agent the answers to what it asked. */
const OWN_ALONE: Record<string, readonly Role[]> = {
  tasks: ["trigger"],
  notice: ["agent", "orchestrator", "worker"],
  approvals: ["agent", "orchestrator", "worker"],
};

onSharedHub((shared) => {
  const tokens = new Map<Role, string>();
  beforeAll(async () => {
    for (const role of ROLES) tokens.set(role, await shared.hub.token(role, `${role}-follows`));
  });

  const follows = async (token: string, topic: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${shared.hub.url}/events?topics=${topic}`, { headers });
    await response.body?.cancel();
    return response.status === 200;
  };

  test("every topic is named with the tool that reads it", () => {
    const topics = MODULES.flatMap((module) => ("topics" in module ? module.topics : [])).map(({ name }) => name);
    expect(topics.sort()).toEqual(Object.keys(READ_BY).sort());
  });

  describe.each(Object.entries(READ_BY))("topic %s", (topic, tool) => {
    test.each(ROLES)("%s follows it if it may read it", async (role) => {
      const token = tokens.get(role) ?? "";
      const read = await shared.hub.call(token, tool, {}, { "x-session-id": "main" });
      const mayRead = read.body.code !== "FORBIDDEN";
      expect(await follows(token, topic)).toBe(mayRead || (OWN_ALONE[topic]?.includes(role) ?? false));
    });
  });
});

eachDatabase((open) => {
  test("an agent that may list no runs hears of none, and a person does", async () => {
    const hub = await open();
    const scout = await hub.token("agent", "scout");
    expect((await hub.call(scout, "run_list")).body.code).toBe("FORBIDDEN");
    expect((await hub.request("GET", "/events?topics=run", { token: scout })).body.code).toBe("FORBIDDEN");
    using person = await EventStream.open(hub.url, { token: await hub.token("human", "ana"), topics: "run" });
    const run_id = await planRun(hub);
    expect((await person.until(1))[0]?.data).toMatchObject({ type: "run.planned", run_id });
  });
});
