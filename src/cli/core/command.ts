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
    | { type: "number" }
    /** May stand several times. */
    | { type: "list" }
  );

type More<T extends Option["type"]> = Omit<Extract<Option, { type: T }>, "type" | "value" | "description">;

/** Options, by what help says of them: what stands for the value, what it means, and the rest. */
export const flag = (description: string, more: More<"flag"> = {}) => ({ type: "flag", description, ...more }) as const;
export const repeated = (value: string, description: string) => ({ type: "list", value, description }) as const;
export const text = <const M extends More<"text"> = Record<never, never>>(
  value: string,
  description: string,
  more?: M,
) =>
  // Without it nothing is added.
  ({ type: "text", value, description, ...more }) as { type: "text"; value: string; description: string } & M;
export const integer = <const M extends More<"integer">>(value: string, description: string, more: M) =>
  ({ type: "integer", value, description, ...more }) as const;

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
    : T extends { type: "number" }
      ? number | undefined
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

/** What was typed of these options. */
export type Typed<O extends Options> = Given<O, Record<never, never>>;

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
  home: text("DIR", "data folder of the hub (default ~/.parley)", { env: "PARLEY_HOME" }),
  url: text("URL", "a hub elsewhere; PARLEY_TOKEN says as whom", { env: "PARLEY_URL" }),
  space: text("ID", "the space to act in, or how its id begins", { env: "PARLEY_SPACE" }),
  cause: text("ID", "the message, mail or event that leads to this", { env: "PARLEY_CAUSE" }),
  json: flag("print JSON, as it does when stdout is not a terminal"),
  format: text("FORMAT", "text or json, whatever stdout is", { choices: FORMATS }),
  fields: text("A,B", "print only these fields of each thing"),
  utc: flag("times as the hub has them, in UTC, as JSON always has them"),
  no_color: flag("no colours; NO_COLOR means the same, FORCE_COLOR the opposite"),
  quiet: flag("say nothing but what was asked for, and of a list or of what was made only the ids", { short: "q" }),
  no_start: flag("never start a hub", { env: "PARLEY_NO_START" }),
  help: flag("show this help", { short: "h" }),
} as const satisfies Options;

export type SharedOptions = Typed<typeof COMMON>;

/** How many at most, as `-n` says it everywhere. */
export const howMany = (fallback: number, maximum: number, description = "how many at most") =>
  integer("N", description, { short: "n", default: fallback, minimum: 1, maximum });

export const flagOf = (key: string): string => `--${key.replaceAll("_", "-")}`;
