/** Waits of MCP clients across real hubs: killed, started again, and several on one database. */
import { expect, test } from "vitest";
import { type Caller, callTool } from "../src/testing/crowd.ts";
import { testDatabases } from "../src/testing/databases.ts";
import { modern, Raw } from "../src/testing/mcp-raw.ts";
import { createDatabase } from "../src/testing/postgres.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const CAPABLE = { extensions: { "io.modelcontextprotocol/tasks": {} } };

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
type Json = any;

const ask = async ({ url, token }: Caller, method: string, params: Record<string, unknown>): Promise<Json> =>
  (await new Raw(url(), token).send("POST", "/mcp", modern({ method, params }, CAPABLE))).body.result;
const wait = (caller: Caller): Promise<Json> => ask(caller, "tools/call", { name: "mail_wait", arguments: {} });
const get = (caller: Caller, taskId: string): Promise<Json> => ask(caller, "tasks/get", { taskId });
const send = async (from: Caller, to: string, body: string): Promise<string> =>
  (await callTool(from, "mail_send", { to: [to], subject: "s", body }))?.body.id;

eachDatabaseOfHubs((database) => {
  test("a task is there after the hub was killed, with the mail that came meanwhile or comes then", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [otter, heron] = [await restarts.token("agent", "otter"), await restarts.token("agent", "heron")];
    const { taskId, status } = await wait(otter);
    expect(status).toBe("working");
    const held = get(otter, taskId).catch(() => "broken off");
    await send(heron, "heron", "nobody's business").catch(() => undefined);
    await restarts.kill();
    expect(await held).toBe("broken off");
    await restarts.start();
    const again = get(otter, taskId);
    const id = await send(heron, "otter", "after the crash");
    const { result } = await again;
    expect(result.structuredContent.messages).toMatchObject([{ id, body: "after the crash" }]);
    await restarts.kill();
    await restarts.start();
    expect((await get(otter, taskId)).result).toEqual(result);
  });
});

if (testDatabases().includes("postgres"))
  test("a task that one node began is asked for at another, and ended by whichever sees the mail first", async () => {
    const { url, drop } = await createDatabase();
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(drop);
    const [one, two] = [new Restarts({ url }), new Restarts({ url })] as const;
    for (const node of [one, two]) cleanup.use(node);
    await Promise.all([one.start(), two.start()]);
    const otter = await one.token("agent", "otter");
    const heron = await one.token("agent", "heron");
    const there: Caller = { ...otter, url: () => two.hub.url };

    const first = await wait(otter);
    const held = [get(otter, first.taskId), get(there, first.taskId)];
    const id = await send(heron, "otter", "for both");
    for (const { result } of await Promise.all(held)) expect(result.structuredContent.messages).toMatchObject([{ id }]);

    const second = await wait(otter);
    await one.kill();
    const late = get(there, second.taskId);
    const next = await send({ ...heron, url: () => two.hub.url }, "otter", "while the first node is away");
    expect((await late).result.structuredContent.messages).toMatchObject([{ id: next }]);
    await one.start();
    expect((await get(otter, second.taskId)).result).toEqual((await late).result);

    const third = await wait(otter);
    const fourth = await wait(there);
    expect((await get(otter, third.taskId)).result.structuredContent).toMatchObject({ superseded: true });
    expect((await ask(otter, "tasks/cancel", { taskId: fourth.taskId })).resultType).toBe("complete");
    expect((await get(there, fourth.taskId)).status).toBe("cancelled");
  });
