/**
 * Why something happened, step by step. Each step is shown as far as whoever asks could read it; of what is not for them
 * only that there is something. Where what led to it is no longer kept the answer says so. See docs/design/causes.md.
 */
import type { Ctx } from "../../context.ts";
import { ParleyError } from "../../errors.ts";
import { explain, listCausedBy } from "../../feed/index.ts";
import { formatId, parseId, timeOfId } from "../../ids.ts";
import type { Explained } from "../../module.ts";
import type { AskWhy, Step, Why } from "./schema.ts";

const MOST_STEPS = 20;
const MOST_LED_TO = 20;

export async function why(ctx: Ctx, { id }: AskWhy): Promise<Why> {
  const asked = parseId(id);
  const found = await explain(ctx, asked);
  if (!found?.shown)
    throw new ParleyError("NOT_FOUND", `Nothing that you may see has the id ${id}, or it is no longer kept.`);
  return { ...(await chainFrom(ctx, asked, found)), led_to: await ledTo(ctx, asked) };
}

/** It ends, since a cause is always smaller than what it led to; and it is no longer than anybody reads. */
async function chainFrom(ctx: Ctx, asked: number, first: Explained): Promise<Pick<Why, "steps" | "end">> {
  const steps: Why["steps"] = [];
  for (let id = asked, found: Explained | undefined = first; ; found = await explain(ctx, id)) {
    if (!found) return { steps, end: "gone" };
    if (steps.length === MOST_STEPS) return { steps, end: "more" };
    const { cause } = found;
    steps.push({ ...stepOf(id, found), how: cause?.how ?? null });
    if (!cause) return { steps, end: "first" };
    id = cause.id;
  }
}

async function ledTo(ctx: Ctx, cause: number): Promise<Step[]> {
  const ids = await listCausedBy(ctx.db, { space_id: ctx.actor.space_id, cause, limit: MOST_LED_TO });
  const steps: Step[] = [];
  for (const id of ids) {
    const found = await explain(ctx, id);
    if (found?.shown) steps.push(stepOf(id, found));
  }
  return steps;
}

/** Of what may not be seen not even the id, which would say when it was. */
const stepOf = (id: number, { shown }: Explained): Step =>
  shown
    ? { id: formatId(id), at: timeOfId(id), ...shown }
    : { id: null, at: null, kind: null, by: null, text: "something you may not see" };
