import { Cron } from "croner";
import { ParleyError } from "../../../errors.ts";

/** The times of a schedule. A slot is an instant: what it is called in some zone matters only for finding it. */
export interface Schedule {
  /** The first slot after a time; undefined where there is none any more. */
  next: (after: number) => number | undefined;
  /** The last slots up to and with a time, at most so many, the earliest first. */
  last: (until: number, most: number) => number[];
}

const MACROS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
/** `?` would be filled in with the moment of reading it, and what has other signs is a date. */
const FIELDS = /^[0-9A-Za-z*,/#-]+( +[0-9A-Za-z*,/#-]+){4}$/;

/** Reading one costs ten times as much as asking it. */
const read = new Map<string, Schedule>();
const MOST_READ = 5000;

/** Throws `INVALID_ARGUMENT` for what is no schedule, or never comes. */
export function scheduleOf({ schedule, timezone }: { schedule: string; timezone: string }): Schedule {
  const key = `${timezone} ${schedule}`;
  const known = read.get(key);
  if (known) return known;
  checkZone(timezone);
  const made = parse(schedule, timezone);
  if (read.size >= MOST_READ) read.clear();
  read.set(key, made);
  return made;
}

export function checkZone(timezone: string): void {
  try {
    // Offsets such as +02:00 pass there as well, and know nothing of summer.
    if (!/^[A-Za-z]/.test(timezone)) throw new RangeError("not a name");
    new Intl.DateTimeFormat("en", { timeZone: timezone });
  } catch (cause) {
    throw new ParleyError(
      "INVALID_ARGUMENT",
      `timezone: ${JSON.stringify(timezone)} is not a time zone. Write a name such as UTC or Europe/Berlin.`,
      { cause },
    );
  }
}

function parse(schedule: string, timezone: string): Schedule {
  if (!MACROS.includes(schedule.toLowerCase()) && !FIELDS.test(schedule)) throw refusal(schedule, WHAT);
  let cron: Cron;
  try {
    cron = new Cron(schedule, { paused: true, mode: "5-part", timezone });
  } catch (error) {
    throw refusal(schedule, `${whyNot(error as Error)}. ${WHAT}`, error);
  }
  const next = (after: number): number | undefined => cron.nextRun(new Date(after))?.getTime();
  if (next(Date.now()) === undefined) throw refusal(schedule, "No such day ever comes");
  return {
    next,
    last: (until, most) => {
      // What is asked for are those before the whole second that it is given.
      const before = new Date(Math.floor(until / 1000) * 1000 + 1000);
      return cron
        .previousRuns(most, before)
        .map((slot) => slot.getTime())
        .filter((slot) => slot <= until)
        .reverse();
    },
  };
}

/** Days and months it counts from 0 on, also in what it says. */
const whyNot = ({ message }: Error): string =>
  message
    .replace(/^CronPattern: /, "")
    .replace(/\.$/, "")
    .replace(/ (day|month): (-?\d+)$/, (_, field, value) => ` ${field}: ${Number(value) + 1}`)
    .replace(" dayOfWeek: ", " day of week: ");

const WHAT =
  "It has five fields: minute, hour, day of month, month, day of week, such as 0 9 * * MON-FRI, or is @hourly, @daily, @weekly, @monthly, @yearly";

const refusal = (schedule: string, why: string, cause?: unknown): ParleyError =>
  new ParleyError("INVALID_ARGUMENT", `Invalid cron schedule ${JSON.stringify(schedule)}: ${why}.`, { cause });
