/** The sentences of commands that were made of tools (`ToolCommand`), with what came back filled in. */
import type { Says } from "../../tool.ts";
import type { Cli } from "./cli.ts";
import { shown } from "./fields.ts";
import { counted } from "./words.ts";

export type Thing = Readonly<Record<string, unknown>>;

export const isThing = (value: unknown): value is Thing =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const OPTIONAL = /\[([^\]]*)\]/g;
const FIELD = /\{([a-z_.]+)(?:\|([^}]+))?\}/g;
const TYPED = /`([^`]+)`/g;

/** Commands are found before the fields are filled in: what somebody else wrote is never one. */
export function sentence(cli: Cli, says: Says, thing: Thing): string {
  const template = typeof says === "string" ? says : caseFor(says, thing);
  const fill = (text: string): string =>
    text.replaceAll(FIELD, (_, name: string, word?: string) =>
      fieldText(cli, { name, word, value: fieldOf(thing, name) }),
    );
  const whole = template.replaceAll(OPTIONAL, (_, part: string) =>
    [...part.matchAll(FIELD)].every(([, name = ""]) => saysAnything(fieldOf(thing, name))) ? part : "",
  );
  return whole
    .split(TYPED)
    .map((part, at) => (at % 2 === 0 ? fill(part) : cli.line(fill(part))))
    .join("");
}

/** `trigger.next_run` is a field of the thing that came back as `trigger`. */
function fieldOf(thing: Thing, name: string): unknown {
  const [first = "", ...rest] = name.split(".");
  const value = thing[first];
  return rest.length > 0 && isThing(value) ? fieldOf(value, rest.join(".")) : value;
}

const caseFor = (cases: Exclude<Says, string>, thing: Thing): string =>
  cases.find(({ when = {} }) => Object.entries(when).every(([path, value]) => (valueAt(thing, path) ?? null) === value))
    ?.says ?? "";

const valueAt = (thing: Thing, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (isThing(value) ? value[name] : undefined), thing);

const fieldText = (
  cli: Cli,
  { name, word, value }: { name: string; word: string | undefined; value: unknown },
): string =>
  word === undefined ? shown(cli.out, name.split(".").at(-1) ?? name, value) : counted(Number(value), word);

const saysAnything = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : ![undefined, null, "", 0, false].some((nothing) => nothing === value);
