/** The commands that tools define, as data for the command line: `src/cli/core/made-commands.ts` and `made-names.ts`. */
import { z } from "zod";
import type { Option, Positional } from "../src/cli/core/command.ts";
import type { MadeCommand } from "../src/cli/core/tool-command.ts";
import type { Tool, ToolCommand } from "../src/tool.ts";

const HEADER = `/** Made by \`npm run reference\` from the commands that tools define; do not edit. */
import type { MadeCommand } from "./tool-command.ts";`;

export const commandsOf = (tools: readonly Tool[]): MadeCommand[] =>
  tools
    .flatMap((tool) => (tool.commands ?? []).map((command) => madeOf(tool, command)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** What the list of commands has to know of them. */
export const namesFile = (tools: readonly Tool[]): string => {
  const names = commandsOf(tools).map(({ name, summary, common }) => ({ name, summary, ...(common && { common }) }));
  return `${HEADER}\n\nexport const MADE_NAMES: readonly Pick<MadeCommand, "name" | "summary" | "common">[] = ${lines(names)};\n`;
};

export const commandsFile = (tools: readonly Tool[]): string =>
  `${HEADER}\n\nexport const MADE: readonly MadeCommand[] = ${lines(commandsOf(tools))};\n`;

function madeOf(tool: Tool, command: ToolCommand): MadeCommand {
  const {
    words = {},
    names = {},
    durations = {},
    called = {},
    yes_no = [],
    must = [],
    without = [],
    ...looks
  } = command;
  const { properties = {}, ...schema } = z.toJSONSchema(tool.input, { io: "input" });
  const required = [...(schema.required ?? []), ...must];
  const schemaOf = (name: string): Schema => {
    const schema = properties[name];
    if (typeof schema !== "object") throw new Error(`${tool.name} has no argument ${name}`);
    return schema;
  };
  const last = Object.keys(words).at(-1);
  const positionals = Object.entries(words).map(([name, description]) => {
    const rest = schemaOf(name).type === "array" || (looks.text && name === last);
    const must = required.includes(name) && ({ required: true } as const);
    return [name, { description, ...must, ...(rest && { rest: true }), ...(names[name] && { names: names[name] }) }];
  });
  const said = [...Object.keys(words), ...Object.keys(looks.fixed ?? {}), ...without];
  said.push(...Object.keys(looks.dry_run?.fixed ?? {}));
  const rest = Object.keys(properties).filter((name) => !said.includes(name));
  const inside = rest.flatMap((name) => Object.keys(schemaOf(name).properties ?? {}).map((part) => [part, name]));
  const options = rest.flatMap((name): [string, Option][] => {
    const { properties } = schemaOf(name);
    if (properties) return partsOf(tool, properties);
    const option = optionOf(tool, name, schemaOf(name), required.includes(name));
    const typed = durations[name];
    if (yes_no.includes(name)) return [[called[name] ?? name, yesNo(option)]];
    return [typed === undefined ? [called[name] ?? name, option] : [typed, { ...timeOption(option) }]];
  });
  return {
    ...looks,
    tool: tool.name,
    positionals: Object.fromEntries(positionals) as Record<string, Positional>,
    options: Object.fromEntries(options),
    ...(Object.keys(durations).length > 0 && { durations: swapped(durations) }),
    ...(Object.keys(called).length > 0 && { called: swapped(called) }),
    ...(yes_no.length > 0 && { yes_no: yes_no.map((name) => called[name] ?? name) }),
    ...(inside.length > 0 && { inside: Object.fromEntries(inside) as Record<string, string> }),
  };
}

/** Of an argument that is an object each field is an option. */
const partsOf = (tool: Tool, properties: Readonly<Record<string, Schema | boolean>>): [string, Option][] =>
  Object.entries(properties).map(([name, schema]) => {
    if (typeof schema !== "object") throw new Error(`${tool.name}: ${name} has no schema`);
    return [name, optionOf(tool, name, schema, false)];
  });

const yesNo = ({ description }: Option): Option => ({
  ...{ type: "text", value: "yes|no", description },
  choices: ["yes", "no"],
});

const swapped = (names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([name, typed]) => [typed, name]));

const timeOption = ({ description }: Option): Option => ({ type: "text", value: "TIME", description });

type Schema = z.core.JSONSchema.JSONSchema;

function optionOf(tool: Tool, name: string, schema: Schema, required: boolean): Option {
  const { type, description, enum: choices, minimum, maximum } = schema;
  if (description === undefined) throw new Error(`${tool.name}: ${name} has no description for a person to read`);
  const value = name.toUpperCase();
  const common = { value, description: description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, "") };
  if (type === "boolean") return { type: "flag", description: common.description };
  if (type === "array") return { type: "list", ...common };
  if (type === "number") return { type: "number", ...common };
  const must = required ? ({ required: true } as const) : {};
  if (type !== "integer") return { type: "text", ...common, ...must, ...(choices && { choices: choices.map(String) }) };
  const bounds = { ...(minimum !== undefined && { minimum }), ...(isBound(maximum) && { maximum }) };
  return { type: "integer", ...common, ...must, ...bounds };
}

/** What every whole number is below is no bound of its own. */
const isBound = (maximum: number | undefined): maximum is number =>
  maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;

/** One command a line: a change of one is a change of one line. */
const lines = (commands: readonly object[]): string =>
  `[\n${commands.map((command) => `  ${JSON.stringify(command)},\n`).join("")}]`;
