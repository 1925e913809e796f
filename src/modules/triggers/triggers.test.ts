/** Making, changing, firing by hand and looking back. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";

const START = Date.parse("2027-03-01T09:00:30Z");

eachDatabase((open) => {
  const make = (hub: TestHub, args: object) =>
    hub.call(hub.admin, "trigger_create", { name: "ask", type: "manual", ...args });
  const run = (hub: TestHub, args: object = {}) => hub.call(hub.admin, "trigger_run", { name: "ask", ...args });
  const pending = async (hub: TestHub) => (await hub.call(hub.admin, "task_list", { limit: 100 })).body.tasks;
  const runs = async (hub: TestHub, args: object = {}) => (await hub.call(hub.admin, "trigger_runs", args)).body.runs;

  test("TRIGGER-10: names follow their rule, are given once, cron needs a schedule, and what is not said has defaults", async () => {
    const hub = await open({ now: START });
    for (const name of ["../x", "Ask", "a b", "", "x".repeat(300), "x".repeat(65), "é", "a.b", "-rf"])
      expect([name, (await make(hub, { name })).status]).toEqual([name, 400]);
    expect((await make(hub, {})).body).toEqual({
      trigger: {
        ...{ id: expect.stringMatching(/^\d+$/), name: "ask", type: "manual", description: null, channel: "internal" },
        ...{ schedule: null, timezone: "UTC", missed: "once", missed_max: 10, missed_window_seconds: 86_400 },
        ...{
          overlap: "allow",
          session_mode: "ephemeral",
          session_key: null,
          prompt: null,
          query_secret: false,
          enabled: true,
        },
        ...{
          next_run: null,
          last_run: null,
          run_count: 0,
          refused_at: null,
          refused_for: null,
          created_at: "2027-03-01T09:00:30.000Z",
          created_by: "admin",
        },
      },
    });
    const twice = await make(hub, { type: "webhook" });
    expect([twice.status, twice.body.error]).toEqual([
      409,
      "Trigger 'ask' already exists. Change it with trigger_update.",
    ]);
    const without = await make(hub, { name: "nightly", type: "cron" });
    expect([without.status, without.body.error]).toEqual([400, "Cron triggers need a schedule, such as 0 9 * * *."]);
    for (const args of [
      { type: "often" },
      { session_mode: "sticky" },
      { webhook_secret: "short" },
      { channel: "A B" },
      { surprise: 1 },
    ])
      expect([args, (await make(hub, { name: "other", type: "webhook", ...args })).status]).toEqual([args, 400]);
    expect((await make(hub, { name: "other", schedule: "@daily" })).status).toBe(400);
    expect((await make(hub, { name: "other", webhook_secret: "long enough" })).status).toBe(400);
    const names = (await hub.call(hub.admin, "trigger_list")).body.triggers.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["ask"]);
  });

  test("a page lists a line of each by name, without what it asks, and says how many there are", async () => {
    const hub = await open({ now: START });
    const prompt = "p".repeat(5000);
    await make(hub, { name: "nightly", type: "cron", schedule: "0 3 * * *", prompt, description: "d".repeat(400) });
    await make(hub, { name: "ask", prompt });
    const board = async (args: object = {}) => (await hub.call(hub.admin, "trigger_board", args)).body;
    const line = { enabled: true, timezone: "UTC", run_count: 0, id: expect.stringMatching(/^\d+$/) };
    expect(await board()).toEqual({
      total: 2,
      triggers: [
        { ...line, name: "ask", type: "manual", description: null, schedule: null, next_run: null },
        {
          ...{ ...line, name: "nightly", type: "cron", schedule: "0 3 * * *", next_run: "2027-03-02T03:00:00.000Z" },
          description: "d".repeat(160),
        },
      ],
    });
    expect(await board({ limit: 1 })).toMatchObject({ total: 2, triggers: [{ name: "ask" }] });
  });

  test("a webhook's answer says where and how it is called, with a secret and without", async () => {
    const hub = await open({ now: START });
    const { body } = await make(hub, { name: "github", type: "webhook" });
    expect(body.webhook_url).toBe(`${hub.url}/api/webhook/github`);
    expect(body.hint).toContain(`curl -X POST ${body.webhook_url}`);
    expect(body.auth).toMatch(/^No secret is set/);
    const { body: secured } = await make(hub, { name: "gitlab", type: "webhook", webhook_secret: "long enough" });
    expect(secured.auth).toMatch(/X-Hub-Signature-256/);
    expect(secured.hint).toContain("X-Webhook-Secret");
    const listed = async (type?: string) =>
      (await hub.call(hub.admin, "trigger_list", type ? { type } : {})).body.triggers.map(
        ({ name }: { name: string }) => name,
      );
    await make(hub, { name: "daily", type: "cron", schedule: "@daily" });
    expect([await listed(), await listed("cron"), await listed("manual")]).toEqual([
      ["daily", "github", "gitlab"],
      ["daily"],
      [],
    ]);
  });

  test("TRIGGER-11: only what is given changes; nothing given and an unknown name are told so", async () => {
    const hub = await open({ now: START });
    await make(hub, { description: "To ask.", prompt: "Ask {{sender}}.", channel: "web" });
    const { body } = await hub.call(hub.admin, "trigger_update", { name: "ask", description: "To answer." });
    expect(body.trigger).toMatchObject({
      description: "To answer.",
      prompt: "Ask {{sender}}.",
      channel: "web",
      enabled: true,
    });
    const nothing = await hub.call(hub.admin, "trigger_update", { name: "ask" });
    expect([nothing.status, nothing.body.error]).toEqual([400, "No fields to update"]);
    for (const tool of ["trigger_update", "trigger_delete", "trigger_run", "trigger_get", "trigger_test"]) {
      const { status, body } = await hub.call(hub.admin, tool, {
        name: "x",
        ...(tool === "trigger_update" && { enabled: true }),
      });
      expect([tool, status, body.error, body.code]).toEqual([tool, 404, "Trigger 'x' not found", "TRIGGER_NOT_FOUND"]);
    }
  });

  test("TRIGGER-12: a deleted one fires no more; what it began goes on, is reported and is kept", async () => {
    const hub = await open({ now: START });
    const worker = await hub.token("worker", "mason");
    await make(hub, { name: "nightly", type: "cron", schedule: "0 * * * *" });
    await hub.tick(3_600_000);
    const [going] = await runs(hub);
    const { next_task } = (await hub.call(worker, "get_next_task")).body;
    const { body } = await hub.call(hub.admin, "trigger_delete", { name: "nightly" });
    expect(body).toEqual({
      name: "nightly",
      deleted: true,
      sessions: 0,
      in_flight: [{ id: going.id, task_id: next_task.id }],
    });
    await hub.call(worker, "task_complete", { task_id: next_task.id, response_summary: "Done anyway." });
    await hub.tick(7_200_000);
    expect(await runs(hub, { name: "nightly" })).toMatchObject([
      { id: going.id, outcome: "Done anyway.", state: "done" },
    ]);
    expect((await make(hub, { name: "nightly" })).body.trigger.run_count).toBe(0);
    for (const tool of ["trigger_delete", "trigger_delete"])
      expect([200, 404]).toContain((await hub.call(hub.admin, tool, { name: "nightly" })).status);
  });

  test("TRIGGER-13: by hand any type fires, a disabled one does not, and each time counts once", async () => {
    const hub = await open({ now: START });
    await make(hub, { prompt: "Ask {{sender}} in {{channel}}.", channel: "web" });
    await make(hub, { name: "github", type: "webhook" });
    await make(hub, { name: "nightly", type: "cron", schedule: "@daily" });
    for (const name of ["ask", "github", "nightly"]) {
      const { body } = await hub.call(hub.admin, "trigger_run", { name });
      expect(body).toMatchObject({
        trigger: name,
        source: "manual",
        sender: "admin",
        state: "pending",
        session_key: "_default",
      });
    }
    expect(
      (await pending(hub)).map(({ content, sender, channel }: Record<string, string>) => [content, sender, channel]),
    ).toEqual([
      ["Ask admin in web.", "trigger:ask", "web"],
      ["Trigger 'github' was fired.", "trigger:github", "internal"],
      ["Trigger 'nightly' was fired.", "trigger:nightly", "internal"],
    ]);
    await hub.call(hub.admin, "trigger_update", { name: "ask", enabled: false });
    const { status, body } = await run(hub);
    expect([status, body.code, body.error]).toEqual([
      409,
      "TRIGGER_DISABLED",
      "Trigger 'ask' is disabled. Enable it first.",
    ]);
    const { triggers } = (await hub.call(hub.admin, "trigger_list")).body;
    expect(triggers.map(({ run_count }: { run_count: number }) => run_count)).toEqual([1, 1, 1]);
  });

  test("with the same key it is fired once, and what it was fired with is kept", async () => {
    const hub = await open({ now: START });
    await make(hub, { prompt: "{{payload.n}}", session_key: "{{payload.thread_id}}" });
    const args = { name: "ask", payload: { n: 7, thread_id: "t-1" } };
    const [one, two] = [
      await hub.call(hub.admin, "trigger_run", args, { "idempotency-key": "once" }),
      await hub.call(hub.admin, "trigger_run", args, { "idempotency-key": "once" }),
    ];
    expect(two.body).toEqual(one.body);
    expect(one.body.session_key).toBe("t-1");
    const again = await run(hub, { again: one.body.id });
    expect(again.body.session_key).toBe("t-1");
    expect((await run(hub, { payload: "x", session_key: "mine" })).body.session_key).toBe("mine");
    expect((await pending(hub)).map(({ content }: { content: string }) => content.slice(-38, -34)).slice(0, 2)).toEqual(
      [expect.stringContaining("7"), expect.stringContaining("7")],
    );
    expect((await run(hub, { again: one.body.id, payload: "x" })).status).toBe(400);
    expect((await run(hub, { again: "1" })).status).toBe(404);
    expect((await run(hub, { payload: "x".repeat(1024 * 1024 + 1) })).status).toBe(413);
  });

  test("RUNNER-7: what is said comes from the trigger, else from its file, else is that it was fired", async () => {
    const hub = await open({ now: START });
    const said = async () => (await hub.call(hub.admin, "trigger_test", { name: "ask" })).body.prompt;
    await make(hub, {});
    expect(await said()).toBe("Trigger 'ask' was fired.");
    mkdirSync(join(hub.home, "triggers"));
    writeFileSync(join(hub.home, "triggers", "ask.md"), "Ask {{sender}}.\n");
    expect(await said()).toBe("Ask admin.");
    await hub.call(hub.admin, "trigger_update", { name: "ask", prompt: "Just ask." });
    expect(await said()).toBe("Just ask.");
    await make(hub, { name: "linked" });
    symlinkSync("ask.md", join(hub.home, "triggers", "linked.md"));
    const { status, body } = await hub.call(hub.admin, "trigger_run", { name: "linked" });
    expect([status, body.error]).toEqual([409, expect.stringContaining("cannot be read from triggers/linked.md")]);
  });

  test("a trigger's file that is no text is refused, and one that is too long is cut between two characters", async () => {
    const hub = await open({ now: START });
    await make(hub, {});
    const file = join(hub.home, "triggers", "ask.md");
    mkdirSync(join(hub.home, "triggers"));
    writeFileSync(file, Buffer.from("Ask.\n", "utf16le"));
    const { status, body } = await hub.call(hub.admin, "trigger_run", { name: "ask" });
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect(body.error).toContain("cannot be read from triggers/ask.md");
    expect(await pending(hub)).toEqual([]);
    writeFileSync(file, `${"x".repeat(99_999)}\u{1f600}`);
    const { prompt } = (await hub.call(hub.admin, "trigger_test", { name: "ask" })).body;
    expect(prompt).toBe(`${"x".repeat(99_999)}…`);
  });

  test("what a trigger would have said to an old delivery is shown, and nothing is done", async () => {
    const hub = await open({ now: START });
    await make(hub, { name: "github", type: "webhook", prompt: "Old: {{payload.n}}" });
    await hub.request("POST", "/api/webhook/github", {
      body: '{"n":1,"who":"ben"}',
      headers: { "content-type": "application/json" },
    });
    const [old] = await runs(hub);
    await hub.call(hub.admin, "trigger_update", {
      name: "github",
      prompt: "New: {{payload.who}}",
      session_key: "{{payload.n}}",
      enabled: false,
    });
    const { body } = await hub.call(hub.admin, "trigger_test", { name: "github", run: old.id });
    expect(body).toMatchObject({
      fires: false,
      becomes: "task",
      session_key: "1",
      prompt: expect.stringMatching(/New: <[^>]+>ben</),
    });
    expect([(await pending(hub)).length, (await runs(hub)).length]).toEqual([1, 1]);
  });

  test("the history is read page by page, of one trigger or of all", async () => {
    const hub = await open({ now: START });
    await make(hub, {});
    await make(hub, { name: "other" });
    for (const name of ["ask", "other", "ask", "other", "ask"]) await hub.call(hub.admin, "trigger_run", { name });
    const page = async (args: object) => (await hub.call(hub.admin, "trigger_runs", args)).body;
    const first = await page({ name: "ask", limit: 2 });
    const second = await page({ name: "ask", limit: 2, before: first.next });
    expect([first.runs.length, second.runs.length, second.next]).toEqual([2, 1, null]);
    expect((await page({})).runs.map(({ trigger }: { trigger: string }) => trigger)).toEqual([
      "ask",
      "other",
      "ask",
      "other",
      "ask",
    ]);
    await hub.tick(91 * 24 * 3_600_000);
    expect((await page({})).runs).toHaveLength(5);
    const worker = await hub.token("worker", "mason");
    const { next_task } = (await hub.call(worker, "get_next_task")).body;
    await hub.call(worker, "task_complete", { task_id: next_task.id, response_summary: "Done." });
    await hub.tick(24 * 3_600_000);
    expect((await page({})).runs).toHaveLength(4);
  });

  test("a trigger's tools are served at MCP, to those whose roles list them, and say errors in the seed's words", async () => {
    const hub = await open({ now: START });
    const worker = await hub.token("worker", "mason");
    for (const connect of Object.values(CLIENTS)) {
      await using client = await connect({ url: `${hub.url}`, token: worker });
      const made = await client.call("trigger_create", { name: `t${Math.random()}`.replace(".", ""), type: "manual" });
      expect(made).toMatchObject({
        structuredContent: { trigger: { type: "manual", enabled: true, created_by: "mason" } },
      });
      expect(await client.call("trigger_update", { name: "x", enabled: true })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("Trigger 'x' not found") }],
      });
    }
    const scout = await hub.token("agent", "scout");
    expect((await hub.call(scout, "trigger_create", { name: "mine", type: "manual" })).body.code).toBe("FORBIDDEN");
    expect((await hub.call(scout, "trigger_list")).body.triggers).toHaveLength(Object.keys(CLIENTS).length);
  });

  test("nothing of a space's triggers is seen from another, or stays when it has ended", async () => {
    const hub = await open({ now: START });
    await hub.call(hub.admin, "space_create", { id: "sess_team" });
    const inside = { "x-session-id": "sess_team" };
    await hub.call(hub.admin, "trigger_create", { name: "ask", type: "cron", schedule: "0 * * * *" }, inside);
    await hub.call(hub.admin, "trigger_run", { name: "ask", payload: "x" }, inside);
    expect((await hub.call(hub.admin, "trigger_list")).body.triggers).toEqual([]);
    expect((await run(hub)).status).toBe(404);
    await hub.call(hub.admin, "space_delete", { id: "sess_team" });
    await hub.tick(2 * 3_600_000);
    expect(await runs(hub)).toEqual([]);
  });
});
