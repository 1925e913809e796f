/** PostgreSQL is killed, comes back, falls silent and loses connections under people who talk. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { callTool, Reader, Talker } from "../src/testing/crowd.ts";
import { Network } from "../src/testing/network.ts";
import { createDatabase, startPostgres } from "../src/testing/postgres.ts";
import { until } from "../src/testing/process.ts";
import { Restarts } from "../src/testing/restarts.ts";

test("through every loss of the database nothing acknowledged is lost, nothing is doubled, and the hub heals by itself", async () => {
  await using postgres = await startPostgres();
  const { url } = await createDatabase(postgres.url);
  await using network = await Network.to(url);
  await using restarts = new Restarts({ url: network.url });
  const { pid } = await restarts.start();
  const ana = await restarts.token("human", "ana");
  const talkers = ["x", "y", "z"].map((name) => new Talker(ana, name));
  const acked = () => talkers.reduce((sum, talker) => sum + talker.acked.size, 0);
  const reader = new Reader(ana);
  let finished = false;
  const reading = reader.run(() => finished);
  const talking = Promise.all(talkers.map((talker) => talker.run()));
  // Whoever fails is told of where it is waited for, not beside the test.
  const all = Promise.all([reading, talking]);
  all.catch(() => {});
  const ready = async () => (await fetch(`${ana.url()}/readyz`)).status === 200;
  const goesOn = async () => {
    const before = acked();
    await Promise.race([all, until(() => acked() >= before + 20)]);
    await until(ready);
  };

  await goesOn();
  await postgres.kill();
  await until(async () => !(await ready()));
  expect(await callTool(ana, "chat_human_post", { content: "nowhere" })).toMatchObject({
    status: 503,
    body: { code: "STORAGE_UNAVAILABLE" },
  });
  await postgres.restart();
  await goesOn();

  network.silence();
  await until(async () => !(await ready()));
  await pause(1000);
  network.resume();
  await goesOn();

  network.strand();
  await goesOn();

  await postgres.kill();
  await postgres.restart();
  await goesOn();
  for (const talker of talkers) talker.stop();
  await talking;
  finished = true;
  await reading;

  expect(restarts.hub.pid).toBe(pid);
  expect(restarts.hub.child.exitCode).toBeNull();
  const contents = reader.seen.map(({ content }) => content);
  expect(contents.toSorted()).toEqual(talkers.flatMap(({ acked }) => [...acked.keys()]).toSorted());
  const ids = new Map(reader.seen.map(({ id, content }) => [content, id]));
  for (const { acked } of talkers) for (const [content, id] of acked) expect(ids.get(content)).toBe(id);
  const order = reader.seen.map(({ id }) => Number(id));
  expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
});

test("a hub that cannot reach its database says so, and that starting it again may help", async () => {
  await using restarts = new Restarts();
  const { code, stderr } = await restarts.ground.parley(["serve", "--json"], {
    env: { PARLEY_DATABASE_URL: "postgres://parley@127.0.0.1:1/parley" },
  });
  expect(code).toBe(1);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("ECONNREFUSED"),
  });
});
