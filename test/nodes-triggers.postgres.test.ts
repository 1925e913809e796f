/** Two nodes see the same slot come, and one is killed in the middle of it. */
import { expect, test } from "vitest";
import { callTool } from "../src/testing/crowd.ts";
import { createDatabase } from "../src/testing/postgres.ts";
import { until } from "../src/testing/process.ts";
import { Restarts } from "../src/testing/restarts.ts";

interface Fired {
  state: string;
  scheduled_at: string;
  task_id: string | null;
}

test("CRON-7: of two nodes one fires each slot once, also where one is killed in the middle of it", async () => {
  const { url, drop } = await createDatabase();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(drop);
  const [killed, other] = [new Restarts({ url }), new Restarts({ url })];
  for (const node of [killed, other]) cleanup.use(node);
  await killed.start({ PARLEY_FAILPOINT: "cron.after_slot_insert:kill" });
  const args = { name: "often", type: "cron", schedule: "* * * * *", overlap: "allow" };
  expect((await callTool(killed.admin, "trigger_create", args))?.status).toBe(200);
  // It alone is there when the slot comes, dies with it, and leaves it to the next.
  expect(await killed.ended()).toEqual({ code: null, signal: "SIGKILL" });
  await Promise.all([killed.start(), other.start()]);
  const runs = async (): Promise<Fired[]> =>
    (await callTool(other.admin, "trigger_runs", { limit: 100 }))?.body.runs ?? [];
  const fired = await until(async () => {
    const found = (await runs()).filter(({ state }) => state !== "skipped");
    return found.length >= 2 ? found : undefined;
  }, 200_000);
  const slots = fired.map(({ scheduled_at }) => scheduled_at);
  expect(new Set(slots).size).toBe(slots.length);
  // The tasks first: what fires meanwhile is among the runs that are read behind them.
  const { tasks } = (await callTool(other.admin, "task_list", { limit: 100 }))?.body ?? {};
  const made = (await runs()).flatMap(({ task_id }) => task_id ?? []);
  expect(new Set(made).size).toBe(made.length);
  expect(made).toEqual(expect.arrayContaining(tasks.map(({ id }: { id: string }) => id)));
}, 300_000);
