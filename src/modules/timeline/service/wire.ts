import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import { type AgentRow, noSuchAgent, self } from "../../identity/index.ts";
import type { LogEvent } from "../schema.ts";
import type { EventRow } from "../tables.ts";
import { LONG } from "./entries.ts";

export const isoAt = (ms: number): string => new Date(ms).toISOString();
export const isoNow = (ctx: Ctx): string => isoAt(ctx.now());
export const idOrNull = (id: number | null): string | null => (id === null ? null : formatId(id));
export const dollars = (micros: number | null): number | null => (micros === null ? null : micros / 1_000_000);

/** The agent that the actor is. To name another is to name one that does not exist. */
export async function own(ctx: Ctx, name: string | undefined): Promise<AgentRow> {
  const agent = await self(ctx);
  if (name !== undefined && name !== agent.name) throw noSuchAgent(name);
  return agent;
}

export const superseded = ({ name }: Pick<AgentRow, "name">): ParleyError =>
  new ParleyError("RUNTIME_SUPERSEDED", `Another runtime of ${name} was started after this one, which counts no more.`);

/** With the whole of its text. */
export function logEvent({ id, turn_id, type, body, text = null }: EventRow & { text?: string | null }): LogEvent {
  // Written by `log`, from entries of that type. Each row makes one object, and no other: a conversation has thousands.
  const event = JSON.parse(body) as Record<string, unknown>;
  event.id = formatId(id);
  event.turn_id = idOrNull(turn_id);
  event.type = type;
  if (typeof event.chat_id === "number") event.chat_id = formatId(event.chat_id);
  const long = LONG[type];
  if (text !== null && long !== undefined) event[long] = text;
  return event as LogEvent;
}

/** A token of a runtime works until it is ended; none is made for ever. */
export const TOKEN_MS = 10 * 365 * 86_400_000;
