/** What events of triggers hold: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { append } from "../../../feed/index.ts";
import type { RunRow } from "../tables.ts";

export const TOPIC = "triggers";

/** Whose id is that of the event. */
export const tellCreated = (ctx: TxCtx, name: string): Promise<number> =>
  append(ctx, { type: "trigger.created", topic: TOPIC, stream: name, data: { trigger: name } });

interface Named {
  id: number;
  name: string;
}

export const tellUpdated = (ctx: TxCtx, { id: ref, name }: Named): Promise<number> =>
  append(ctx, { type: "trigger.updated", topic: TOPIC, stream: name, ref, data: { trigger: name } });

export const tellDeleted = (ctx: TxCtx, { id: ref, name }: Named): Promise<number> =>
  append(ctx, { type: "trigger.deleted", topic: TOPIC, stream: name, ref, data: { trigger: name } });

/** The run has the event's id. */
export const tellFired = (
  ctx: TxCtx,
  { name, source, state }: { name: string; source: RunRow["source"]; state: "pending" | "skipped" | "failed" },
): Promise<number> =>
  append(ctx, { type: "trigger.fired", topic: TOPIC, stream: name, data: { trigger: name, source, state } });

export const tellEnded = (
  ctx: TxCtx,
  { id: ref, trigger_name: trigger }: Pick<RunRow, "id" | "trigger_name">,
  state: RunRow["state"],
): Promise<number> =>
  append(ctx, { type: "trigger.ended", topic: TOPIC, stream: trigger, ref, data: { trigger, state } });
