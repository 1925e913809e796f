/** Three nodes share a queue, schedules and runs, and are killed in the middle of each. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown, type Reply } from "../src/testing/crowd.ts";
import { killIfThere } from "../src/testing/kill.ts";
import { createDatabase } from "../src/testing/postgres.ts";
import { until } from "../src/testing/process.ts";
import { Restarts } from "../src/testing/restarts.ts";
import { define, unruly } from "../src/testing/runs.ts";
import { writtenLines } from "../src/testing/written.ts";

const KILLED = { code: null, signal: "SIGKILL" };
const MINUTE_MS = 60_000;

async function openNodes(cleanup: AsyncDisposableStack, many: number) {
  const { url, drop } = await createDatabase();
  cleanup.defer(drop);
  const nodes = Array.from({ length: many }, () => cleanup.use(new Restarts({ url })));
  return { url, nodes };
}

/** Has every trigger's slot of this minute come: none has to wait for the next. */
async function letSlotsCome(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const slot = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS).toISOString();
  await client.query("update triggers set next_run = $1 where last_slot is null", [slot]);
  await client.query("update due set at = $1 where kind = 'trigger.cron' and at > $1", [slot]);
  await client.end();
}

test("CRON-7, G10 and G11: of three nodes one is killed in mid-claim and one in mid-slot: no slot fires twice, no task is anybody else's at the same time, and all are done", async () => {
  await using cleanup = new AsyncDisposableStack();
  const { url, nodes } = await openNodes(cleanup, 3);
  const [stays, claims, fires] = nodes as [Restarts, Restarts, Restarts];
  await stays.start();
  await Promise.all([
    claims.start({ PARLEY_TASK_LEASE_SECONDS: "3", PARLEY_FAILPOINT: "claim.before_reply:kill:4" }),
    fires.start({ PARLEY_FAILPOINT: "cron.after_slot_insert:kill" }),
  ]);
  const tokens = await Promise.all(Array.from({ length: 6 }, (_, n) => stays.token("worker", `mason-${n}`)));
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => callTool(stays.admin, "task_create", { content: `Job ${n}` })),
  );

  const shift = new Shift(stays, claims);
  const working = Promise.all(tokens.map(({ token }, n) => shift.work(token, nodes[n % nodes.length] ?? stays)));
  // Whoever fails is told of where it is waited for, not beside the test.
  working.catch(() => {});
  expect(await claims.ended()).toEqual(KILLED);
  // Some of these any node may have fired, until one is the last thing that this one does.
  const names: string[] = [];
  await until(async () => {
    const name = `often-${names.length}`;
    await ask(stays.admin, "trigger_create", { name, type: "cron", schedule: "* * * * *", overlap: "allow" });
    names.push(name);
    await letSlotsCome(url);
    // A node looks at what is due when it has planned something itself.
    const soon = new Date(Date.now() + 1000).toISOString();
    await callTool({ ...stays.admin, url: () => fires.hub.url }, "task_create", { content: "Later", run_at: soon });
    return fires.hub.child.signalCode !== null;
  });
  expect(await fires.ended()).toEqual(KILLED);
  await fires.start();

  const runs = async (): Promise<Fired[]> => (await ask(stays.admin, "trigger_runs", { limit: 100 })).runs;
  const fired = await until(async () => {
    const found = (await runs()).filter(({ state }) => state !== "skipped");
    return new Set(found.map(({ trigger }) => trigger)).size === names.length ? found : undefined;
  });
  await until(async () => {
    const { by_status } = await ask(stays.admin, "inbox_stats", {});
    return !by_status.pending && !by_status.processing && by_status.done >= 30 + fired.length;
  });
  shift.isOver = true;
  await working;

  const slots = (await runs()).map(({ trigger, scheduled_at }) => `${trigger} ${scheduled_at}`);
  expect(new Set(slots).size).toBe(slots.length);
  const made = fired.flatMap(({ task_id }) => task_id ?? []);
  expect(new Set(made).size).toBe(fired.length);
  // What was given to one was given to nobody else, and each was completed by who had it then.
  expect(new Set(shift.claimed).size).toBe(shift.claimed.length);
  const done = await Promise.all(
    [...shift.completed.keys()].map((id) => ask(stays.admin, "task_get", { task_id: id })),
  );
  for (const { id, attempts } of done) {
    expect(attempts.map(({ outcome }: Attempt) => outcome).join(" ")).toMatch(/^(expired )*done$/);
    expect(shift.completed.get(id)).toEqual([`${attempts.at(-1).worker} ${attempts.at(-1).attempt}`]);
    const times = attempts.flatMap(({ claimed_at, ended_at }: Attempt) => [claimed_at, ended_at]);
    expect(times).toEqual(times.toSorted());
  }
  // The claim that nobody heard of has cost its lease, and counts no more.
  const dead = tokens.map((_, n) => `mason-${n}`).filter((_, n) => nodes[n % nodes.length] === claims);
  const lost = done.find(({ attempts: [first] }) => first.outcome === "expired" && dead.includes(first.worker));
  const { token = "" } = tokens[Number(lost?.attempts[0].worker.slice("mason-".length))] ?? {};
  const stale = { task_id: lost?.id, attempt: 1, response_summary: "late" };
  const refused = await callTool({ token, url: () => stays.hub.url }, "task_complete", stale);
  expect(refused).toMatchObject({ status: 409, body: { code: "LEASE_LOST" } });
});

test("a run of a killed node is given up after its lease and begins anew elsewhere, without the session that stays there", async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "parley-nodes-"));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [began, go] = [join(folder, "began"), join(folder, "go")];
  const pids = (): number[] => writtenLines(began).map(Number);
  cleanup.defer(() => {
    for (const pid of pids()) killIfThere(pid);
  });
  const { nodes } = await openNodes(cleanup, 2);
  const [killed, other] = nodes as [Restarts, Restarts];
  const env = (PARLEY_MACHINE: string) => ({ PARLEY_MACHINE, PARLEY_NODE_LEASE_SECONDS: "2" });
  for (const { ground } of [killed, other]) {
    mkdirSync(ground.home, { mode: 0o700 });
    define(ground, { trigger: unruly(`touch:${began}`, `wait:${go}`) });
  }
  await killed.start(env("first"));
  const session = { session_mode: "persistent", session_key: "one" };
  await ask(killed.admin, "trigger_create", { name: "by-hand", type: "manual", ...session });
  const run = async ({ admin }: Restarts): Promise<string> =>
    (await ask(admin, "trigger_run", { name: "by-hand" })).run_id;
  const isOver = ({ admin }: Restarts, id: string) =>
    until(async () => {
      const shown = await ask(admin, "run_show", { id });
      return shown.state === "done" ? shown : undefined;
    });

  writeFileSync(go, "");
  const { session_id } = await isOver(killed, await run(killed));
  rmSync(go);
  const id = await run(killed);
  await until(() => pids().length === 2);
  await killed.kill();
  await other.start(env("second"));
  await until(() => pids().length === 3);
  writeFileSync(go, "");
  const { attempts } = await isOver(other, id);
  expect(attempts).toMatchObject([
    { outcome: "lost", host: "first", session_id, resumed: true },
    { outcome: "done", host: "second", resumed: false, session_id: expect.not.stringMatching(session_id) },
  ]);
  const [first, second] = attempts;
  expect(Date.parse(second.claimed_at)).toBeGreaterThanOrEqual(Date.parse(first.ended_at));
});

interface Fired {
  trigger: string;
  state: string;
  scheduled_at: string;
  task_id: string | null;
}

interface Attempt {
  attempt: number;
  worker: string;
  claimed_at: string;
  ended_at: string;
  outcome: string;
}

/** Workers, each at a node. One at the node that is killed while it claims dies with it; the others go elsewhere. */
class Shift {
  readonly claimed: string[] = [];
  readonly completed = new Map<string, string[]>();
  isOver = false;
  readonly #elsewhere: Restarts;
  readonly #deadly: Restarts;

  constructor(elsewhere: Restarts, deadly: Restarts) {
    this.#elsewhere = elsewhere;
    this.#deadly = deadly;
  }

  async work(token: string, node: Restarts): Promise<void> {
    for (let at = node; !this.isOver; ) {
      const given = await callTool({ token, url: () => at.hub.url }, "get_next_task", { wait_seconds: 1 });
      if (!given && at === this.#deadly) return;
      if (!given) at = this.#elsewhere;
      const task: Claimed | undefined = given?.body.next_task ?? given?.body.active_task;
      if (task) await this.#complete(token, task);
    }
  }

  async #complete(token: string, { id: task_id, attempt, claimed_by }: Claimed): Promise<void> {
    this.claimed.push(`${task_id} ${attempt}`);
    const caller = { token, url: () => this.#elsewhere.hub.url };
    const { status, body } = await callUntilKnown(caller, "task_complete", {
      task_id,
      attempt,
      response_summary: "done",
    });
    // Where it took longer than its lease it is somebody else's.
    if (body.code === "LEASE_LOST") return;
    expect(status).toBe(200);
    this.completed.set(task_id, [...(this.completed.get(task_id) ?? []), `${claimed_by} ${attempt}`]);
  }
}

interface Claimed {
  id: string;
  attempt: number;
  claimed_by: string;
}

async function ask(caller: Caller, tool: string, args: object): Promise<Reply["body"]> {
  const { status, body } = await callUntilKnown(caller, tool, args);
  if (status !== 200) throw new Error(`${tool}: ${status} ${JSON.stringify(body)}`);
  return body;
}
