import { expect, test } from "vitest";
import { onCommit } from "./commits.ts";
import { eachDatabase } from "./testing/hub.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };

eachDatabase((open) => {
  test("a listener of commits that throws is logged, and makes no other miss one", async () => {
    const hub = await open();
    const { database, log } = hub.hub;
    const logged: unknown[] = [];
    const told: string[] = [];
    const noting = { ...log, error: (_msg: string, fields?: object) => void logged.push(fields) };
    onCommit({ database, log: noting }, "a test", () => {
      throw new Error("not me");
    });
    onCommit(hub.hub, "another", ({ space_id }) => void told.push(space_id));
    await database.write("main", async (tx) => tx.takeId());

    await expect.poll(() => told, SOON).toEqual(["main"]);
    expect(logged).toEqual([{ what: "a test", space: "main", error: new Error("not me") }]);
  });
});
