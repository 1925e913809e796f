import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import type { LinkedTasks, LinkTasks } from "../schema.ts";
import * as store from "../store.ts";
import type { PlanLinkRow } from "../tables.ts";
import { linkOf, tellLink } from "./events.ts";
import { handReady } from "./queueing.ts";
import { taskOf } from "./reading-plan.ts";

/** Says that a task depends on another one, comes from it or is part of it. */
export function link(ctx: Ctx, wanted: LinkTasks): Promise<LinkedTasks> {
  return transact(ctx, async (ctx) => {
    const known = await knownLinks(ctx, wanted);
    if (known.some(({ other_id }) => other_id === wanted.other_id)) return wire(wanted, false);
    const [parent] = known;
    if (wanted.kind === "parent" && parent)
      throw new ParleyError(
        "CONFLICT",
        `Task ${formatId(wanted.task_id)} is part of ${formatId(parent.other_id)} already. Take that away with plan_unlink first.`,
      );
    await refuseCycle(ctx, wanted);
    await store.insertLinks(ctx.tx, [wanted]);
    await tellLink(ctx, "linked", wanted);
    return wire(wanted, true);
  });
}

/** Takes it back. */
export function unlink(ctx: Ctx, wanted: LinkTasks): Promise<LinkedTasks> {
  return transact(ctx, async (ctx) => {
    await knownLinks(ctx, wanted);
    if ((await store.deleteLink(ctx.tx, wanted)) === 0) return wire(wanted, false);
    await tellLink(ctx, "unlinked", wanted);
    await handReady(ctx, [wanted.task_id]);
    return wire(wanted, true);
  });
}

/** What the task has of the same kind; both have to be there. */
async function knownLinks(ctx: TxCtx, { task_id, other_id, kind }: PlanLinkRow): Promise<store.LinkedRow[]> {
  await taskOf(ctx, task_id);
  await taskOf(ctx, other_id);
  const links = await store.listLinks(ctx.tx, { space_id: ctx.tx.space_id, first: task_id, last: task_id });
  return links.filter((each) => each.kind === kind);
}

async function refuseCycle(ctx: TxCtx, { task_id, other_id, kind }: PlanLinkRow): Promise<void> {
  const isCircle =
    task_id === other_id ||
    (kind !== "discovered_from" && (await store.isReached(ctx.tx, { from_id: other_id, kind, to_id: task_id })));
  if (!isCircle) return;
  const [one, other] = [formatId(task_id), formatId(other_id)];
  const why = kind === "parent" ? `${other} is part of ${one}` : `${other} depends on ${one}`;
  throw new ParleyError(
    "PLAN_CYCLE",
    `${one === other ? "A task has no link to itself" : `They would lead in a circle: ${why}, if not directly`}; nothing was changed.`,
    { details: { task_id: one, other_id: other, kind } },
  );
}

const wire = (row: PlanLinkRow, changed: boolean): LinkedTasks => ({ ...linkOf(row), changed });
