import { invalid } from "../core/failure.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3600_000, d: 86_400_000 };
const PART = /(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)/g;
const WHOLE = /^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h|d))+$/;

/** `55s`, `1m30s`, `4h`, `2d`, or 0. */
export function duration(flag: string, text: string): number {
  if (text === "0") return 0;
  if (!WHOLE.test(text))
    throw invalid(`${flag} takes a time such as 55s, 1m30s, 4h or 2d, not ${JSON.stringify(text)}.`);
  return durationOf(text);
}

/**
 * A time from now as the point in time that it means now: what waits in the outbox must not mean another one when it
 * is sent. Everything else is left for the hub to understand.
 */
export function settled(text: string | undefined, now = Date.now()): string | undefined {
  if (text === undefined || !WHOLE.test(text)) return text;
  const at = new Date(now + durationOf(text));
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999 ? text : at.toISOString();
}

/** How long until then, in its largest unit: `45s`, `12m`, `2h`, `3d`. */
export function remaining(at: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((Date.parse(at) - now) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

const durationOf = (text: string): number =>
  [...text.matchAll(PART)].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
