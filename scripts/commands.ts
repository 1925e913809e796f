/** The commands that tools define, as data for the command line: `src/cli/made-commands.ts`. */
import { z } from "zod";
import type { Option, Positional } from "../src/cli/core/command.ts";
import type { MadeCommand } from "../src/cli/core/tool-command.ts";
import type { Tool, ToolCommand } from "../src/tool.ts";

const HEADER = `/** Made by \`npm run reference\` from the commands that tools define; do not edit. */
import type { MadeCommand } from "./core/tool-command.ts";`;

export const commandsOf = (tools: readonly Tool[]): MadeCommand[] =>
  tools
    .flatMap((tool) => (tool.commands ?? []).map((command) => madeOf(tool, command)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

export const commandsFile = (tools: readonly Tool[]): string =>
  `${HEADER}\n\nexport const MADE: readonly MadeCommand[] = ${JSON.stringify(commandsOf(tools), null, 2)};\n`;

function madeOf(tool: Tool, { words = {}, without = [], ...command }: ToolCommand): MadeCommand {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.input, { io: "input" });
  const schemaOf = (name: string): Schema => {
    const schema = properties[name];
    if (typeof schema !== "object") throw new Error(`${tool.name} has no argument ${name}`);
    return schema;
  };
  const said = [...Object.keys(words), ...Object.keys(command.fixed ?? {}), ...without];
  const rest = Object.keys(properties).filter((name) => !said.includes(name));
  const positionals = Object.entries(words).map(([name, description]) => {
    const list = schemaOf(name).type === "array";
    return [name, { description, ...(required.includes(name) && { required: true }), ...(list && { rest: true }) }];
  });
  const options = rest.map((name) => [name, optionOf(tool, name, schemaOf(name), required.includes(name))]);
  return {
    ...command,
    tool: tool.name,
    positionals: Object.fromEntries(positionals) as Record<string, Positional>,
    options: Object.fromEntries(options) as Record<string, Option>,
  };
}

type Schema = z.core.JSONSchema.JSONSchema;

function optionOf(tool: Tool, name: string, schema: Schema, required: boolean): Option {
  const { type, description, enum: choices, minimum, maximum } = schema;
  if (description === undefined) throw new Error(`${tool.name}: ${name} has no description for a person to read`);
  const value = name.toUpperCase();
  const common = { value, description: description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, "") };
  if (type === "boolean") return { type: "flag", description: common.description };
  if (type === "array") return { type: "list", ...common };
  const must = required ? ({ required: true } as const) : {};
  if (type !== "integer") return { type: "text", ...common, ...must, ...(choices && { choices: choices.map(String) }) };
  const bounds = { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  return { type: "integer", ...common, ...must, ...bounds };
}
