/** What events of triggers hold: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { defineEvent } from "../../../feed/index.ts";
import type { RunRow } from "../tables.ts";

export const TOPIC = "triggers";

type Of = { trigger: string };
type Fired = Of & { source: RunRow["source"]; state: Extract<RunRow["state"], "pending" | "skipped" | "failed"> };

const created = defineEvent<Of>({ topic: TOPIC, type: "trigger.created" });
const updated = defineEvent<Of>({ topic: TOPIC, type: "trigger.updated" });
const deleted = defineEvent<Of>({ topic: TOPIC, type: "trigger.deleted" });
const fired = defineEvent<Fired>({ topic: TOPIC, type: "trigger.fired" });
const ended = defineEvent<Of & Pick<RunRow, "state">>({ topic: TOPIC, type: "trigger.ended" });

const refused = defineEvent<Of>({ topic: TOPIC, type: "trigger.refused" });

/** Whose id is that of the event. */
export const tellCreated = (ctx: TxCtx, name: string): Promise<number> =>
  created.append(ctx, { stream: name, data: { trigger: name } });

interface Named {
  id: number;
  name: string;
}

export const tellUpdated = (ctx: TxCtx, { id: ref, name }: Named): Promise<number> =>
  updated.append(ctx, { stream: name, ref, data: { trigger: name } });

export const tellDeleted = (ctx: TxCtx, { id: ref, name }: Named): Promise<number> =>
  deleted.append(ctx, { stream: name, ref, data: { trigger: name } });

export const tellRefused = (ctx: TxCtx, { id: ref, name }: Named): Promise<number> =>
  refused.append(ctx, { stream: name, ref, data: { trigger: name } });

/** The run has the event's id. */
export const tellFired = (ctx: TxCtx, { name, ...what }: Omit<Fired, keyof Of> & { name: string }): Promise<number> =>
  fired.append(ctx, { stream: name, data: { trigger: name, ...what } });

export const tellEnded = (
  ctx: TxCtx,
  { id: ref, trigger_name: trigger }: Pick<RunRow, "id" | "trigger_name">,
  state: RunRow["state"],
): Promise<number> => ended.append(ctx, { stream: trigger, ref, data: { trigger, state } });
