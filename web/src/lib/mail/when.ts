export interface Preset {
  words: string;
  at: number;
}

const HOUR_MS = 3_600_000;
const UNITS_MS = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MORNING = 9;
const EVENING = 18;

/** Times that people mean most often, by the clock of where they are. `now` is the hub's. */
export function presets(now: number): Preset[] {
  const evening = atHour(now, 0, EVENING);
  const monday = (8 - new Date(now).getDay()) % 7 || 7;
  return [
    { words: "In an hour", at: now + HOUR_MS },
    ...(evening - now > HOUR_MS ? [{ words: "This evening", at: evening }] : []),
    { words: "Tomorrow morning", at: atHour(now, 1, MORNING) },
    { words: "Next Monday", at: atHour(now, monday, MORNING) },
  ];
}

/** What was typed: `2h`, `17:30`, `tomorrow 8`, `friday`, `2026-11-20 14:00`. Undefined for what is no time to come. */
export function parseWhen(text: string, now: number): number | undefined {
  const clean = text.trim().toLowerCase();
  const time = fromNow(clean, now) ?? onDay(clean, now) ?? exact(clean);
  return time !== undefined && time > now ? time : undefined;
}

function fromNow(text: string, now: number): number | undefined {
  const [, count, unit] = /^(?:in )?(\d{1,4}) ?([mhdw])(?:in|ins|inutes?|ours?|ays?|eeks?)?$/.exec(text) ?? [];
  // The pattern lets no other units through.
  return count === undefined ? undefined : now + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

function onDay(text: string, now: number): number | undefined {
  const [, day = "", hour, minute] = /^([a-z]*) ?(?:at )?(?:(\d{1,2})(?:[:.](\d\d))?)?$/.exec(text) ?? [];
  if (day === "" && hour === undefined) return undefined;
  const [h, m] = [hour === undefined ? MORNING : Number(hour), Number(minute ?? 0)];
  if (h > 23 || m > 59) return undefined;
  if (day === "" || day === "today") {
    const today = atHour(now, 0, h, m);
    return day === "" && today <= now ? atHour(now, 1, h, m) : today;
  }
  if (day === "tomorrow") return atHour(now, 1, h, m);
  const index = day.length < 3 ? -1 : DAYS.findIndex((name) => name.startsWith(day));
  if (index < 0) return undefined;
  return atHour(now, (index - new Date(now).getDay() + 7) % 7 || 7, h, m);
}

function exact(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d{1,2}):(\d\d))?$/.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = MORNING, minute = 0] = match
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const date = new Date(year, month - 1, day, hour, minute);
  return date.getDate() === day && date.getMonth() === month - 1 ? date.getTime() : undefined;
}

function atHour(now: number, days: number, hour: number, minute = 0): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hour, minute).getTime();
}
