import { timeOfDay } from "./clock.ts";

/** Made when it is first needed: each takes milliseconds to make, and the page is waited for. */
function format(options: Intl.DateTimeFormatOptions): (ts: string) => string {
  let made: Intl.DateTimeFormat | undefined;
  return (ts) => {
    made ??= new Intl.DateTimeFormat(undefined, options);
    return made.format(new Date(ts));
  };
}

export const exactTime = format({ dateStyle: "full", timeStyle: "medium" });
const weekday = format({ weekday: "long", day: "numeric", month: "long" });
const withYear = format({ day: "numeric", month: "long", year: "numeric" });
const short = format({ day: "numeric", month: "short" });

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const HALF_A_YEAR_MS = 180 * DAY_MS;

export const isSameDay = (one: string, other: string): boolean =>
  dayNumber(Date.parse(one)) === dayNumber(Date.parse(other));

/** `now` is the hub's. */
export function dayName(ts: string, now: number): string {
  const days = dayNumber(now) - dayNumber(Date.parse(ts));
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return days > 0 && days < 180 ? weekday(ts) : withYear(ts);
}

/** Short enough for a list: now, 4 min, 14:03, Yesterday, 3 Nov. */
export function ago(ts: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(ts)) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  const days = dayNumber(now) - dayNumber(Date.parse(ts));
  if (days === 0) return timeOfDay(ts);
  return days === 1 ? "Yesterday" : short(ts);
}

/** A time to come or gone, as short as does: 14:03, tomorrow, 09:00, Mon 23 Nov, 09:00. */
export function whenWords(ts: string, now: number): string {
  const onDay = (days: number): boolean => isSameDay(ts, new Date(dayAfter(now, days)).toISOString());
  if (onDay(0)) return timeOfDay(ts);
  if (onDay(1)) return `tomorrow, ${timeOfDay(ts)}`;
  if (onDay(-1)) return `yesterday, ${timeOfDay(ts)}`;
  return dateWords(ts, now);
}

/** The same with its day always named: Tue 17 Nov, 09:00. */
export function dateWords(ts: string, now: number): string {
  const at = Date.parse(ts);
  const year = Math.abs(at - now) > HALF_A_YEAR_MS ? ({ year: "numeric" } as const) : {};
  const day = new Date(at).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short", ...year });
  return `${day}, ${timeOfDay(ts)}`;
}

/** By the calendar: a day is not always 24 hours long. */
function dayAfter(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 12).getTime();
}

function dayNumber(ms: number): number {
  const date = new Date(ms);
  return Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS);
}

/** How long, as short as does: 0:42, 25 min, 3 h, 2 days. */
export function span(ms: number): string {
  const left = Math.max(0, ms);
  if (left < MINUTE_MS) return `0:${String(Math.floor(left / 1000)).padStart(2, "0")}`;
  if (left < HOUR_MS) return `${Math.round(left / MINUTE_MS)} min`;
  if (left < 2 * DAY_MS) return `${Math.round(left / HOUR_MS)} h`;
  return `${Math.round(left / DAY_MS)} days`;
}

/** How long something took. */
export function took(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  if (ms < 1000) return `${ms} ms`;
  return ms < MINUTE_MS ? `${Math.round(ms / 1000)} s` : span(ms);
}
