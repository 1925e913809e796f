import type { Cli } from "./cli.ts";
import { COMMON, type Command, defineCommand, flagOf, type Option, type Options } from "./command.ts";
import { ENTRIES, type Entry, GROUPS } from "./commands.ts";
import { findCommand } from "./find.ts";
import { table } from "./output.ts";

export const help = defineCommand({
  format: "text",
  examples: ["help", "help token create", "help chat"],
  details: "With --json the same as data: every command, its options and its words.",
  positionals: { command: { rest: true, description: "the command to explain" } },
  async run(cli, { command }) {
    const [word = ""] = command;
    if (command.length === 1 && GROUPS.has(word)) return showGroup(cli, word);
    if (command.length > 0) return showCommand(cli, findCommand(command));
    if (cli.out.json) return cli.out.write(JSON.stringify({ commands: await Promise.all(ENTRIES.map(describe)) }));
    await cli.out.write(overview(cli.out.bold.bind(cli.out)));
  },
});

export function overview(bold: (text: string) => string): string {
  return `Parley: one hub where people and AI agents talk, hand work to each other and decide together.

${bold("Examples")}
  parley serve                                       run the hub; open the address it prints
  parley token create --role agent --name scout      let an agent in
  parley chat send --agent scout "What is new?"      say something to it

${bold("Common commands")}
${list(ENTRIES.filter(({ common }) => common))}

${bold("All commands")}
${wrapped(names(), { indent: "  ", between: ", " })}

parley help COMMAND explains one. Every command takes --home, --url, --space and --json.`;
}

/** `token create|list|revoke|rotate` rather than four names. */
function names(): string[] {
  const alone = ENTRIES.filter(({ name }) => !name.includes(" ")).map(({ name }) => name);
  const verbs = (group: string): string[] => members(group).map(({ name }) => name.slice(group.length + 1));
  return [...[...GROUPS].map((group) => `${group} ${verbs(group).join("|")}`), ...alone];
}

const members = (group: string): Entry[] => ENTRIES.filter(({ name }) => name.startsWith(`${group} `));

const list = (entries: readonly Entry[]): string => table(entries.map(({ name, summary }) => [`  ${name}`, summary]));

async function showGroup(cli: Cli, group: string): Promise<void> {
  if (cli.out.json) {
    await cli.out.write(JSON.stringify({ commands: await Promise.all(members(group).map(describe)) }));
    return;
  }
  await cli.out.write(`${list(members(group))}\n\nparley help ${group} … explains one.`);
}

async function showCommand(cli: Cli, entry: Entry): Promise<void> {
  await cli.out.result(await describe(entry), () => "");
  if (!cli.out.json) await cli.out.write(explain(entry, await entry.load(), cli.out.bold.bind(cli.out)));
}

/** A command as data. */
async function describe(entry: Entry): Promise<object> {
  const { examples, details, positionals, options } = await entry.load();
  return {
    name: entry.name,
    summary: entry.summary,
    ...(details && { details }),
    usage: usage(entry, await entry.load()),
    examples: examples.map((example) => `parley ${example}`),
    positionals: Object.entries(positionals).map(([name, positional]) => ({ name, ...positional })),
    options: Object.entries({ ...options, ...COMMON }).map(([key, option]) => ({ flag: flagOf(key), ...option })),
  };
}

export function explain(entry: Entry, command: Command, bold: (text: string) => string): string {
  const parts = [
    `${bold("Examples")}\n${command.examples.map((example) => `  parley ${example}`).join("\n")}`,
    `${bold("Usage")}\n  ${usage(entry, command)}`,
    wrapped(`${entry.summary[0]?.toUpperCase()}${entry.summary.slice(1)}. ${command.details ?? ""}`.trim().split(" ")),
  ];
  const words = Object.entries(command.positionals).map(([name, { description }]) => [
    `  ${name.toUpperCase()}`,
    description,
  ]);
  if (words.length > 0) parts.push(`${bold("Words")}\n${table(words)}`);
  if (Object.keys(command.options).length > 0) parts.push(`${bold("Options")}\n${optionRows(command.options)}`);
  parts.push(`${bold("Options of every command")}\n${optionRows(COMMON)}`);
  return parts.join("\n\n");
}

function usage({ name }: Entry, { positionals, options }: Command): string {
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

const optionRows = (options: Options): string =>
  table(
    Object.entries(options).map(([key, option]) => [
      `  ${spelled(key, option)}`,
      `${option.description}${hints(option)}`,
    ]),
  );

function spelled(key: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : "";
  return `${short}${flagOf(key)}${option.type === "flag" ? "" : ` ${option.value ?? "VALUE"}`}`;
}

function hints(option: Option): string {
  const fallback = "default" in option && option.default !== undefined ? [`default ${option.default}`] : [];
  return [...fallback, ...(option.env ? [option.env] : [])].map((hint) => ` [${hint}]`).join("");
}

const WIDTH = 92;

function wrapped(words: readonly string[], { indent = "", between = " " } = {}): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last}${between}${word}`;
    if (last !== undefined && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${word}`);
  }
  return lines.join(`${between.trimEnd()}\n`);
}
