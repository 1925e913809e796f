/** What `parley mcp` does for workers and triggers of the task queue, whose tools know nothing of leases and sessions. */
import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { onDatabase, type TestHub } from "../testing/hub.ts";
import { modern } from "../testing/mcp-raw.ts";
import { until } from "../testing/process.ts";
import { linesOf } from "./stdio/lines.ts";
import { forwardStdio } from "./stdio.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
type Json = any;

const START = Date.parse("2027-03-01T09:00:00Z");
const opened: Stdio[] = [];
afterEach(async () => {
  for (const stdio of opened.splice(0)) await stdio.end();
});

/** A client at the other end of the pipes. */
class Stdio {
  readonly #input = new PassThrough();
  readonly #answers = new Map<unknown, Json>();
  readonly #over: Promise<void>;
  #last = 0;

  constructor({ url }: TestHub, token: string, session_key?: string) {
    const output = new PassThrough();
    void this.#read(output);
    const find = () => ({ url, token });
    this.#over = forwardStdio({ find, facets: ["tasks", "triggers"], session_key, input: this.#input, output });
    opened.push(this);
  }

  async #read(output: PassThrough): Promise<void> {
    for await (const line of linesOf(output)) {
      const answer = JSON.parse(line);
      this.#answers.set(answer.id, answer);
    }
  }

  async ask(method: string, params: Record<string, unknown>, capabilities = {}): Promise<Json> {
    const id = ++this.#last;
    this.#input.write(`${modern({ id, method, params }, capabilities).body}\n`);
    return (await until(() => this.#answers.get(id))).result;
  }

  async call(name: string, args: object = {}): Promise<Json> {
    const { isError, content, structuredContent } = await this.ask("tools/call", { name, arguments: args });
    return isError ? JSON.parse(content[0].text) : structuredContent;
  }

  async end(): Promise<void> {
    this.#input.end();
    await this.#over;
  }
}

onDatabase("sqlite", (open) => {
  const leaseOf = async (hub: TestHub, task_id: string): Promise<string> =>
    (await hub.call(hub.admin, "task_get", { task_id })).body.lease_expires_at;

  /** The hub's clock goes on by most of a lease, and the process at the pipe says so in time. */
  async function passLease(hub: TestHub, task_id: string): Promise<void> {
    const before = await leaseOf(hub, task_id);
    await hub.tick(900);
    await until(async () => (await leaseOf(hub, task_id)) > before);
  }

  test("TASK-12: a task that was taken over stdio stays its worker's for as long as the process lives, and no longer", async () => {
    const hub = await open({ now: START, config: { task_lease_seconds: 1 } });
    const mason = new Stdio(hub, await hub.token("worker", "mason"));
    const { id } = (await hub.call(hub.admin, "task_create", { content: "Build it" })).body;
    expect(await mason.call("get_next_task")).toMatchObject({ next_task: { id, attempt: 1 }, lease_seconds: 1 });
    for (let n = 0; n < 3; n += 1) await passLease(hub, id);
    expect((await hub.call(hub.admin, "task_get", { task_id: id })).body).toMatchObject({
      ...{ status: "processing", attempt: 1, attempts: [{ outcome: null }] },
    });
    await mason.end();
    await hub.tick(5000);
    expect((await hub.call(hub.admin, "task_get", { task_id: id })).body).toMatchObject({
      ...{ status: "pending", attempts: [{ outcome: "expired" }] },
    });
  });

  test("TASK-12: a task that its worker had already is kept too, and one that was the end of a long wait", async () => {
    const hub = await open({ now: START, config: { task_lease_seconds: 1 } });
    const token = await hub.token("worker", "mason");
    const { id } = (await hub.call(hub.admin, "task_create", { content: "one" })).body;
    await hub.call(token, "get_next_task");
    const again = new Stdio(hub, token);
    expect(await again.call("get_next_task")).toMatchObject({ next_task: null, active_task: { id }, lease_seconds: 1 });
    for (let n = 0; n < 2; n += 1) await passLease(hub, id);
    await again.call("task_complete", { task_id: id, response_summary: "done" });

    const capable = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const { taskId } = await again.ask(
      "tools/call",
      { name: "get_next_task", arguments: { wait_seconds: 60 } },
      capable,
    );
    const waiting = again.ask("tasks/get", { taskId }, capable);
    const later = (await hub.call(hub.admin, "task_create", { content: "two" })).body.id;
    expect((await waiting).result.structuredContent.next_task.id).toBe(later);
    for (let n = 0; n < 2; n += 1) await passLease(hub, later);
  });

  test("TASK-13, TASK-14: the attempt is added where it is left out, so that who lost a task is told so", async () => {
    const hub = await open({ now: START, config: { task_lease_seconds: 60 } });
    const token = await hub.token("worker", "mason");
    const first = new Stdio(hub, token);
    const { id } = (await hub.call(hub.admin, "task_create", { content: "Build it" })).body;
    await first.call("get_next_task");
    // Its lease ends, and another process of the same worker is given it.
    await hub.tick(61_000);
    await hub.tick(61_000);
    expect((await hub.call(token, "get_next_task")).body.next_task).toMatchObject({ id, attempt: 2 });
    const done = { task_id: Number(id), response_summary: "done" };
    expect(await first.call("task_complete", done)).toMatchObject({ code: "LEASE_LOST" });
    const second = new Stdio(hub, token);
    await second.call("get_next_task");
    expect(await second.call("task_complete", done)).toMatchObject({ status: "done", attempt: 2 });
    expect((await second.call("task_complete", done)).error).toBe(
      `Task ${id} is 'done' — can only complete tasks in 'processing' status`,
    );
  });

  test("WAKE-7: a trigger's task is awaited by the session that the process is of", async () => {
    const hub = await open({ now: START });
    const gmail = new Stdio(hub, await hub.token("trigger", "gmail"), "thread-7");
    const awaits = async (more: object = {}) => {
      const { id } = await gmail.call("task_create", { content: "one", ...more });
      return (await hub.call(hub.admin, "task_get", { task_id: id })).body.awaits;
    };
    expect(await awaits()).toMatchObject([{ waiter: "trigger:gmail", session_key: "thread-7" }]);
    expect(await awaits({ session_key: "other" })).toMatchObject([{ session_key: "other" }]);
  });

  test("ROLE-1, ROLE-2: each role is shown the seed's tools, what it may do beside them, and none of the other's", async () => {
    const hub = await open({ now: START });
    const shown = async (role: "worker" | "trigger") => {
      const stdio = new Stdio(hub, await hub.token(role, role));
      return (await stdio.ask("tools/list", {})).tools.map(({ name }: { name: string }) => name);
    };
    const shared = ["trigger_create", "trigger_delete", "trigger_list", "trigger_run", "trigger_update"];
    expect(await shown("trigger")).toEqual([
      ...["task_cancel", "task_create", "task_get", "task_update", "task_wait"],
      ...shared,
    ]);
    expect(await shown("worker")).toEqual([
      ...["get_next_task", "inbox_stats", "task_complete", "task_fail", "task_get", "task_heartbeat", "task_list"],
      ...shared,
    ]);
  });
});
