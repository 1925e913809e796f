/** A hub is killed while somebody begins an agent from another's timeline: it is whole, or there is nothing of it. */
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const KILLED = { code: null, signal: "SIGKILL" };
/** What a hub writes by itself as it starts holds no events. */
const POINTS = ["post.before_commit@events", "post.in_commit@events", "post.after_commit@events"];

/** One turn of scout's, as a runtime that is over by now has noted it. Gives where it ended. */
async function workAs(scout: Caller, ana: Caller): Promise<string> {
  const done = async (tool: string, args: object) => {
    const { status, body } = await callUntilKnown(scout, tool, args);
    expect([tool, status, body]).toEqual([tool, 200, body]);
    return body;
  };
  await callUntilKnown(ana, "chat_human_post", { content: "hello", agent: "scout" });
  const { fence } = await done("runtime_start", { driver: "scripted" });
  await done("runtime_next", { fence, after_id: null, wait_seconds: 0 });
  const note = (turn_id: string | undefined, events: object[]) => done("runtime_record", { fence, turn_id, events });
  const [turn_id] = (await note(undefined, [{ type: "TurnStarted", key: "begin" }])).ids;
  const call = { sample: 0, call_id: "c", tool: "mail_inbox", arguments: "{}" };
  await note(turn_id, [{ type: "ToolCall", key: "call", ...call }]);
  await note(turn_id, [{ type: "ToolOutput", key: "output", call_id: "c", outcome: "done", output: "none" }]);
  await note(turn_id, [{ type: "TurnEnded", key: "end", outcome: "finished" }]);
  await done("runtime_report", { fence, lifecycle: "stopped" });
  const { items } = (await callUntilKnown(ana, "timeline_read", { agent: "scout" })).body;
  return items.at(-1).id;
}

const typesOf = async (caller: Caller): Promise<string[]> =>
  (await callUntilKnown(caller, "runtime_log", { limit: 500 })).body.events.map(({ type }: { type: string }) => type);

eachDatabaseOfHubs((database) => {
  test("killed anywhere while an agent is begun from another, it is there with its whole log or not at all, and once when it is asked for again", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [ana, scout] = [await restarts.token("human", "ana"), await restarts.token("agent", "scout")];
    const at_id = await workAs(scout, ana);
    const log = await typesOf(scout);
    const named = async (name: string): Promise<number> =>
      (await callUntilKnown(restarts.admin, "agent_list", { all: true })).body.agents.filter(
        (agent: { name: string }) => agent.name === name,
      ).length;
    for (const [n, point] of POINTS.entries()) {
      const name = `twin-${n}`;
      await restarts.hub.kill("SIGTERM");
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill` });
      const wanted = { agent: "scout", at_id, name };
      expect([point, await callTool(ana, "agent_fork", wanted)]).toEqual([point, undefined]);
      expect([point, await restarts.ended()]).toEqual([point, KILLED]);
      await restarts.start();
      const is_there = point.includes("after");
      expect([point, await named(name)]).toEqual([point, is_there ? 1 : 0]);
      // The token of one that is there was told to nobody: whoever may make another one has it.
      const { status } = await callUntilKnown(ana, "agent_fork", wanted);
      expect([point, status, await named(name)]).toEqual([point, is_there ? 409 : 200, 1]);
      const twin = await restarts.token("agent", name);
      expect([point, await typesOf(twin)]).toEqual([point, [...log, "Notice"]]);
      const { tools_off_at } = (await callUntilKnown(ana, "agent_status", { agent: name })).body;
      expect([point, tools_off_at]).toEqual([point, expect.any(String)]);
    }
    expect(await typesOf(scout)).toEqual(log);
  });
});
