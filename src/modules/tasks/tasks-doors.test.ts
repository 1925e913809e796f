/** What a task's channel says of where it comes from. */
import { expect, test } from "vitest";
import { eachDatabase } from "../../testing/hub.ts";
import { CreateTask } from "./schema.ts";
import { createOwn } from "./service.ts";

eachDatabase((open) => {
  test("where none is named a task's channel is that of the door: web for the page, internal for others, task for triggers", async () => {
    const hub = await open();
    const [ana, gmail] = [await hub.as(hub.admin), await hub.as(await hub.token("trigger", "gmail"))];
    const channel = async (ctx: typeof ana, door: "page" | "cli" | "mcp", more: object = {}) =>
      (await createOwn({ ...ctx, door }, CreateTask.parse({ content: "one", ...more }))).channel;
    expect([await channel(ana, "page"), await channel(ana, "cli"), await channel(ana, "mcp")]).toEqual([
      ...["web", "internal", "internal"],
    ]);
    expect(await channel(gmail, "mcp")).toBe("task");
    expect(await channel(ana, "page", { channel: "signal" })).toBe("signal");
  });
});
