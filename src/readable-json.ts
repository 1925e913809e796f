import { visible } from "./visible.ts";

/** What fits into a line of a terminal, and of a card. */
const WIDTH = 80;
const STEP = "  ";
/** Before each line of a text: nothing in it passes for a key, or for the end of the text. */
const GUTTER = "│ ";
/** What would push the rest out of sight. */
const EMPTY_LINES = /(?:\n[ \t]*){4}/;

/**
 * JSON for people who decide about it: on one line where it fits, and a text that JSON would escape line by line, as it
 * is. No two values look the same: a text with something in it that cannot be seen stays escaped.
 */
export const readableJson = (value: unknown): string => written(value, "", 0);

/** `taken` is how much stands before it on its line. */
function written(value: unknown, indent: string, taken: number): string {
  if (isBlock(value)) return value.replace(/^/gm, `${indent}${GUTTER}`);
  if (typeof value !== "object" || value === null) return inline(value);
  const short = hasBlock(value) ? "" : inline(value);
  if (short !== "" && indent.length + taken + short.length <= WIDTH) return short;
  const inner = indent + STEP;
  if (Array.isArray(value))
    return lines(
      value.map((one) => [isBlock(one) ? written(one, inner, 0) : inner + written(one, inner, 0), one]),
      ["[", `${indent}]`],
    );
  const members = Object.entries(value).map(([name, one]): Line => {
    const key = `${inner}${JSON.stringify(name)}:`;
    const rest = written(one, inner, key.length - inner.length + 1);
    return [`${key}${isBlock(one) ? "\n" : " "}${rest}`, one];
  });
  return lines(members, ["{", `${indent}}`]);
}

type Line = [text: string, of: unknown];

/** No comma after a text: it would be read as a part of it. */
const lines = (parts: readonly Line[], [open, close]: readonly [string, string]): string =>
  [open, ...parts.map(([text, of], at) => (isBlock(of) || at === parts.length - 1 ? text : `${text},`)), close].join(
    "\n",
  );

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${inline(one)}`)
    .join(", ")}}`;
}

const hasBlock = (value: unknown): boolean =>
  isBlock(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasBlock));

const isBlock = (value: unknown): value is string =>
  typeof value === "string" &&
  JSON.stringify(value).length > value.length + 2 &&
  !EMPTY_LINES.test(value) &&
  visible(value) === value;
