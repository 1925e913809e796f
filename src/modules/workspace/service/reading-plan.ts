import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId } from "../../../ids.ts";
import { fittingPage } from "../../../pages.ts";
import type { Plan, PlanTask, ReadPlan } from "../schema.ts";
import * as store from "../store.ts";
import type { PlanTaskRow } from "../tables.ts";

/** The tasks in the order they were added, each with what it depends on and whether it can be started. */
export async function readPlan(ctx: Ctx, { status, assigned_to, ready, limit, after_id }: ReadPlan): Promise<Plan> {
  const rows = await store.listPlan(ctx.db, {
    space_id: ctx.actor.space_id,
    after_id: after_id === undefined ? 0 : parseId(after_id),
    status: status ?? "",
    assigned_to: assigned_to ?? "",
    ready: ready ? 1 : 0,
    limit: limit + 1,
  });
  const sized = rows.map((row) => ({ ...row, bytes: sizeOf(row) }));
  const { shown, has_more } = fittingPage(sized, limit);
  const last = shown.at(-1);
  const last_id = last ? formatId(last.id) : (after_id ?? null);
  return { plan: await wire(ctx, shown), has_more, last_id };
}

/** Roughly: with what is around the texts. */
const sizeOf = ({ description, summary }: PlanTaskRow): number => 400 + description.length + (summary?.length ?? 0);

export async function taskOf(ctx: Ctx, id: number): Promise<PlanTaskRow> {
  const row = await store.findPlanTask(ctx.db, { space_id: ctx.actor.space_id, id });
  if (row) return row;
  throw new ParleyError(
    "PLAN_TASK_NOT_FOUND",
    `There is no task ${formatId(id)} in the plan. read_plan shows all there are.`,
    { details: { task_id: formatId(id) } },
  );
}

export async function shownTask(ctx: Ctx, id: number): Promise<PlanTask> {
  const [shown] = await wire(ctx, [await taskOf(ctx, id)]);
  if (!shown) throw new Error("a row gives a task");
  return shown;
}

async function wire(ctx: Ctx, rows: readonly PlanTaskRow[]): Promise<PlanTask[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const all = await store.listLinks(ctx.db, { space_id: ctx.actor.space_id, first: first.id, last: last.id });
  const links = Map.groupBy(all, ({ task_id }) => task_id);
  return rows.map((row) => wireOne(row, links.get(row.id) ?? []));
}

function wireOne(row: PlanTaskRow, links: readonly store.LinkedRow[]): PlanTask {
  const { id, description, status, assigned_to, summary, author, updated_at, queue, queue_task_id } = row;
  const dependencies = links.filter(({ kind }) => kind === "blocks");
  const blocked_by = dependencies.filter((link) => link.status !== "completed");
  return {
    ...{ id: formatId(id), description, status, assigned_to },
    dependencies: dependencies.map(({ other_id }) => formatId(other_id)),
    ready: status === "todo" && blocked_by.length === 0,
    blocked_by: blocked_by.map(({ other_id }) => formatId(other_id)),
    links: links.flatMap(({ kind, other_id }) => (kind === "blocks" ? [] : [{ kind, task_id: formatId(other_id) }])),
    ...{ summary, author, updated_at },
    queued: queue !== null,
    queue_task_id: queue_task_id === null ? null : formatId(queue_task_id),
  };
}
