/** Killed at any point on the way, a hub that comes back and is asked again has done it exactly once. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { FAILPOINTS, type Failpoint } from "../src/failpoints.ts";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

/** Points that other tests kill a hub at: below, and in crash-migrations, runner-crash, tasks-crash and nodes-queue. */
const ELSEWHERE: readonly Failpoint[] = [
  ...(["due.before_commit", "migrate.after_step", "run.after_spawn", "run.before_record"] as const),
  ...(["claim.after_update", "claim.before_reply", "complete.after_update"] as const),
  ...(["cron.after_slot_insert", "webhook.after_commit"] as const),
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
});

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
