import { onCommit } from "./commits.ts";
import type { Ctx, TxCtx } from "./context.ts";
import { MIGRATIONS } from "./db/migrations/index.ts";
import { deadDue, planAnew, planningDue, Scheduler } from "./due/index.ts";
import { type Consumer, consumerDue, eventRetention, kindOf, Reactions } from "./feed/index.ts";
import type { Hub } from "./hub.ts";
import { idempotencyDue } from "./idempotency.ts";
import type { Contents, DueHandler, DueJob, Module } from "./module.ts";

/** Tables of the core that, like the modules', belong to a space. */
const CORE_TABLES = ["events", "purges", "watermarks", "idempotency", "due", "due_dead", "waits"];

/** Those of them that mean something when the space has ended. */
const CORE_ARCHIVED = ["events", "purges", "watermarks"];

interface Parts {
  ctx: (space_id: string) => Ctx;
  /** Whether this node is the one that sees to a space. */
  prefers: (space_id: string) => boolean;
  /** Of what stands on this. */
  above: { due: Record<string, DueHandler>; jobs: Record<string, DueJob> };
}

/** Handles what is due in every space, from now on. */
export async function startScheduler(hub: Hub, { ctx, prefers, above }: Parts): Promise<Scheduler> {
  const { database, log, config, metrics } = hub;
  const consuming = consumerDue(consumersOf(hub.modules));
  const scheduler = new Scheduler({
    database,
    config,
    handlers: new Map(Object.entries({ ...dueOf(hub), ...consuming.handlers, ...above.due })),
    jobs: new Map([...hub.modules.flatMap(({ jobs }) => Object.entries(jobs ?? {})), ...Object.entries(above.jobs)]),
    throttle_ms: throttlesOf(hub.modules),
    prefers,
    died: new Map([...consuming.died, ...hub.modules.flatMap(({ died }) => Object.entries(died ?? {}))]),
    ctx,
    report: (error, row, dead = false) => {
      if (dead) metrics.dead.inc({ kind: row?.kind ?? "" });
      const what = dead ? "something that is due was given up" : "something that is due could not be done";
      log.error(what, { kind: row?.kind, space: row?.space_id, ref: row?.ref, attempt: row?.attempt, error });
    },
  });
  onCommit(hub, "what is due", ({ planned, planned_in }) => {
    if (planned.size > 0) scheduler.planned(planned_in, planned);
  });
  await planAnew(ctx, { begin: beginOf(hub), planned_for: plannedFor(hub) });
  scheduler.wake();
  return scheduler;
}

function dueOf(hub: Hub): Record<string, DueHandler> {
  const core = [eventsOf(hub.modules).due, idempotencyDue, planningDue(beginOf(hub)), deadDue];
  return Object.assign({}, ...core, ...hub.modules.map(({ due }) => due ?? {}));
}

const eventsOf = (modules: readonly Module[]) => eventRetention([...consumersOf(modules).keys()]);

const consumersOf = (modules: readonly Module[]): Map<string, Consumer> =>
  new Map(modules.flatMap(({ after }) => Object.entries(after ?? {})));

function throttlesOf(modules: readonly Module[]): Map<string, number> {
  const consumers = [...consumersOf(modules)].map(
    ([name, { throttle_ms = 0 }]) => [kindOf(name), throttle_ms] as const,
  );
  const own = modules.flatMap(({ throttle_ms }) => Object.entries(throttle_ms ?? {}));
  return new Map([...consumers, ...own].filter(([, ms]) => ms > 0));
}

/** What events lead to, in all modules. */
export function reactionsOf(modules: readonly Module[]): Reactions {
  const consumers = [...consumersOf(modules)];
  const types = [...new Set(consumers.flatMap(([, { types }]) => types))];
  const namesFor = (type: string): string[] =>
    consumers.filter(([, { types }]) => types.includes(type)).map(([name]) => name);
  const reactions = modules.flatMap((module) => Object.entries(module.with ?? {}));
  const byType = Map.groupBy(reactions, ([type]) => type);
  return new Reactions({
    with: new Map([...byType].map(([type, all]) => [type, all.map(([, react]) => react)])),
    after: new Map(types.map((type) => [type, namesFor(type)])),
  });
}

const beginOf =
  ({ modules, config }: Hub) =>
  async (ctx: TxCtx): Promise<void> => {
    await eventsOf(modules).plan(ctx, config);
    for (const module of modules) await module.plan?.(ctx, config);
  };

export const contentsOf = (modules: readonly Module[]): Contents => ({
  tables: [...CORE_TABLES, ...modules.flatMap((module) => module.tables)],
  long_tables: ["events", ...modules.flatMap((module) => module.long_tables ?? [])],
  archived: [
    ...CORE_ARCHIVED,
    ...modules.flatMap(({ tables, unarchived = [] }) => tables.filter((table) => !unarchived.includes(table))),
  ],
  reopened: new Map(modules.flatMap(({ reopened = {} }) => Object.entries(reopened))),
});

/** What `Module.plan` depends on. */
function plannedFor({ config, version }: Hub): string {
  const days = Object.entries(config).filter(([name]) => name.endsWith("_days"));
  return JSON.stringify({ version, schema: MIGRATIONS.length, ...Object.fromEntries(days) });
}
