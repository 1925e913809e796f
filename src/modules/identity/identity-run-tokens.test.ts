/** The token of a run: for one space and role, with the run as the cause of what is done, and over when the run is given up. */
import { beforeEach, expect, test } from "vitest";
import { type Role, type TxCtx, transact } from "../../context.ts";
import { statement } from "../../db/statement.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Credentials, endTokens, issueRunToken } from "./index.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const tokens = statement<{ label: string }, { id: string }>("select id from tokens where label = :label");

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let scout: string;
  let scout_id: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    scout = await hub.token("agent", "scout");
    scout_id = (await hub.actor(scout)).principal_id;
  });

  const inTx = async <T>(work: (ctx: TxCtx) => Promise<T>) => transact(await hub.as(hub.admin), work);
  const asked = async () => (await hub.call(ana, "chat_human_post", { agent: "scout", content: "Build it" })).body.id;
  const issue = (cause: string, role?: Role) =>
    inTx((ctx) =>
      issueRunToken(ctx, {
        principal_id: scout_id,
        cause: Number(cause),
        expires_at: new Date(START + HOUR).toISOString(),
        ...(role && { role }),
      }),
    );
  const say = async (token: string, headers: Record<string, string> = {}) =>
    (await hub.call(token, "chat_assistant_post", { content: "Done" }, headers)).body.id;
  const why = async (id: string) => (await hub.call(ana, "event_why", { id })).body.steps;

  test("what is done with a run's token has what began the run as its cause", async () => {
    const began = await asked();
    const { token } = await issue(began);
    const said = await say(token);
    expect(await why(said)).toMatchObject([
      { id: said, by: "scout", how: "credential" },
      { id: began, how: null },
    ]);
    const { id: mail } = (await hub.call(token, "mail_send", { to: ["ana"], subject: "s", body: "b" })).body;
    const { id: reply } = (await hub.call(token, "mail_reply", { id: mail, body: "b" })).body;
    expect(await why(reply)).toMatchObject([{ id: reply, how: "credential" }, { id: began }]);
  });

  test("what a run declares counts before its credential, and what cannot be seen is as if it had not been said", async () => {
    const [began, other] = [await asked(), await asked()];
    const { token } = await issue(began);
    const declared = await say(token, { "x-parley-cause": other });
    expect(await why(declared)).toMatchObject([{ how: "declared" }, { id: other }]);
    const unknown = await say(token, { "x-parley-cause": "17" });
    expect(await why(unknown)).toMatchObject([{ how: "credential" }, { id: began }]);
  });

  test("other tokens of the same agent have no cause, and the hub acts for it with one of those", async () => {
    const { id } = await issue(await asked());
    expect(await why(await say(scout))).toMatchObject([{ how: null }]);
    expect(await hub.hub.credentials.actorFor(scout_id, "main")).toEqual(await hub.actor(scout));
    await hub.call(hub.admin, "token_revoke", { id: (await hub.actor(scout)).token_id });
    expect((await hub.hub.credentials.actorFor(scout_id, "main")).token_id).toBe(id);
  });

  test("a run's token is good for its own space alone", async () => {
    const { session_id } = (await hub.call(hub.admin, "space_create", {})).body;
    await hub.token("agent", "scout", session_id);
    const { token } = await issue(await asked());
    const there = await hub.call(token, "whoami", {}, { "x-session-id": session_id });
    expect([there.status, there.body.code]).toEqual([404, "SESSION_NOT_FOUND"]);
    expect((await hub.call(token, "whoami", {})).body).toMatchObject({ principal: "scout", space: "main" });
    await expect(hub.hub.credentials.actorFor(scout_id, session_id)).resolves.not.toHaveProperty("run_cause");
  });

  test("a run's token has the one role of its holder that it was made for, and none that its holder has not", async () => {
    await hub.token("orchestrator", "scout");
    const began = await asked();
    const roles = async (role?: Role) => (await hub.actor((await issue(began, role)).token)).roles;
    expect([...(await roles())].sort()).toEqual(["agent", "orchestrator"]);
    expect(await roles("agent")).toEqual(["agent"]);
    await expect(roles("admin")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  test("a token for one role exactly has that role and space alone, and is never one of somebody who is here as something else", async () => {
    const make = (args: object) => hub.call(hub.admin, "token_create", { role: "worker", exact: true, ...args });
    const { token } = (await make({ name: "mason" })).body;
    await hub.token("agent", "mason");
    expect((await hub.actor(token)).roles).toEqual(["worker"]);
    expect((await hub.actor((await make({ name: "mason" })).body.token)).roles).toEqual(["worker"]);
    expect((await make({ name: "scout" })).body).toMatchObject({
      ...{ code: "NAME_TAKEN", error: "scout is agent here, and no worker. Choose another name." },
    });
  });

  test("from the commit that ends it no node takes it, although it was used a moment ago", async () => {
    // What another node believes: nothing tells it of a revocation.
    const elsewhere = new Credentials(hub.hub.database);
    const { id, token } = await issue(await asked());
    const credential = { token, space_id: undefined, caller_agent: undefined };
    expect((await elsewhere.authenticate(credential)).name).toBe("scout");
    await inTx((ctx) => endTokens(ctx, [id]));
    await expect(elsewhere.authenticate(credential)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("its time ends it as well, and thirty days later it is forgotten", async () => {
    const began = await asked();
    const { token } = await issue(began);
    const { id } = await issue(began);
    await inTx((ctx) => endTokens(ctx, [id]));
    await hub.tick(HOUR);
    await expect(hub.actor(token)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    const left = () => hub.hub.database.all(tokens, { label: "run" });
    await hub.tick(20 * DAY);
    expect(await left()).toHaveLength(2);
    await hub.tick(12 * DAY);
    expect(await left()).toEqual([]);
  });
});
