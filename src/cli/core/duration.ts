import { durationOf, durationText } from "../../durations.ts";
import { invalid } from "./failure.ts";

/** In milliseconds: `55s`, `1m30s`, `4h`, `2d`, or 0. */
export function duration(flag: string, text: string): number {
  const ms = text === "0" ? 0 : durationOf(text);
  if (ms === undefined)
    throw invalid(`${flag} takes a time such as 55s, 1m30s, 4h or 2d, not ${JSON.stringify(text)}.`);
  return ms;
}

/** The same for how long to wait: for ever if left out. */
export const waitOf = (flag: string, text: string | undefined): number =>
  text === undefined ? Number.POSITIVE_INFINITY : duration(flag, text);

/**
 * A time from now as the point in time that it means now: what waits in the outbox must not mean another one when it
 * is sent. Everything else is left for the hub to understand.
 */
export function settled(text: string | undefined, now = Date.now()): string | undefined {
  const ms = text === undefined ? undefined : durationOf(text);
  if (ms === undefined) return text;
  const at = new Date(now + ms);
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999 ? text : at.toISOString();
}

/** How long until then, in its largest unit: `45s`, `12m`, `2h`, `3d`. */
export const remaining = (at: string, now = Date.now()): string => durationText(Date.parse(at) - now);
