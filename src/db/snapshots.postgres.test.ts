/** A transaction that somebody forgot slows every write down: it can be seen. */
import pg from "pg";
import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";

onDatabase("postgres", (open) => {
  test("the age of the oldest snapshot is in the figures, and in what doctor looks at", async () => {
    const hub = await open();
    const figure = async (): Promise<number> => {
      const { body } = await hub.request("GET", "/metrics", { token: hub.admin });
      return Number(/^parley_oldest_snapshot_seconds (\S+)$/m.exec(body)?.[1]);
    };
    const forgotten = new pg.Client({ connectionString: hub.database_url });
    await forgotten.connect();
    await forgotten.query("begin isolation level repeatable read");
    await forgotten.query("select 1 from spaces");
    const seen = performance.now();
    await expect.poll(figure).toBeGreaterThan(0.2);
    expect(await figure()).toBeLessThan((performance.now() - seen) / 1000 + 10);
    const { body } = await hub.request("GET", "/readyz?verbose", { token: hub.admin });
    expect(body).toMatchObject({ status: "ready", oldest_snapshot_seconds: expect.any(Number) });
    await forgotten.query("rollback");
    await forgotten.end();
  });
});
