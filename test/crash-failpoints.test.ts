/** Killed at any point on the way, a hub that comes back and is asked again has done it exactly once. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { FAILPOINTS, type Failpoint } from "../src/failpoints.ts";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

/** Points that other tests kill a hub at: below, and in crash-migrations, nodes-queue, tasks-wake, runner-, runtime-*-, tasks- and approvals-crash. */
const ELSEWHERE: readonly Failpoint[] = [
  ...(["due.before_commit", "migrate.after_step", "run.after_spawn", "run.before_record"] as const),
  ...(["claim.after_update", "claim.before_reply", "complete.after_update"] as const),
  ...(["wake.mark", "wake.before_file", "wake.after_file"] as const),
  ...(["cron.after_slot_insert", "webhook.after_commit"] as const),
  ...(["consumer.after_inject", "consumer.after_watermark", "tool.before_run", "tool.after_run"] as const),
  "approval.after_decide",
];

eachDatabaseOfHubs((database) => {
  const points = FAILPOINTS.filter(
    (point) => !ELSEWHERE.includes(point) && (database === "sqlite" || point !== "checkpoint.before"),
  );

  test("CHAT-18: killed at any point of the way of a post, nothing acknowledged is lost and a retry doubles nothing", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const ana = await restarts.token("human", "ana");
    await restarts.hub.kill("SIGTERM");
    const acked = new Map<string, string>();
    let open: string | undefined;
    /** False when there was no answer. */
    const post = async (content: string): Promise<boolean> => {
      const reply = await callTool(ana, "chat_human_post", { content }, content);
      if (!reply) return false;
      expect(reply.status).toBe(200);
      // Asked again, it has the same answer.
      expect(acked.get(content) ?? reply.body.id).toBe(reply.body.id);
      acked.set(content, reply.body.id);
      return true;
    };

    for (const point of points) {
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill:6` });
      if (open !== undefined) await post(open);
      open = undefined;
      for (let n = 0; open === undefined && n < 50; n++) if (!(await post(`${point} ${n}`))) open = `${point} ${n}`;
      expect([point, await restarts.ended()]).toEqual([point, { code: null, signal: "SIGKILL" }]);
    }

    await restarts.start();
    for (const content of [...acked.keys(), String(open)]) expect(await post(content)).toBe(true);
    const { body } = await callUntilKnown(ana, "chat_read_since", { limit: 500 });
    const stored: { id: string; content: string }[] = body.messages;
    expect(stored.map(({ content }) => content)).toEqual([...acked.keys()]);
    expect(stored.map(({ id }) => id)).toEqual([...acked.values()]);
    const ids = stored.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  test("killed while doing what is due, the next hub does it", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start({ PARLEY_FAILPOINT: "due.before_commit@space.empty:kill" });
    await callTool(restarts.admin, "space_create", { id: "sess_brief" });
    await callTool(restarts.admin, "token_create", { role: "agent", name: "scout", space: "sess_brief" });
    // Not by its time: on a busy machine that might be over before there is anybody in it.
    await callTool(restarts.admin, "space_delete", { id: "sess_brief" });
    expect(await restarts.ended()).toEqual({ code: null, signal: "SIGKILL" });
    expect(await agentsIn(restarts, "sess_brief")).toBe(1);

    await restarts.start();
    await until(async () => (await agentsIn(restarts, "sess_brief")) === 0);
  });

  test("killed around a fork, the new agent is there whole or not at all, and nothing of it twice", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [scout, ana] = [await restarts.token("agent", "scout"), await restarts.token("human", "ana")];
    const { fence } = (await callUntilKnown(scout, "runtime_start", { driver: "scripted" })).body;
    const { id: at_id } = (await callUntilKnown(ana, "chat_human_post", { content: "Hello", agent: "scout" })).body;
    await callUntilKnown(scout, "runtime_next", { fence, after_id: null });
    const logOf = async (caller: Caller) => (await callUntilKnown(caller, "runtime_log", {})).body.events;
    const known = await logOf(scout);
    const fork = (name: string) => callTool(ana, "agent_fork", { agent: "scout", at_id, name });
    const killed = async (name: string, point: string): Promise<void> => {
      await restarts.start({ PARLEY_FAILPOINT: `${point}@events:kill` });
      expect([point, await fork(name), await restarts.ended()]).toEqual([
        ...[point, undefined, { code: null, signal: "SIGKILL" }],
      ]);
    };
    await restarts.hub.kill("SIGTERM");
    await killed("early", "post.before_commit");
    await killed("late", "post.after_commit");

    await restarts.start();
    const listed = async () => (await callUntilKnown(ana, "agent_list", {})).body.agents.map(nameOf).toSorted();
    expect(await listed()).toEqual(["late", "scout"]);
    expect((await fork("late"))?.body).toMatchObject({ code: "NAME_TAKEN" });
    expect((await fork("early"))?.status).toBe(200);
    for (const name of ["early", "late"]) {
      const { body } = await callUntilKnown(ana, "agent_status", { agent: name });
      expect(body).toMatchObject({ forked_from: "scout", tools_off_at: expect.any(String), turn: null });
      const log = await logOf(await restarts.token("agent", name));
      expect(log).toEqual([...known, expect.objectContaining({ type: "Notice" })]);
    }
    expect(await listed()).toEqual(["early", "late", "scout"]);
  });
});

const nameOf = ({ name }: { name: string }): string => name;

async function agentsIn({ database_url, ground }: Restarts, space: string): Promise<number> {
  const text = `select count(*) as found from agents where space_id = '${space}'`;
  if (!database_url) {
    using file = new DatabaseSync(join(ground.home, "parley.db"), { readOnly: true });
    return Number(file.prepare(text).get()?.found);
  }
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return Number(rows[0].found);
}
