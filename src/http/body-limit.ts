import { z } from "zod";
import type { Tool } from "../tool.ts";

/** How much of a body a route can use. Beyond it nothing is parsed. */
export interface BodyLimit {
  bytes: number;
  /** Values and fields. Four megabytes of `{}` keep everybody waiting for seconds when they are parsed and looked at. */
  values: number;
}

export const MOST_BODY_BYTES = 4 * 1024 * 1024;

/** What is read before it is known which tool it is for: no tool takes more values than this, nor does MCP around it. */
export const MOST_BODY: BodyLimit = { bytes: MOST_BODY_BYTES, values: 5000 };

/** For whoever has not said who they are: a code and what is around it. */
export const OPEN_BODY: BodyLimit = { bytes: 512, values: 8 };

/** Room for spaces and line breaks, an idempotency key, and for what is unknown and has to be named in the refusal. */
const ROOM: BodyLimit = { bytes: 8 * 1024, values: 100 };
/** A character may be written as `\u` and four digits. */
const BYTES_A_CHARACTER = 6;
/** A text that a pattern describes is a name or an id. */
const PATTERN_LENGTH = 256;
const SCALAR_BYTES = 32;

const known = new WeakMap<Tool, BodyLimit>();

/** By the texts and lists its arguments may hold. */
export function limitOfTool(tool: Tool): BodyLimit {
  const found = known.get(tool);
  if (found) return found;
  const { bytes, values } = sizeOf(z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" }));
  const limit = { bytes: Math.min(bytes + ROOM.bytes, MOST_BODY_BYTES), values: values + ROOM.values };
  known.set(tool, limit);
  return limit;
}

type Schema = z.core.JSONSchema._JSONSchema;

/** The most that JSON of this schema can be. */
function sizeOf(schema: Schema): BodyLimit {
  if (typeof schema === "boolean") return { bytes: MOST_BODY_BYTES, values: 1 };
  const { anyOf, properties, items } = schema;
  if (anyOf) {
    const sizes = anyOf.map(sizeOf);
    return { bytes: Math.max(...sizes.map(({ bytes }) => bytes)), values: Math.max(...sizes.map((one) => one.values)) };
  }
  if (properties) {
    const sizes = Object.entries(properties).map(([name, value]) => ({ name, ...sizeOf(value) }));
    const bytes = sizes.reduce((sum, field) => sum + field.name.length + SCALAR_BYTES + field.bytes, 0);
    return { bytes, values: sizes.reduce((sum, { values }) => sum + values, 1) };
  }
  if (items && !Array.isArray(items)) {
    const { bytes, values } = sizeOf(items);
    const most = schema.maxItems ?? MOST_BODY.values;
    return { bytes: most * (bytes + SCALAR_BYTES), values: 1 + most * values };
  }
  if (isAnything(schema)) return MOST_BODY;
  return { bytes: schema.type === "string" ? textBytes(schema) : SCALAR_BYTES, values: 1 };
}

/** A value of any kind, or an object of any fields: how much of it there may be is said where it is used. */
const isAnything = ({ type, enum: choices, const: only }: z.core.JSONSchema.JSONSchema): boolean =>
  type === "object" || (type === undefined && choices === undefined && only === undefined);

function textBytes({ maxLength, pattern, enum: choices }: z.core.JSONSchema.JSONSchema): number {
  const bounded = maxLength ?? (pattern || choices ? PATTERN_LENGTH : undefined);
  // One that has no length has a number of bytes, as messages have, and those are counted where they are stored.
  return bounded === undefined ? MOST_BODY_BYTES : bounded * BYTES_A_CHARACTER;
}
