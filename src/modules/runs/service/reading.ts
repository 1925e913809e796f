import { type Ctx, has, ONLOOKERS } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { fromColumns } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import type { Explainer } from "../../../module.ts";
import { page, startOf } from "../../../pages.ts";
import { cut } from "../../../text.ts";
import type { ListRuns, RunDetails, RunList, ShowRun } from "../schema.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";
import { runOf, wire, wireAttempt } from "./wire.ts";

const MOST_SHOWN = 200;

export async function list(ctx: Ctx, { state, kind, name, limit, before }: ListRuns): Promise<RunList> {
  const { space_id } = ctx.actor;
  const before_id = startOf(before);
  const wanted = { state: state ?? null, kind: kind ?? null, name: name ?? null };
  const rows = await store.listRuns(ctx.db, { space_id, before_id, limit: limit + 1, ...wanted });
  const pause = await store.findPause(ctx.db, space_id);
  const { shown, next } = page(rows, limit, ({ id }) => id);
  return {
    runs: await Promise.all(shown.map((row) => wire(ctx, row, pause !== undefined))),
    paused_at: pause?.paused_at ?? null,
    paused_by: pause?.paused_by ?? null,
    next,
  };
}

/** Whoever may list them may follow them. */
export async function followable({ actor }: Ctx): Promise<null> {
  if (has(actor, ...ONLOOKERS)) return null;
  throw new ParleyError("FORBIDDEN", `Runs are for ${ONLOOKERS.join(", ")}; you are ${actor.roles.join(", ")}.`);
}

export async function show(ctx: Ctx, { id, after }: ShowRun): Promise<RunDetails> {
  const row = await runOf(ctx, parseId(id));
  const { space_id } = ctx.actor;
  const where = { space_id, run_id: row.id };
  const output = await store.findOutput(ctx.db, where);
  const pause = await store.findPause(ctx.db, space_id);
  return {
    ...(await wire(ctx, row, pause !== undefined)),
    prompt: row.prompt,
    attempts: (await store.listAttempts(ctx.db, where)).map(wireAttempt),
    output: output ? behind(output, after) : "",
    output_bytes: output?.bytes ?? 0,
    output_attempt: output?.attempt ?? null,
  };
}

/** What is kept is the end of it: what lies before that is left out. */
function behind({ bytes, output }: { bytes: number; output: string }, after: number): string {
  const kept = Buffer.from(output);
  const from = Math.max(0, after - (bytes - kept.length));
  return kept.subarray(from).toString("utf8").toWellFormed();
}

export const runsExplain: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const row = await store.findRun(ctx.db, { space_id: ctx.actor.space_id, id });
    if (!row) return undefined;
    const shown = sees(ctx) ? { kind: "run", by: `${row.kind}:${row.name}`, text: cut(row.prompt, MOST_SHOWN) } : null;
    return { shown, cause: fromColumns(row) };
  },
  sees: async (ctx) => sees(ctx),
};

const sees = ({ actor }: Ctx): boolean => has(actor, ...ONLOOKERS);
