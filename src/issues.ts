/** What is wrong with what a schema refused, as one thing to say. */
import type { z } from "zod";

/** What fits, or what is wrong with it: the first of all that is, where it stands and in plain words, without a period. */
export function fitTo<T>(schema: z.ZodType<T>, value: unknown): { data: T } | { wrong: string } {
  const { success, data, error } = schema.safeParse(value, { error: plainly });
  if (success) return { data };
  const [first] = error.issues;
  const { path, message } = first ? deepest(first) : { path: [], message: NO_FIT };
  return { wrong: path.length > 0 ? `${path.join(".")}: ${message}` : message };
}

const NO_FIT = "it does not fit";

/** Of what may be written in several ways, what is wrong with the way that was meant: the one that fits furthest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const firsts = issue.errors.flatMap(([first]) => (first ? [deepest(first)] : []));
  const [best] = firsts.sort((a, b) => b.path.length - a.path.length);
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

/** Said of all that has no words of its own in its schema. */
function plainly(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type": {
      const wanted = `it has to be ${kindWords(issue.expected)}`;
      return issue.input === undefined ? "it is missing" : `${wanted}, not ${kindOf(issue.input)}`;
    }
    case "invalid_value": {
      const wanted = `be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
      return issue.input === undefined ? `it is missing, and has to ${wanted}` : `it has to ${wanted}`;
    }
    case "too_big":
      return `it ${bound(issue.origin, issue.maximum, issue.exact ? "exactly" : issue.inclusive ? "at most" : "less than")}`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1 && !issue.exact) return "it is empty";
      return `it ${bound(issue.origin, issue.minimum, issue.exact ? "exactly" : issue.inclusive ? "at least" : "more than")}`;
    case "not_multiple_of":
      return `it has to be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `nothing is called ${issue.keys.map((key) => JSON.stringify(key)).join(", ")} here`;
    case "invalid_format":
      return `it is no ${FORMATS[issue.format] ?? "text of the form that is asked for"}`;
    case "invalid_key":
      return `as a name, ${issue.issues[0]?.message ?? NO_FIT}`;
    default:
      return NO_FIT;
  }
}

const SIZES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  set: ["item", "items"],
  map: ["entry", "entries"],
  object: ["field", "fields"],
};

function bound(origin: string, limit: number | bigint, how: string): string {
  const size = SIZES[origin];
  return size ? `has to have ${how} ${limit} ${size[Number(limit) === 1 ? 0 : 1]}` : `has to be ${how} ${limit}`;
}

const KINDS: Readonly<Record<string, string>> = {
  ...{ string: "a text", number: "a number", int: "a whole number", boolean: "true or false", null: "null" },
  ...{
    array: "a list",
    tuple: "a list",
    object: "an object",
    record: "an object",
    nan: "a number",
    undefined: "left out",
  },
};

const kindWords = (kind: string): string => KINDS[kind] ?? kind;

/** What came, in the same words; of a number that is none of those meant, itself. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return kindWords(Array.isArray(value) ? "array" : typeof value);
}

const FORMATS: Readonly<Record<string, string>> = {
  ...{ url: "URL", email: "email address", uuid: "UUID", ipv4: "IPv4 address", ipv6: "IPv6 address" },
  ...{ datetime: "time such as 2027-03-01T09:00:00Z", date: "day such as 2027-03-01" },
};
