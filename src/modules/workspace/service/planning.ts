import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import {
  type AddedTasks,
  type AddTasks,
  type LinkKind,
  MOST_AT_ONCE,
  MOST_PLAN_TASKS,
  type NewPlanTask,
  type Reference,
} from "../schema.ts";
import * as store from "../store.ts";
import type { PlanLinkRow, PlanTaskRow } from "../tables.ts";
import { tellPlanned } from "./events.ts";
import { handReady, wanted } from "./queueing.ts";
import { authorOf, isoNow } from "./wire.ts";

/** Adds all of these or none: each with what it depends on, in the plan or among these. */
export function addTasks(ctx: Ctx, { tasks: given }: AddTasks): Promise<AddedTasks> {
  const references = referencesOf(given);
  refuseCycles(references);
  return transact(ctx, async (ctx) => {
    const author = await authorOf(ctx);
    await checkRoom(ctx, given.length);
    const others = await othersOf(ctx, references);
    const ids = given.map(() => ctx.tx.takeId());
    const links = references.map(({ from, kind, to }): PlanLinkRow => {
      // Checked by `referencesOf`: it is one of these.
      return { task_id: ids[from] as number, kind, other_id: "index" in to ? (ids[to.index] as number) : to.id };
    });
    const unmet = unmetAmong(links, others);
    const rows = given.map((task, at): PlanTaskRow => {
      const { description, assigned_to, queue } = task;
      const facts = { id: ids[at] as number, description, status: "todo" as const, assigned_to: assigned_to || null };
      const none = { queue: null, queued_by: null, queued_by_id: null };
      const queued = queue ? wanted(author) : none;
      const made = { ...author, ...toColumns(ctx.cause), updated_at: isoNow(ctx) };
      return { ...facts, summary: null, ...made, ...queued, queue_task_id: null };
    });
    await store.insertPlanTasks(ctx.tx, rows);
    await store.insertLinks(ctx.tx, links);
    for (const row of rows) await tellPlanned(ctx, row);
    await handReady(
      ctx,
      rows.filter(({ queue }) => queue !== null).map(({ id }) => id),
    );
    const tasks = rows.map(({ id, description }) => ({ task_id: formatId(id), description, ready: !unmet.has(id) }));
    return { count: tasks.length, tasks };
  });
}

async function checkRoom(ctx: TxCtx, more: number): Promise<void> {
  if ((await store.countPlanTasks(ctx.tx)) + more > MOST_PLAN_TASKS)
    throw new ParleyError("LIMIT_REACHED", `A plan has at most ${MOST_PLAN_TASKS} tasks; nothing was added.`, {
      details: { limit: MOST_PLAN_TASKS },
    });
}

/** From a task of the batch to what it depends on, comes from or is part of. */
interface ReferenceTo {
  from: number;
  kind: LinkKind;
  to: { index: number } | { id: number };
}

function referencesOf(given: readonly NewPlanTask[]): ReferenceTo[] {
  const refs = new Map<string, number>();
  for (const [at, { ref }] of given.entries()) {
    if (ref === undefined) continue;
    if (refs.has(ref)) throw invalid(at, "ref", `another task of this batch has the ref ${JSON.stringify(ref)} too`);
    refs.set(ref, at);
  }
  return given.flatMap(({ dependencies, parent, discovered_from }, from) => {
    const resolve = (field: string, kind: LinkKind, reference: Reference): ReferenceTo => ({
      from,
      kind,
      to: resolved(reference, { refs, size: given.length, fail: (why) => invalid(from, field, why) }),
    });
    return [
      ...[...new Set(dependencies)].map((reference) => resolve("dependencies", "blocks", reference)),
      ...(parent === undefined ? [] : [resolve("parent", "parent", parent)]),
      ...(discovered_from === undefined ? [] : [resolve("discovered_from", "discovered_from", discovered_from)]),
    ];
  });
}

interface Batch {
  refs: ReadonlyMap<string, number>;
  size: number;
  fail: (why: string) => ParleyError;
}

/** No id is as small as an index: they are microseconds since 1970. */
function resolved(reference: Reference, { refs, size, fail }: Batch): ReferenceTo["to"] {
  const index = refs.get(String(reference));
  if (index !== undefined) return { index };
  const number = typeof reference === "number" ? reference : /^\d{1,16}$/.test(reference) ? Number(reference) : NaN;
  if (Number.isSafeInteger(number) && number >= 0 && number < size) return { index: number };
  if (Number.isSafeInteger(number) && number >= MOST_AT_ONCE) return { id: number };
  throw unknownTask(reference, fail);
}

const unknownTask = (reference: Reference, fail: (why: string) => ParleyError): ParleyError =>
  new ParleyError(
    "PLAN_TASK_NOT_FOUND",
    fail(`there is no task ${JSON.stringify(reference)} in the plan or this batch`).message,
    { details: { task_id: String(reference) } },
  );

const invalid = (at: number, field: string, why: string): ParleyError =>
  new ParleyError("INVALID_ARGUMENT", `add_tasks: tasks.${at}.${field}: ${why}; nothing was added.`);

/** Only among themselves: what is in the plan already depends on none of them. */
function refuseCycles(references: readonly ReferenceTo[]): void {
  for (const kind of ["blocks", "parent"] as const) {
    const next = new Map<number, number[]>();
    for (const { from, to } of references.filter((reference) => reference.kind === kind))
      if ("index" in to) next.set(from, [...(next.get(from) ?? []), to.index]);
    const cycle = cycleIn(next);
    if (cycle)
      throw new ParleyError(
        "PLAN_CYCLE",
        `add_tasks: the tasks ${cycle.join(" → ")} of this batch lead in a circle (${kind}); nothing was added.`,
        { details: { kind, indexes: cycle.slice(0, -1) } },
      );
  }
}

/** The first circle there is, from a place back to itself. No recursion: a way may be long. */
function cycleIn(next: ReadonlyMap<number, readonly number[]>): number[] | undefined {
  const done = new Set<number>();
  for (const start of next.keys()) {
    const way: { at: number; rest: number[] }[] = [{ at: start, rest: [...(next.get(start) ?? [])] }];
    for (let top = way.at(-1); top && !done.has(top.at); top = way.at(-1)) {
      const to = top.rest.pop();
      if (to === undefined) {
        done.add(top.at);
        way.pop();
        continue;
      }
      const places = way.map(({ at }) => at);
      if (places.includes(to)) return [...places.slice(places.indexOf(to)), to];
      if (!done.has(to)) way.push({ at: to, rest: [...(next.get(to) ?? [])] });
    }
  }
  return undefined;
}

/** The tasks of the plan that are referred to. */
async function othersOf(ctx: TxCtx, references: readonly ReferenceTo[]): Promise<Map<number, PlanTaskRow>> {
  const ids = [...new Set(references.flatMap(({ to }) => ("id" in to ? [to.id] : [])))];
  if (ids.length === 0) return new Map();
  const rows = await store.listPlanTasks(ctx.tx, { space_id: ctx.tx.space_id, ids });
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const { from, kind, to } of references) {
    const field = kind === "blocks" ? "dependencies" : kind;
    if ("id" in to && !known.has(to.id)) throw unknownTask(String(to.id), (why) => invalid(from, field, why));
  }
  return known;
}

/** Those that something blocks: what is new is not completed. */
function unmetAmong(links: readonly PlanLinkRow[], others: ReadonlyMap<number, PlanTaskRow>): Set<number> {
  const blocks = links.filter(({ kind }) => kind === "blocks");
  return new Set(
    blocks.filter(({ other_id }) => others.get(other_id)?.status !== "completed").map(({ task_id }) => task_id),
  );
}
