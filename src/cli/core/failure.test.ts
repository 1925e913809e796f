import { expect, test } from "vitest";
import { sentenceOf } from "./exit-code.ts";
import { Failure, invalid, isFailure, recover } from "./failure.ts";
import { parseJson } from "./io.ts";

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test("a failure that comes of another error has that one as its cause", () => {
  const failure = thrownBy(() => parseJson("{", "The arguments are"));
  expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", cause: { name: "SyntaxError" } });
});

test("one that comes of nothing else has none, and keeps what was typed and what there is", () => {
  const near = { given: "--agnet", names: ["--agent"] };
  const failure = invalid("There is no option --agnet.", { near });
  expect([failure.near, failure.cause]).toEqual([near, undefined]);
});

test("only a failure of those codes is recovered from", () => {
  const failure = invalid("No.");
  expect(recover("instead", "INVALID_ARGUMENT")(failure)).toBe("instead");
  expect(thrownBy(() => recover("instead", "NOT_FOUND")(failure))).toBe(failure);
  expect([isFailure(failure), isFailure(new Error("No."))]).toEqual([true, false]);
});

test("a person is told the commands of an agent's timeline, where the hub names its tools", () => {
  const told = (message: string) =>
    sentenceOf(new Failure("NOT_FOUND", message), { line: (command) => `parley ${command}`, time: (iso) => iso });
  expect(told("There is no 1 on the timeline of scout. timeline_read shows it.")).toBe(
    "There is no 1 on the timeline of scout. parley timeline shows it.",
  );
  expect(told("It is long: timeline_text has the whole.")).toBe("It is long: parley output has the whole.");
});
