import type { Ctx } from "./context.ts";
import { durationOf } from "./durations.ts";
import { ParleyError } from "./errors.ts";

const FARTHEST_MS = 3660 * 86_400_000;

/** As long as a sender may keep what it could not send. */
const LONGEST_KEPT_MS = 7 * 86_400_000;

interface Meaning {
  what: string;
  past?: boolean;
  /** When it was said, if that was before now. */
  said_at?: string | undefined;
}

/** A time that was written as `2h`, as a day or as ISO-8601 with its zone. */
export function parseTime(ctx: Ctx, text: string, { what, past = false, said_at }: Meaning): number {
  const now = said_at === undefined ? ctx.now() : saidAt(ctx, said_at);
  const time = fromNow(text, past ? -now : now) ?? absolute(text);
  if (time === undefined)
    throw new ParleyError(
      "INVALID_ARGUMENT",
      `${what}: ${JSON.stringify(text)} is not a time. Write 30m, 2h, 3d, 2026-11-20 or 2026-11-20T09:00:00Z.`,
    );
  if (!past && time <= now) throw new ParleyError("INVALID_ARGUMENT", `${what}: ${text} has passed.`);
  if (Math.abs(time - now) > FARTHEST_MS)
    throw new ParleyError("INVALID_ARGUMENT", `${what}: ${text} is more than ten years away.`);
  return time;
}

/** A sender's clock may be wrong: never later than now, and never longer ago than anything is kept. */
const saidAt = (ctx: Ctx, text: string): number =>
  Math.max(ctx.now() - LONGEST_KEPT_MS, Math.min(ctx.now(), Date.parse(text)));

/** Forward, or with a negative time backward from there. */
function fromNow(text: string, now: number): number | undefined {
  const away_ms = durationOf(text);
  return away_ms === undefined ? undefined : Math.abs(now + away_ms);
}

/** A day begins in UTC: whose zone else it could be is not known. */
function absolute(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || !isDay(text.slice(0, 10)) ? undefined : time;
}

/** Read as a time, the 30th of February is the 2nd of March. */
const isDay = (text: string): boolean => new Date(text).toISOString().startsWith(text);
