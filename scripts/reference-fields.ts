import { z } from "zod";

/** What the reference reads of a JSON Schema. */
interface Schema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: readonly string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
}

interface Field {
  path: string;
  type: string;
  /** What a caller has to keep to. */
  limits: readonly string[];
  required: boolean;
  fallback: string;
  description: string;
}

/** A table of everything in an object: `messages[].id` is the id of each message. */
export function fieldTable(schema: z.ZodType, io: "input" | "output"): string {
  const fields = fieldsOf(toSchema(schema, io), "");
  if (fields.length === 0) return "Nothing.";
  const rows = fields.map(({ path, type, limits, required, fallback, description }) =>
    io === "input"
      ? [`\`${path}\``, [type, ...limits].join(", "), required ? "yes" : fallback || "no", description]
      : [`\`${path}\``, type, description],
  );
  return table(io === "input" ? ["field", "type", "required", "meaning"] : ["field", "type", "meaning"], rows);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function toSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  // What zod writes is JSON Schema; only the parts named above are read.
  return z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema;
}

function fieldsOf(schema: Schema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const field: Field = {
      path,
      type: typeOf(property),
      limits: limitsOf(property),
      required: schema.required?.includes(name) ?? false,
      fallback: property.default === undefined ? "" : `default \`${JSON.stringify(property.default)}\``,
      description: property.description ?? "",
    };
    return [field, ...inside(property, path)];
  });
}

/** The fields of what is nested: of an object, of each item of a list, of each value of a map. */
function inside(schema: Schema, path: string): Field[] {
  if (schema.items) return fieldsOf(schema.items, `${path}[].`);
  if (typeof schema.additionalProperties === "object") return fieldsOf(schema.additionalProperties, `${path}.*.`);
  return fieldsOf(schema, `${path}.`);
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.format === "date-time") return "time, ISO-8601 in UTC";
  return [schema.type ?? "anything"].flat().join(" or ");
}

function limitsOf({ anyOf, type, format, pattern, minLength, maxLength, minimum, maximum }: Schema): string[] {
  if (anyOf) return anyOf.flatMap(limitsOf);
  const limits: string[] = [];
  if (type === "string" && maxLength !== undefined) limits.push(`${minLength ?? 0} to ${maxLength} characters`);
  // zod notes the largest safe integer as the limit of every integer.
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    limits.push(`${minimum} to ${maximum}`);
  if (pattern && !format) limits.push(`\`${pattern}\``);
  return limits;
}
