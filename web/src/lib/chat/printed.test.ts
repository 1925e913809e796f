import { expect, test } from "vitest";
import { printedIn } from "./printed.ts";

const ran = (more: object = {}): string =>
  JSON.stringify({ exit_code: 0, ended_by: null, timed_out: false, stdout: "one\ntwo\n", stderr: "", ...more });

test("what a program printed is read as it was printed, with how it ended where that went wrong", () => {
  expect(printedIn(ran())).toEqual({ ended: undefined, stdout: "one\ntwo\n", stderr: "" });
  expect(printedIn(ran({ exit_code: 3, stdout: "", stderr: "boom" }))).toEqual({
    ...{ ended: "Exit code 3", stdout: "", stderr: "boom" },
  });
  const late = ran({ exit_code: null, ended_by: "SIGTERM", timed_out: true });
  expect(printedIn(late)?.ended).toBe("It took too long, Ended by SIGTERM");
});

test("of what is long the beginning is read so, wherever it was cut", () => {
  const whole = ran({ stdout: 'a "word"\n\u001b\\', stderr: "late" });
  const from = whole.indexOf('"stdout":"') + '"stdout":"'.length;
  for (let at = from; at < whole.length; at += 1) {
    const printed = printedIn(`${whole.slice(0, at)}…`);
    // As much as is known of it, or the mark where that follows what is whole.
    expect(printed, whole.slice(from, at)).toBeDefined();
    expect('a "word"\n\u001b\\').toContain(printed?.stdout.replace(/…$/, ""));
  }
});

test("what no program printed is left as it is", () => {
  for (const text of ["", "no", "null", "[1]", '{"a":1}', '{"stdout":4}', "Refused."])
    expect(printedIn(text)).toBeUndefined();
});
