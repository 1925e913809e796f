const MACROS: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY_NAMES = DAYS.map((day) => day.slice(0, 3).toUpperCase());
const NUMBER = /^\d{1,2}$/;
const STEP = /^\*\/(\d{1,2})$/;

/** A schedule as somebody would say it; undefined for one that is better read as it is written. */
export function scheduleWords(schedule: string): string | undefined {
  const text = schedule.trim();
  const fields = (MACROS[text.toLowerCase()] ?? text).split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday || month !== "*") return undefined;
  const when = timeWords(minute, hour);
  if (when === undefined) return undefined;
  const days = dayWords(day, weekday);
  if (days === undefined) return undefined;
  if (when.often) return days === "every day" ? when.words : `${when.words}, ${days}`;
  return `${days} ${when.words}`.replace(/^./, (first) => first.toUpperCase());
}

function timeWords(minute: string, hour: string): { words: string; often: boolean } | undefined {
  const hours = stepOf(hour, 24);
  const minutes = stepOf(minute, 60);
  if (minutes !== undefined && hours === 1) return { words: `Every ${often(minutes, "minute")}`, often: true };
  if (!NUMBER.test(minute)) return undefined;
  const past = minute.padStart(2, "0");
  const at = minute === "0" ? "" : ` at :${past}`;
  if (hours !== undefined) return { words: `Every ${often(hours, "hour")}${at}`, often: true };
  const list = hour.split(",");
  if (!list.every((one) => NUMBER.test(one))) return undefined;
  return { words: `at ${joined(list.map((one) => `${one.padStart(2, "0")}:${past}`))}`, often: false };
}

/** Every so many; undefined for what is no step, or one that begins anew before it is through. */
function stepOf(field: string, whole: number): number | undefined {
  const step = field === "*" ? 1 : Number(STEP.exec(field)?.[1]);
  return whole % step === 0 ? step : undefined;
}

const often = (step: number, word: string): string => (step === 1 ? word : `${step} ${word}s`);

function dayWords(day: string, weekday: string): string | undefined {
  if (day === "*" && weekday === "*") return "every day";
  if (weekday === "*") return NUMBER.test(day) ? `on day ${day} of each month` : undefined;
  if (day !== "*") return undefined;
  const range = weekday.split("-").map(dayNumber);
  if (range.length === 2) {
    const [from, to] = range;
    if (from === undefined || to === undefined) return undefined;
    return from === 1 && to === 5 ? "every weekday" : `${DAYS[from]} to ${DAYS[to]}`;
  }
  const list = weekday.split(",").map(dayNumber);
  return list.every((one) => one !== undefined) ? `every ${joined(list.map((one) => DAYS[one] ?? ""))}` : undefined;
}

function dayNumber(text: string): number | undefined {
  const named = DAY_NAMES.indexOf(text.toUpperCase());
  if (named >= 0) return named;
  return /^[0-7]$/.test(text) ? Number(text) % 7 : undefined;
}

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
