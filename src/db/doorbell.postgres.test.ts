/** How many spaces a node looks at when nobody rings, and how often it rings. */
import pg from "pg";
import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { Doorbell } from "./doorbell.ts";

onDatabase("postgres", (open) => {
  test("of many watched spaces a quarter is looked at each time, and each of them in four; a few are looked at at once", async () => {
    // With rows that others must not find: a database of its own.
    const { database_url = "" } = await open({ migrations: [{ up: () => [] }] });
    const client = new pg.Client({ connectionString: database_url });
    await client.connect();
    await client.query(
      `insert into spaces (id, last_id, default_inbox_id, created_by, created_at)
       select 's' || n, n, 0, 'hub', '2027-03-01T09:00:00.000Z'
       from generate_series(1, 200) as n`,
    );
    await client.end();
    const all = Array.from({ length: 200 }, (_, at) => `s${at + 1}`);
    const bell = new Doorbell(database_url);
    try {
      const rung: string[][] = [];
      bell.onRing = (space_id) => rung.at(-1)?.push(space_id);
      for (let n = 0; n < 5; n += 1) {
        rung.push([]);
        await bell.poll(all);
      }
      // What was seen rings the next time.
      expect(rung.map((some) => some.length)).toEqual([0, 50, 50, 50, 50]);
      expect(new Set(rung.flat())).toEqual(new Set(all));
      rung.push([]);
      await bell.poll(all.slice(0, 100));
      rung.push([]);
      await bell.poll([]);
      expect(rung.at(-1)).toHaveLength(100);
    } finally {
      await bell.close();
    }
  });

  test("a node rings at once, and then once for all that follows soon, the last of it too", async () => {
    const { database_url = "" } = await open();
    const listener = new pg.Client({ connectionString: database_url });
    await listener.connect();
    const heard: string[] = [];
    listener.on("notification", ({ payload = "" }) => heard.push(payload.replace(/^\S+ /, "")));
    await listener.query("listen parley");
    const bell = new Doorbell(database_url);
    try {
      await bell.poll([]);
      const mine = (): string[] => heard.filter((spaces) => spaces.startsWith("bell"));
      bell.ring(["bell-first"]);
      for (let n = 0; n < 20; n += 1) bell.ring([`bell-${n % 2}`]);
      await expect.poll(mine).toEqual(["bell-first", "bell-0 bell-1"]);
      bell.ring(["bell-last"]);
      await expect.poll(mine).toEqual(["bell-first", "bell-0 bell-1", "bell-last"]);
    } finally {
      await bell.close();
      await listener.end();
    }
  });
});
