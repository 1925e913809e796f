/** A node that is still there when a newer Parley has changed the schema. */
import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import type { Migration } from "./migrations/index.ts";

const SOONER: Migration = { up: ({ key }) => [`create table sooner (id ${key} primary key)`] };
const LATER: Migration = { up: ({ key }) => [`create table later (id ${key} primary key)`] };

onDatabase("postgres", (open) => {
  test("a node that sees a newer schema writes nothing more and ends, and what it had acknowledged is there", async () => {
    const old = await open({ migrations: [SOONER] });
    const ana = await old.token("human", "ana");
    const acked: string[] = [];
    let refused: { status: number; body: { code: string } } | undefined;
    const writing = (async () => {
      while (!refused) {
        const answer = await old.call(ana, "task_create", { content: `task ${acked.length}` });
        if (answer.status === 200) acked.push(answer.body.id);
        else refused = answer;
      }
    })();
    await expect.poll(() => acked.length).toBeGreaterThan(3);
    const next = await open({ same: old, migrations: [SOONER, LATER] });
    expect((await old.failed).message).toMatch(/^the database has schema \d+ now, newer than this Parley knows/);
    await writing;
    expect(refused).toMatchObject({ status: 503, body: { code: "SHUTTING_DOWN" } });
    // It can still be looked at, and a load balancer is told to go elsewhere.
    expect((await old.call(ana, "task_get", { task_id: acked[0] })).status).toBe(200);
    expect((await old.request("GET", "/readyz")).status).toBe(503);
    await old.stop();
    expect((await next.call(ana, "inbox_stats")).body.total).toBe(acked.length);
    expect((await next.call(ana, "task_create", { content: "afterwards" })).status).toBe(200);
  });
});
