/**
 * A command is data and one function. From the data come the parser, `--help`, the
 * JSON description and, one day, shell completions; `run` is handed typed values.
 */
import type { Lookup } from "../../tool.ts";
import type { Cli } from "./cli.ts";

interface OptionBase {
  description: string;
  /** What help shows for the value, such as `DIR`. */
  value?: string;
  short?: string;
  /** Read when the option is not given. */
  env?: string;
}

export type Option = OptionBase &
  (
    | { type: "flag" }
    | { type: "text"; required?: true; default?: string; choices?: readonly string[] }
    | { type: "integer"; required?: true; default?: number; minimum?: number; maximum?: number }
    /** May stand several times. */
    | { type: "list" }
  );

export interface Positional {
  description: string;
  required?: true;
  /** Takes every word that is left. Only the last one can. */
  rest?: true;
  /** What it names, where the hub lists that. */
  names?: Lookup;
}

/** Keys are snake_case; `database_url` is spelled `--database-url`. */
export type Options = Readonly<Record<string, Option>>;
export type Positionals = Readonly<Record<string, Positional>>;

type Always<T> = T extends { required: true } | { default: string | number } ? true : false;
type OptionValue<T> = T extends { type: "flag" }
  ? boolean
  : T extends { type: "list" }
    ? string[]
    : T extends { type: "integer" }
      ? number | (Always<T> extends true ? never : undefined)
      : T extends { choices: readonly (infer C)[] }
        ? C | (Always<T> extends true ? never : undefined)
        : string | (Always<T> extends true ? never : undefined);
type PositionalValue<T> = T extends { rest: true }
  ? string[]
  : T extends { required: true }
    ? string
    : string | undefined;

export type Given<O, P> = { [K in keyof O]: OptionValue<O[K]> } & { [K in keyof P]: PositionalValue<P[K]> };

export interface Command {
  /** Whole command lines, without the leading `parley`. */
  examples: readonly string[];
  /** What the one-line summary leaves out. */
  details?: string;
  positionals: Positionals;
  options: Options;
  /** Refused where an agent runs it, unless by a token. */
  people?: true;
  /** `text` for commands whose output is for people even without a terminal. */
  format?: "text";
  /** What `--format` may say beside text and json: `context` and `hook` are text for a model. */
  formats?: readonly Format[];
  run: (cli: Cli, given: never) => Promise<void>;
}

/** A command as the list knows it. */
export interface Entry {
  /** One or two words. */
  name: string;
  summary: string;
  /** Shown by `parley` alone. */
  common?: true;
  /** Loaded only when the command is used: starting fast is a feature. */
  load: () => Promise<Command>;
}

/** By what its file calls it. */
export const entry = <K extends string>(
  name: string,
  summary: string,
  file: () => Promise<Readonly<Record<K, Command>>>,
  key: K,
): Entry => ({ name, summary, load: async () => (await file())[key] });

/** One that `parley` alone shows. */
export const common: typeof entry = (...of) => ({ ...entry(...of), common: true });

interface Definition<O extends Options, P extends Positionals>
  extends Omit<Command, "positionals" | "options" | "run"> {
  positionals?: P;
  options?: O;
  run: (cli: Cli, given: Given<O, P>) => Promise<void>;
}

export function defineCommand<
  const O extends Options = Record<never, never>,
  const P extends Positionals = Record<never, never>,
>(definition: Definition<O, P>): Command {
  // `run` is stored with its argument's type hidden: the parser hands it only what `options` and `positionals` say.
  return { positionals: {}, options: {}, ...definition } as unknown as Command;
}

export const FORMATS = ["text", "json", "context", "hook"] as const;
export type Format = (typeof FORMATS)[number];

/** What every command takes. */
export const COMMON = {
  home: { type: "text", value: "DIR", env: "PARLEY_HOME", description: "data folder of the hub (default ~/.parley)" },
  url: { type: "text", value: "URL", env: "PARLEY_URL", description: "a hub elsewhere; PARLEY_TOKEN says as whom" },
  space: { type: "text", value: "ID", env: "PARLEY_SPACE", description: "the space to act in, or how its id begins" },
  cause: {
    type: "text",
    value: "ID",
    env: "PARLEY_CAUSE",
    description: "the message, mail or event that leads to this",
  },
  json: { type: "flag", description: "print JSON, as it does when stdout is not a terminal" },
  format: { type: "text", value: "FORMAT", choices: FORMATS, description: "text or json, whatever stdout is" },
  fields: { type: "text", value: "A,B", description: "print only these fields of each thing" },
  utc: { type: "flag", description: "times as the hub has them, in UTC, as JSON always has them" },
  no_color: { type: "flag", description: "no colours; NO_COLOR means the same, FORCE_COLOR the opposite" },
  quiet: {
    type: "flag",
    short: "q",
    description: "say nothing but what was asked for, and of a list or of what was made only the ids",
  },
  no_start: { type: "flag", env: "PARLEY_NO_START", description: "never start a hub" },
  help: { type: "flag", short: "h", description: "show this help" },
} as const satisfies Options;

export type SharedOptions = Given<typeof COMMON, Record<never, never>>;

/** How many at most, as `-n` says it everywhere. */
export const howMany = (fallback: number, maximum: number, description = "how many at most") =>
  ({ type: "integer", short: "n", value: "N", default: fallback, minimum: 1, maximum, description }) as const;

export const flagOf = (key: string): string => `--${key.replaceAll("_", "-")}`;
