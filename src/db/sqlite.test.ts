/** SQLite's own troubles: a disk that fails, and a write-ahead log that must not grow for ever. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { arm, disarm } from "../failpoints.ts";
import { onDatabase, type TestHub } from "../testing/hub.ts";

onDatabase("sqlite", (open) => {
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    hub = await open({ config: { rate_limit: 100_000, rate_limit_kb: 100_000_000 } });
    ana = await hub.token("human", "ana");
  });
  afterEach(disarm);

  const posting = (content: string) => hub.call(ana, "chat_human_post", { content }, { "idempotency-key": content });
  const contents = async (): Promise<string[]> =>
    (await hub.call(ana, "chat_read_since")).body.messages.map(({ content }: { content: string }) => content);
  const outcome = (call: Promise<{ status: number }>) => call.then(({ status }) => status).catch(() => "lost");

  // Whether the disk took the commit is not known: once it did, once it did not.
  test.each(["post.in_commit", "post.after_commit"])(
    "after an I/O error at %s nothing is acknowledged any more, and the next hub finds out",
    async (point) => {
      await posting("before");
      // Not a commit of the hub's own, which nobody waits for.
      arm(`${point}@events:eio`);
      const both = Promise.all([outcome(posting("once")), outcome(posting("behind"))]);

      expect((await hub.failed).message).toBe("disk I/O error");
      // Either may come first; the other is in the same commit, or refused behind it.
      expect([
        ["lost", "lost"],
        ["lost", 503],
        [503, "lost"],
      ]).toContainEqual(await both);
      expect((await hub.request("GET", "/readyz")).status).toBe(503);
      expect((await posting("later")).body.code).toBe("STORAGE_UNAVAILABLE");

      await hub.stop();
      hub = await open({ same: hub });
      for (const content of ["once", "behind", "later", "once"]) expect((await posting(content)).status).toBe(200);
      expect((await contents()).toSorted()).toEqual(["before", "behind", "later", "once"]);
    },
  );

  test("after an I/O error in the middle of an operation it is certain that nothing was written", async () => {
    arm("post.after_insert:eio");
    expect(await posting("half")).toMatchObject({ status: 503, body: { code: "STORAGE_UNAVAILABLE" } });
    await hub.failed;
    expect(await contents()).toEqual([]);
  });

  test("the write-ahead log is moved into the file again and again, and stays small", async () => {
    const file = join(hub.home, "parley.db");
    const content = "x".repeat(10_000);
    let largest = 0;
    for (let round = 0; round < 60; round++) {
      const answers = await Promise.all(
        Array.from({ length: 32 }, () => hub.call(ana, "chat_human_post", { content })),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      // Somebody always reads.
      await hub.call(ana, "chat_read_since", { limit: 5 });
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    expect(statSync(file).size).toBeGreaterThan(15_000_000);
    expect(largest).toBeLessThan(10_000_000);
  });

  test("what can wait is stored with what is written next, or by itself a moment later", async () => {
    const still = await open({ now: Date.now() });
    // What a start plans is done.
    await still.tick(0);
    const { database } = still.hub;
    const write = (patient: boolean): Promise<number | undefined> =>
      database.write("main", async (tx) => tx.takeId(), { patient }).then(() => database.revisionOf(["spaces"]));
    const before = database.revisionOf(["spaces"]) ?? 0;
    expect(await Promise.all([write(true), write(true), write(false)])).toEqual([before + 1, before + 1, before + 1]);
    expect(await write(true)).toBe(before + 2);
  });

  test("a commit gives another revision to what it may have changed, and to nothing else", async () => {
    const still = await open({ now: Date.now() });
    await still.tick(0);
    const { database } = still.hub;
    const revisions = (): unknown[] => ["tokens", "messages"].map((table) => database.revisionOf([table]));
    const [tokens, messages] = revisions();
    const ana = await still.token("human", "ana");
    expect(revisions()).toEqual([Number(tokens) + 1, messages]);
    await still.call(ana, "chat_human_post", { content: "hello" });
    expect(revisions()).toEqual([Number(tokens) + 1, Number(messages) + 1]);
  });
});
