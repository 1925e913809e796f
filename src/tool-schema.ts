import { z } from "zod";
import { takesKey } from "./call.ts";
import type { Tool } from "./tool.ts";

/** Taken by `call` before the tool sees its arguments; without it here a careful client would not dare send one. */
const idempotency_key = z.string().optional();

/** A longer one tells a model nothing that the field's words do not; it is checked all the same. */
const LONGEST_PATTERN = 60;

type InputSchema = { type: "object"; [field: string]: unknown };

/** What a tool takes, as a model is shown it. */
export function inputSchemaOf(tool: Tool): InputSchema {
  const schema = takesKey(tool) ? tool.input.extend({ idempotency_key }) : tool.input;
  // `$schema` would name what is the default anyway, once a tool, in every model's context.
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (jsonSchema.format || (jsonSchema.pattern?.length ?? 0) > LONGEST_PATTERN) delete jsonSchema.pattern;
    },
  });
  // It is the schema of an object, by the type of a tool's input.
  return rest as InputSchema;
}
