/** kill -9, again and again, under eight people who talk and two who read. */
import { expect, test } from "vitest";
import { callUntilKnown, Follower, Reader, Talker } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const KILLS = 8;
const TALKERS = 8;

eachDatabaseOfHubs((database) => {
  test("nothing acknowledged is lost, nothing is doubled, and readers see each message once, in order", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const ana = await restarts.token("human", "ana");
    const first = await callUntilKnown(ana, "chat_human_post", { content: "first" }, "first");
    const talkers = Array.from({ length: TALKERS }, (_, n) => new Talker(ana, `t${n}`));
    const acked = () => talkers.reduce((sum, talker) => sum + talker.acked.size, 0);
    const reader = new Reader(ana);
    const follower = new Follower(ana);
    let finished = false;
    const reading = reader.run(() => finished);
    let last: string | undefined;
    const following = follower.run(first.body.id, () => last);
    const talking = Promise.all(talkers.map((talker) => talker.run()));
    // Whoever fails is told of where it is waited for, not beside the test.
    const all = Promise.all([reading, following, talking]);
    all.catch(() => {});

    for (let kill = 0; kill < KILLS; kill++) {
      const before = acked();
      // Sometimes early, sometimes late, always in the middle of something.
      await Promise.race([all, until(() => acked() >= before + 10 + 17 * kill)]);
      await restarts.kill();
      await restarts.start();
    }
    for (const talker of talkers) talker.stop();
    await talking;
    finished = true;
    await reading;
    last = reader.seen.at(-1)?.id;
    await following;

    const contents = reader.seen.map(({ content }) => content);
    expect(new Set(contents).size).toBe(contents.length);
    expect(contents.toSorted()).toEqual(["first", ...talkers.flatMap(({ acked }) => [...acked.keys()])].toSorted());
    const ids = new Map(reader.seen.map(({ id, content }) => [content, id]));
    for (const { acked } of talkers) for (const [content, id] of acked) expect(ids.get(content)).toBe(id);
    const order = reader.seen.map(({ id }) => Number(id));
    expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
    expect(follower.ids).toEqual(reader.seen.slice(1).map(({ id }) => id));
  });
});
