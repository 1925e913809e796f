import type { TxCtx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { close, raise } from "../../notices/index.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { TOPIC, tellStreak } from "./events.ts";
import { isoAt } from "./wire.ts";

const FIRST_BACKOFF_MS = 30_000;
const LONGEST_BACKOFF_MS = 900_000;
/** So often in a row something fails before a person is told. */
const TOLD_AFTER = 3;
const FAILING = "runs.failing";

/** 30 s, 60 s, … 15 minutes. */
export const backoff = (failures: number): number =>
  Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1));

type Named = Pick<RunRow, "kind" | "name">;
type Failed = Pick<RunRow, "id" | "kind" | "name"> & { error: string };

/** Counts it. A person is told once in each row of failures. When the next may begin. */
export async function addFailure(ctx: TxCtx, { id, kind, name, error }: Failed): Promise<string> {
  const known = await store.findStreak(ctx.tx, { space_id: ctx.tx.space_id, kind, name });
  const failures = (known?.failures ?? 0) + 1;
  const began_id = known?.began_id ?? id;
  const retry_at = isoAt(ctx.now() + backoff(failures));
  await store.saveStreak(ctx.tx, { kind, name, failures, began_id, retry_at });
  if (!known) await tellStreak(ctx, "began", { kind, name });
  if (failures === TOLD_AFTER)
    await raise(ctx, {
      key: `${FAILING} ${formatId(began_id)}`,
      kind: FAILING,
      title: `${wordsFor(kind)} ${name} failed ${TOLD_AFTER} times in a row`,
      text: `Run ${formatId(id)}: ${error} It is tried again, more and more rarely.`,
      topic: TOPIC,
      ref: began_id,
    });
  return retry_at;
}

/** One went well, or none is to come: what was told is over. */
export async function endStreak(ctx: TxCtx, { kind, name }: Named): Promise<void> {
  const known = await store.findStreak(ctx.tx, { space_id: ctx.tx.space_id, kind, name });
  if (!known) return;
  await store.deleteStreak(ctx.tx, { kind, name });
  await tellStreak(ctx, "ended", { kind, name });
  await close(ctx, { kind: FAILING, topic: TOPIC, ref: known.began_id });
}

const wordsFor = (kind: RunRow["kind"]): string =>
  ({ trigger: "The program of the trigger", worker: "The program of the worker", mail: "The program of the agent" })[
    kind
  ];
