import { ENTRIES, GROUPS } from "../commands.ts";
import type { Cli } from "../core/cli.ts";
import type { Entry } from "../core/command.ts";
import { COMMON, type Command, defineCommand, flagOf, type Option, type Options } from "../core/command.ts";
import { programName } from "../core/program.ts";
import { findCommand } from "./find.ts";
import { describe, everything, usage } from "./schema.ts";

export const help = defineCommand({
  format: "text",
  examples: ["help", "help token create", "help chat"],
  details: "With --json the same as data, as parley schema gives it.",
  positionals: { command: { rest: true, description: "the command to explain" } },
  async run(cli, { command }) {
    const [word = ""] = command;
    if (command.length === 1 && GROUPS.has(word)) return showGroup(cli, word);
    if (command.length > 0) return showCommand(cli, findCommand(command));
    if (cli.out.json) return cli.out.write(JSON.stringify(await everything()));
    await cli.out.write(overview(cli.out.bold.bind(cli.out), cli.out.width) + stands(cli.out.width));
  },
});

const WHAT_IT_IS = "Parley: one hub where people and AI agents talk, hand work to each other and decide together.";

const FIRST: readonly Pair[] = [
  ["  parley serve", "run the hub; open the address it prints"],
  ["  parley token create --role agent --name scout", "let an agent in"],
  ['  parley chat send --agent scout "What is new?"', "say something to it"],
];

export function overview(bold: (text: string) => string, width = Number.POSITIVE_INFINITY): string {
  return `${wrapped(WHAT_IT_IS.split(" "), { width })}

${bold("Examples")}
${pairs(FIRST, width)}

${bold("Common commands")}
${list(
  ENTRIES.filter(({ common }) => common),
  width,
)}

${bold("All commands")}
${wrapped(names(), { indent: "  ", between: ", ", width: Math.min(width, WIDEST) })}

${flowing("parley help COMMAND explains one. Every command takes --home, --url, --space and --json.", width)}`;
}

/** Help is for reading: a long path in every line of it would be in the way. */
function stands(width = Number.POSITIVE_INFINITY): string {
  const program = programName();
  if (program === "parley") return "";
  const note = `parley stands for ${program}, which is not on your PATH. ${program} link puts it there.`;
  return `\n\n${wrapped(note.split(" "), { width })}`;
}

/** So many of a group fit in a line. */
const MOST_VERBS = 10;

/** `token create|list|revoke|rotate` rather than four names. */
function names(): string[] {
  const alone = ENTRIES.filter(({ name }) => !name.includes(" ")).map(({ name }) => name);
  return [...[...GROUPS].flatMap(namesIn), ...alone];
}

function namesIn(group: string): string[] {
  const verbs = members(group).map(({ name }) => name.slice(group.length + 1));
  const lines = Array.from({ length: Math.ceil(verbs.length / MOST_VERBS) }, (_, line) =>
    verbs.slice(line * MOST_VERBS, (line + 1) * MOST_VERBS),
  );
  return lines.map((some) => `${group} ${some.join("|")}`);
}

const members = (group: string): Entry[] => ENTRIES.filter(({ name }) => name.startsWith(`${group} `));

const list = (entries: readonly Entry[], width: number): string =>
  pairs(
    entries.map(({ name, summary }) => [`  ${name}`, summary]),
    width,
  );

async function showGroup(cli: Cli, group: string): Promise<void> {
  if (cli.out.json) {
    await cli.out.write(JSON.stringify({ commands: await Promise.all(members(group).map(describe)) }));
    return;
  }
  await cli.out.write(
    `${list(members(group), cli.out.width ?? Number.POSITIVE_INFINITY)}\n\nparley help ${group} … explains one.`,
  );
}

async function showCommand(cli: Cli, entry: Entry): Promise<void> {
  await cli.out.result(await describe(entry), () => "");
  if (!cli.out.json)
    await cli.out.write(
      explain(entry, await entry.load(), cli.out.bold.bind(cli.out), cli.out.width) + stands(cli.out.width),
    );
}

export function explain(
  entry: Entry,
  command: Command,
  bold: (text: string) => string,
  width = Number.POSITIVE_INFINITY,
): string {
  const parts = [
    `${bold("Examples")}\n${command.examples.map((example) => `  parley ${example}`).join("\n")}`,
    `${bold("Usage")}\n  ${usage(entry, command)}`,
    flowing(`${entry.summary[0]?.toUpperCase()}${entry.summary.slice(1)}. ${command.details ?? ""}`.trim(), width),
  ];
  const words = Object.entries(command.positionals).map(
    ([name, { description }]): Pair => [`  ${name.toUpperCase()}`, description],
  );
  if (words.length > 0) parts.push(`${bold("Words")}\n${pairs(words, width)}`);
  if (Object.keys(command.options).length > 0) parts.push(`${bold("Options")}\n${optionRows(command.options, width)}`);
  parts.push(`${bold("Options of every command")}\n${optionRows(COMMON, width)}`);
  return parts.join("\n\n");
}

const optionRows = (options: Options, width: number): string =>
  pairs(
    Object.entries(options).map(([key, option]) => [
      `  ${spelled(key, option)}`,
      `${option.description}${hints(option)}`,
    ]),
    width,
  );

function spelled(key: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : "";
  return `${short}${flagOf(key)}${option.type === "flag" ? "" : ` ${typedValue(option)}`}`;
}

/** More than that leaves no room for what is said of it. */
const MOST_CHOICES = 22;

/** One of its choices, where few words tell them and nothing else does. Of the formats two are for programs. */
function typedValue(option: Option): string {
  const { value = "VALUE", description } = option;
  const choices = "choices" in option && option !== COMMON.format ? (option.choices ?? []) : [];
  const told = choices.every((choice) => `${value} ${description}`.includes(choice));
  const spelled = choices.join("|");
  return told || spelled.length > MOST_CHOICES ? value : spelled;
}

function hints(option: Option): string {
  const fallback = "default" in option && option.default !== undefined ? [`default ${option.default}`] : [];
  return [...fallback, ...(option.env ? [option.env] : [])].map((hint) => ` [${hint}]`).join("");
}

type Pair = readonly [name: string, text: string];

/** A column of names and what is said of each, which goes on below where the terminal ends. */
function pairs(rows: readonly Pair[], width: number): string {
  const left = Math.max(...rows.map(([name]) => name.length)) + 2;
  const room = Math.max(LEAST, width - left);
  const next = `\n${" ".repeat(left)}`;
  return rows
    .map(([name, text]) => `${name.padEnd(left)}${wrapped(text.split(" "), { width: room }).replaceAll("\n", next)}`)
    .join("\n");
}

/** Of running text, also where there is more room: longer lines are hard to read. */
const WIDEST = 92;
/** Narrower than this a column says nothing. */
const LEAST = 16;

const flowing = (text: string, width: number): string => wrapped(text.split(" "), { width: Math.min(width, WIDEST) });

interface Wrapping {
  indent?: string;
  between?: string;
  width: number;
}

function wrapped(words: readonly string[], { indent = "", between = " ", width }: Wrapping): string {
  const lines: string[] = [];
  const most = width - between.trimEnd().length;
  for (const word of words) {
    const last = lines.at(-1);
    const longer = `${last}${between}${word}`;
    if (last !== undefined && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${word}`);
  }
  return lines.join(`${between.trimEnd()}\n`);
}
