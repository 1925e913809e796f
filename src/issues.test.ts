import { expect, test } from "vitest";
import { z } from "zod";
import { fitTo } from "./issues.ts";

const Call = z.strictObject({ tool: z.string() });
const Steps = z.strictObject({ steps: z.array(z.union([Call, z.array(Call), z.strictObject({ text: z.string() })])) });

test("of what may be written in several ways, what is wrong with the way that fits furthest is told", () => {
  expect(fitTo(Steps, { steps: [{ tool: "a" }, [{ tool: 5 }]] })).toEqual({
    wrong: "steps.1.0.tool: it has to be a text, not 5",
  });
  expect(fitTo(Steps, { steps: ["say hello"] })).toEqual({ wrong: "steps.0: it has to be an object, not a text" });
});

test("what may be written in one way is told as it is, and what fits is given", () => {
  expect(fitTo(Steps, {})).toEqual({ wrong: "steps: it is missing" });
  expect(fitTo(z.int().default(7), undefined)).toEqual({ data: 7 });
});

test("what does not fit is said in plain words, and in those of the schema where it has some", () => {
  const cases: [z.ZodType, unknown, string][] = [
    [z.int().max(500), 501, "it has to be at most 500"],
    [z.int().min(1), 0, "it has to be at least 1"],
    [z.number().gt(0), 0, "it has to be more than 0"],
    [z.number().lt(1), 1, "it has to be less than 1"],
    [z.int(), 1.5, "it has to be a whole number, not 1.5"],
    [z.number().multipleOf(5), 7, "it has to be a multiple of 5"],
    [z.string().max(3), "four", "it has to have at most 3 characters"],
    [z.string().min(1), "", "it is empty"],
    [z.string().min(2), "x", "it has to have at least 2 characters"],
    [z.string().length(1), "xy", "it has to have exactly 1 character"],
    [z.array(z.int()).max(1), [1, 2], "it has to have at most 1 item"],
    [z.array(z.int()), { 0: 1 }, "it has to be a list, not an object"],
    [z.boolean(), "yes", "it has to be true or false, not a text"],
    [z.boolean(), null, "it has to be true or false, not null"],
    [z.enum(["skip", "queue"]), "wait", "it has to be one of skip, queue"],
    [z.enum(["skip", "queue"]), undefined, "it is missing, and has to be one of skip, queue"],
    [z.literal(true), false, "it has to be true"],
    [Call, { tool: "a", to: 1, "b\nc": 2 }, 'nothing is called "to", "b\\nc" here'],
    [z.iso.datetime(), "noon", "it is no time such as 2027-03-01T09:00:00Z"],
    [z.string().regex(/^a$/), "b", "it is no text of the form that is asked for"],
    [z.string().regex(/^a$/, "a name is a"), "b", "a name is a"],
    [z.int().refine((n) => n !== 4), 4, "it does not fit"],
    [z.string().max(3, "too long for us"), "four", "too long for us"],
  ];
  for (const [schema, value, message] of cases)
    expect([value, fitTo(schema, value)]).toEqual([value, { wrong: message }]);
  expect(fitTo(z.record(z.string().max(1), z.int()), { ab: 1 })).toEqual({
    wrong: "ab: as a name, it has to have at most 1 character",
  });
});
