import { COMMON, type Command, flagOf, type Option, type Options, type SharedOptions } from "./command.ts";
import { invalid } from "./failure.ts";

type Value = string | number | boolean | string[] | undefined;
type Env = Readonly<Record<string, string | undefined>>;
type Values = Record<string, Value>;

export interface Parsed {
  common: SharedOptions;
  /** What was on the command line itself, not in the environment. */
  typed: ReadonlySet<string>;
  given: Values;
}

/** What was typed, checked against what the command takes. Throws a `Failure` that names the flag. */
export function parse(command: Command, argv: readonly string[], env: Env): Parsed {
  const { values, words } = read({ ...COMMON, ...command.options }, argv);
  const common = complete(COMMON, values, env);
  checkFormat(command, common.format);
  // Asked for help, a command line need not be whole.
  const given = values.help === true ? {} : { ...complete(command.options, values, env), ...place(command, words) };
  // `complete` fills in every option of COMMON, each by its own type.
  return { common: common as unknown as SharedOptions, typed: new Set(Object.keys(values)), given };
}

function checkFormat(command: Command, format: Value): void {
  const known: readonly Value[] = ["text", "json", ...(command.formats ?? [])];
  if (format !== undefined && !known.includes(format))
    throw invalid(`--format takes ${known.join(", ")} here, not ${JSON.stringify(format)}.`);
}

/** Options wherever they stand, words in between. After `--` everything is a word. */
export function read(options: Options, argv: readonly string[]): { values: Values; words: string[] } {
  const values: Values = {};
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at] ?? "";
    if (arg === "--") {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
      continue;
    }
    const { key, option, inline } = lookUp(options, arg);
    const next = inline ?? (option.type === "flag" ? undefined : argv[++at]);
    values[key] = take(key, option, next, values[key]);
  }
  return { values, words };
}

export function lookUp(options: Options, arg: string): { key: string; option: Option; inline: string | undefined } {
  const [flag = "", inline] = split(arg);
  const found = optionNamed(options, flag);
  if (found) return { key: found[0], option: found[1], inline };
  throw invalid(`There is no option ${flag}. Put -- in front of text that starts with a dash.`, {
    near: { given: flag, names: Object.keys(options).map(flagOf) },
  });
}

export const optionNamed = (options: Options, flag: string): [string, Option] | undefined =>
  Object.entries(options).find(([key, { short }]) => flag === flagOf(key) || (short && flag === `-${short}`));

function split(arg: string): [string, string | undefined] {
  const equals = arg.indexOf("=");
  return equals < 0 ? [arg, undefined] : [arg.slice(0, equals), arg.slice(equals + 1)];
}

function take(key: string, option: Option, text: string | undefined, before: Value): Value {
  if (option.type === "flag") {
    if (text !== undefined) throw invalid(`${flagOf(key)} takes no value.`);
    return true;
  }
  if (text === undefined) throw invalid(`${flagOf(key)} needs a value.`);
  if (option.type === "list") return [...(Array.isArray(before) ? before : []), text];
  if (before !== undefined) throw invalid(`${flagOf(key)} was given twice.`);
  return convert(flagOf(key), option, text);
}

function convert(name: string, option: Option, text: string): Value {
  if (option.type === "number") {
    if (!/^\d{1,15}(\.\d{1,15})?$/.test(text)) throw invalid(`${name} takes a number, not ${JSON.stringify(text)}.`);
    return Number(text);
  }
  if (option.type === "integer") {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = option;
    const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= minimum && number <= maximum))
      throw invalid(`${name} takes a whole number${range(option)}, not ${JSON.stringify(text)}.`);
    return number;
  }
  if (option.type === "text" && option.choices && !option.choices.includes(text))
    throw invalid(`${name} takes ${option.choices.join(", ")}, not ${JSON.stringify(text)}.`, {
      near: { given: text, names: option.choices },
    });
  return text;
}

function range(option: { minimum?: number; maximum?: number }): string {
  if (option.minimum === undefined) return "";
  return option.maximum === undefined ? ` from ${option.minimum}` : ` from ${option.minimum} to ${option.maximum}`;
}

/** Environment, then default, where nothing was typed. An empty variable is as good as none. */
function complete(options: Options, values: Values, env: Env): Values {
  const whole: Values = {};
  for (const [key, option] of Object.entries(options)) {
    whole[key] = values[key] ?? fromEnv(option, env) ?? fallback(option);
    if (whole[key] === undefined && "required" in option && option.required)
      throw invalid(`${flagOf(key)} ${option.value ?? "VALUE"} is missing: ${option.description}.`);
  }
  return whole;
}

function fromEnv(option: Option, env: Env): Value {
  const text = option.env ? env[option.env] : undefined;
  if (option.type === "flag") return text === undefined ? undefined : !["", "0", "false", "no"].includes(text);
  return text ? convert(option.env ?? "", option, text) : undefined;
}

function fallback(option: Option): Value {
  if (option.type === "flag") return false;
  if (option.type === "list") return [];
  return option.type === "number" ? undefined : option.default;
}

function place(command: Command, words: readonly string[]): Values {
  const values: Values = {};
  const left = [...words];
  for (const [key, positional] of Object.entries(command.positionals)) {
    if (positional.required && left.length === 0)
      throw invalid(`${key.toUpperCase()} is missing: ${positional.description}.`);
    values[key] = positional.rest ? left.splice(0) : left.shift();
  }
  if (left.length > 0) throw invalid(`${JSON.stringify(left[0])} is one word too many.`);
  return values;
}
