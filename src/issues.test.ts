import { expect, test } from "vitest";
import { z } from "zod";
import { issueIn } from "./issues.ts";

const Call = z.strictObject({ tool: z.string() });
const Steps = z.strictObject({ steps: z.array(z.union([Call, z.array(Call), z.strictObject({ text: z.string() })])) });

const wrongWith = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error && issueIn(error);
};

test("of what may be written in several ways, what is wrong with the way that fits furthest is told", () => {
  expect(wrongWith(Steps, { steps: [{ tool: "a" }, [{ tool: 5 }]] })).toEqual({
    where: "steps.1.0.tool",
    message: "Invalid input: expected string, received number",
  });
  expect(wrongWith(Steps, { steps: ["say hello"] })).toEqual({
    where: "steps.0",
    message: "Invalid input: expected object, received string",
  });
});

test("what may be written in one way is told as it is", () => {
  expect(wrongWith(Steps, {})).toEqual({
    where: "steps",
    message: "Invalid input: expected array, received undefined",
  });
  expect(wrongWith(z.string(), 5)?.where).toBe("");
});
