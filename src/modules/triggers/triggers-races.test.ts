/** Deliveries that wait for their turn while somebody changes the trigger. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemActor, type TxCtx, transact } from "../../context.ts";
import { eachDatabase } from "../../testing/hub.ts";
import * as triggers from "./service.ts";

const SECRET = { "x-webhook-secret": "correct horse battery" };

const CHANGES: [string, (ctx: TxCtx) => Promise<unknown>, number, string][] = [
  ["was deleted", (ctx) => triggers.remove(ctx, { name: "github" }), 404, "Webhook not found"],
  ["was disabled", (ctx) => triggers.update(ctx, { name: "github", enabled: false }), 403, "Webhook disabled"],
  [
    "was given another secret",
    (ctx) => triggers.update(ctx, { name: "github", webhook_secret: "another secret of it" }),
    401,
    "Invalid secret",
  ],
];

eachDatabase((open) => {
  test.each(CHANGES)("TRIGGER-1: a webhook that %s while a delivery waited is not fired by it", async (...given) => {
    const [, change, status, error] = given;
    const hub = await open();
    const webhook = { name: "github", type: "webhook", webhook_secret: SECRET["x-webhook-secret"] };
    expect((await hub.call(hub.admin, "trigger_create", webhook)).status).toBe(200);
    const [begun, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changing = transact(hub.hub.ctx(systemActor("main")), async (ctx) => {
      begun.resolve();
      await arrived.promise;
      await change(ctx);
    });
    await begun.promise;
    const answer = hub.request("POST", "/api/webhook/github", { body: "hi", headers: SECRET });
    // Nothing tells that it waits behind the change. Should it come later, it is refused as well.
    await pause(200);
    arrived.resolve();
    await changing;
    expect(await answer).toMatchObject({ status, body: { error } });
    expect((await hub.call(hub.admin, "inbox_stats")).body.total).toBe(0);
    expect((await hub.call(hub.admin, "trigger_runs", {})).body.runs).toEqual([]);
  });
});
