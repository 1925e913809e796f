export interface Preset {
  words: string;
  at: number;
}

const HOUR_MS = 3_600_000;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAYS_OF = { d: 1, w: 7 };
const MORNING = 9;
const EVENING = 18;

/** Times that people mean most often, by the clock of where they are. `now` is the hub's. */
export function presets(now: number): Preset[] {
  const [morning, evening, tomorrow] = [atHour(now, 0, MORNING), atHour(now, 0, EVENING), atHour(now, 1, MORNING)];
  const monday = atHour(now, (8 - new Date(now).getDay()) % 7 || 7, MORNING);
  return [
    { words: "In an hour", at: now + HOUR_MS },
    // After midnight most people mean the morning after their sleep, not the one after the next.
    ...(morning - now > HOUR_MS ? [{ words: "This morning", at: morning }] : []),
    ...(evening - now > HOUR_MS ? [{ words: "This evening", at: evening }] : []),
    { words: "Tomorrow morning", at: tomorrow },
    ...(monday === tomorrow ? [] : [{ words: "Next Monday", at: monday }]),
  ];
}

/** What was typed: `2h`, `17:30`, `tomorrow 8`, `friday`, `2026-11-20 14:00`. Undefined for what is no time to come. */
export function parseWhen(text: string, now: number): number | undefined {
  const clean = text.trim().toLowerCase();
  const time = fromNow(clean, now) ?? onDay(clean, now) ?? exact(clean);
  return time !== undefined && time > now ? time : undefined;
}

/** A moment as it may be typed, to the minute: `2026-11-20 14:00`. */
export function writtenWhen(ts: string): string {
  const date = new Date(ts);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function fromNow(text: string, now: number): number | undefined {
  const [, digits, unit] = /^(?:in )?(\d{1,4}) ?([mhdw])(?:in|ins|inutes?|ours?|ays?|eeks?)?$/.exec(text) ?? [];
  const count = Number(digits);
  switch (unit) {
    case "m":
      return now + (count * HOUR_MS) / 60;
    case "h":
      return now + count * HOUR_MS;
    case "d":
    case "w":
      return daysLater(now, count * DAYS_OF[unit]);
    default:
      return undefined;
  }
}

/** At the same time of day: a day on which the clocks change has 23 hours, or 25. */
function daysLater(now: number, days: number): number {
  const date = new Date(now);
  return date.setDate(date.getDate() + days);
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
