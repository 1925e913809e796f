/** Whether arguments are what a tool takes, by the JSON Schema that its server gave. */
import { z } from "zod";
import { ParleyError } from "../../../errors.ts";
import { fitTo } from "../../../issues.ts";

/**
 * Undefined for one that cannot be read: what it would have against anything, nobody knows. Regular expressions in it are
 * left out: whoever wrote one that takes for ever would stop the hub, and the server looks for itself.
 */
export function readSchema(schema: unknown): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(Object(withoutPatterns(schema)));
  } catch {
    return undefined;
  }
}

export function checkFit(schema: z.ZodType, tool: string, value: unknown): void {
  const fitted = fitTo(schema, value);
  if ("data" in fitted) return;
  throw new ParleyError("INVALID_ARGUMENT", `${tool} does not take these arguments: ${fitted.wrong}.`);
}

/** What holds schemas by names of the server's own. */
const NAMED = ["properties", "$defs", "definitions"];
/** What holds values, or turns what is left of a schema into its opposite. */
const AS_IT_IS = ["enum", "const", "default", "examples", "not"];

/** Takes all that the schema takes. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== "object" || schema === null) return schema;
  const { pattern: _, patternProperties, additionalProperties, oneOf, ...rest } = schema as Record<string, unknown>;
  const open = patternProperties === undefined && additionalProperties !== undefined && { additionalProperties };
  // Without their patterns several of them may fit.
  const kept = {
    ...rest,
    ...open,
    ...(oneOf !== undefined && { [rest.anyOf === undefined ? "anyOf" : "oneOf"]: oneOf }),
  };
  return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, keptOf(key, value)]));
}

function keptOf(key: string, value: unknown): unknown {
  if (AS_IT_IS.includes(key)) return value;
  if (!NAMED.includes(key)) return withoutPatterns(value);
  return Object.fromEntries(Object.entries(Object(value)).map(([name, one]) => [name, withoutPatterns(one)]));
}
