import { ENTRIES } from "../commands.ts";
import type { Entry } from "../core/command.ts";
import { COMMON, type Command, defineCommand, flagOf, type Option } from "../core/command.ts";
import { findCommand } from "./find.ts";

export const schema = defineCommand({
  examples: ["schema", "schema send", "schema queue list"],
  details: "The whole command line as JSON, for programs: commands, words, options, values, exit codes.",
  format: "text",
  positionals: { command: { rest: true, description: "only this command" } },
  async run(cli, { command }) {
    const value = command.length > 0 ? await describe(findCommand(command)) : await everything();
    await cli.out.write(JSON.stringify(value, null, cli.out.json ? 0 : 2));
  },
});

export async function everything(): Promise<object> {
  return {
    name: "parley",
    commands: await Promise.all(ENTRIES.map(describe)),
    global_options: Object.entries(COMMON).map(optionOf),
    exit_codes: {
      0: "done",
      1: "it failed",
      2: "the command line or an argument is wrong",
      3: "not known, or not allowed",
      4: "not found, or gone",
      5: "conflict",
      78: "the hub refuses to start",
      130: "interrupted",
    },
  };
}

export async function describe(entry: Entry): Promise<object> {
  const { name, summary } = entry;
  const command = await entry.load();
  const { positionals, options, examples, details, format, formats } = command;
  return {
    name,
    summary,
    ...(details && { details }),
    usage: usage(entry, command),
    examples: examples.map((example) => `parley ${example}`),
    arguments: Object.entries(positionals).map(([name, { description, required = false, rest = false }]) => ({
      name,
      description,
      required,
      repeated: rest,
    })),
    options: Object.entries(options).map(optionOf),
    formats: ["text", "json", ...(formats ?? [])],
    default_format: format ?? "json unless stdout is a terminal",
  };
}

export function usage({ name }: Entry, { positionals, options }: Command): string {
  const words = Object.entries(positionals).map(([key, { required, rest }]) => {
    const word = `${key.toUpperCase()}${rest ? "…" : ""}`;
    return required ? word : `[${word}]`;
  });
  const needed = Object.entries(options).flatMap(([key, option]) =>
    "required" in option && option.required ? [`${flagOf(key)} ${option.value}`] : [],
  );
  const more = Object.keys(options).length > needed.length ? ["[OPTIONS]"] : [];
  return ["parley", name, ...needed, ...more, ...words].join(" ");
}

function optionOf([key, option]: [string, Option]): object {
  const { type, description, short, env } = option;
  return {
    name: key,
    flag: flagOf(key),
    ...(short && { short: `-${short}` }),
    type: type === "list" ? "text" : type,
    description,
    required: "required" in option && option.required === true,
    repeated: type === "list",
    ...("choices" in option && option.choices && { enum: option.choices }),
    ...("default" in option && option.default !== undefined && { default: option.default }),
    ...("minimum" in option && option.minimum !== undefined && { minimum: option.minimum }),
    ...("maximum" in option && option.maximum !== undefined && { maximum: option.maximum }),
    ...(env && { env }),
  };
}
