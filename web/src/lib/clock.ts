import { keep, recall } from "#lib/hub/kept.ts";

type Clock = (date: Date) => string;

/** Before and after noon; the first one is what has to stand in the other's place. */
const MORNING = new Date(2024, 0, 15, 1, 5);
const AFTERNOON = new Date(2024, 0, 15, 13, 5);
const HOURS = Array.from({ length: 24 }, (_, hour) => new Date(2024, 0, 15, hour, 5));

let clock: Clock | undefined;

/**
 * The time of day in the reader's zone and as it is written in their language: 14:03, or 02:03 PM. A browser takes some
 * 20 ms until it can say so for the first time, a tenth of what the first view takes; so how it wrote 1:05 and 13:05 is
 * kept, and written like that where that gives the same for every hour.
 */
export function timeOfDay(ts: string): string {
  clock ??= keptClock() ?? learnedClock();
  return clock(new Date(ts));
}

/** For when nobody waits: the reader may write it in another way than the last time. */
export function checkClock(): void {
  clock = learnedClock();
}

function keptClock(): Clock | undefined {
  const [language, morning, afternoon] = recall("clock")?.split("\n") ?? [];
  if (language !== navigator.language || morning === undefined || afternoon === undefined) return undefined;
  return likeThese(morning, afternoon);
}

function learnedClock(): Clock {
  const { format } = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
  const samples = [format(MORNING), format(AFTERNOON)] as const;
  const byHand = likeThese(...samples);
  const isSame = byHand && HOURS.every((date) => byHand(date) === format(date));
  keep("clock", isSame ? [navigator.language, ...samples].join("\n") : null);
  return format;
}

/** Undefined when they are written in a way that has something else in it than hours and minutes as we write them. */
function likeThese(morning: string, afternoon: string): Clock | undefined {
  const twelve = afternoon.includes("01:05");
  const [beforeAm, afterAm] = morning.split("01:05");
  const [beforePm, afterPm] = afternoon.split(twelve ? "01:05" : "13:05");
  if (afterAm === undefined || afterPm === undefined) return undefined;
  return (date) => {
    const hour = date.getHours();
    const text = `${two(twelve ? hour % 12 || 12 : hour)}:${two(date.getMinutes())}`;
    return hour < 12 ? beforeAm + text + afterAm : beforePm + text + afterPm;
  };
}

const two = (number: number): string => String(number).padStart(2, "0");
