import { expect, test } from "vitest";
import { scheduleWords } from "./schedule-words.ts";

test("a schedule is said in words", () => {
  const said = {
    "0 9 * * MON-FRI": "Every weekday at 09:00",
    "0 9 * * 1-5": "Every weekday at 09:00",
    "30 7,19 * * *": "Every day at 07:30 and 19:30",
    "*/15 * * * *": "Every 15 minutes",
    "*/5 * * * SAT,SUN": "Every 5 minutes, every Saturday and Sunday",
    "0 * * * *": "Every hour",
    "5 * * * *": "Every hour at :05",
    "0 */6 * * *": "Every 6 hours",
    "*/1 * * * *": "Every minute",
    "5 */1 * * *": "Every hour at :05",
    "0 8 1 * *": "On day 1 of each month at 08:00",
    "@daily": "Every day at 00:00",
    "@weekly": "Every Sunday at 00:00",
  };
  for (const [schedule, words] of Object.entries(said)) expect(scheduleWords(schedule), schedule).toBe(words);
});

test("what would be said wrongly is not said", () => {
  for (const schedule of [
    "",
    "hello",
    "0 9 1 * MON",
    "0 9 * JAN *",
    "1-5 9 * * *",
    "0 9 * * 1#2",
    "0 9 L * *",
    "*/7 * * * *",
    "0 */5 * * *",
  ])
    expect(scheduleWords(schedule), schedule).toBeUndefined();
});
