/** What came back to a command that was made of a tool, as its data says that it is printed. */
import type { CommandLooks } from "../../tool.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "./cli.ts";
import { flagOf } from "./command.ts";
import { fields, heading, rows } from "./fields.ts";
import { sentence, type Thing } from "./sentence.ts";
import { indented, wholeText } from "./whole-text.ts";

type Rows = NonNullable<CommandLooks["rows"]>;
type Shows = NonNullable<CommandLooks["shows"]>;
type Block = NonNullable<Rows["block"]>;
type Cells = NonNullable<Rows["cells"]>;

/** Of what somebody wrote, in a row. */
const MOST_IN_A_ROW = 120;

export function text(cli: Cli, looks: CommandLooks, thing: Thing): string {
  const { rows: table, shows, says } = looks;
  const headline = says === undefined ? "" : sentence(cli, says, thing);
  const all = says !== undefined && !table && !shows ? "" : fieldsOf(cli, looks, thing);
  return [headline, all].filter((part) => part !== "").join("\n");
}

/** What `--quiet` leaves of it. */
export function idsOf(looks: CommandLooks, answer: Thing): string[] {
  const { rows: table, id } = looks;
  if (id === undefined) return [];
  const one = oneOf(looks, answer);
  return (table ? listOf(answer, table.list) : one ? [one] : []).map((thing) => String(thing[id]));
}

function fieldsOf(cli: Cli, looks: CommandLooks, thing: Thing): string {
  const { rows: table, shows } = looks;
  if (table) return listText(cli, table, thing);
  if (!shows) return fields(cli.out, thing);
  const one = oneOf(looks, thing);
  // What came back beside it belongs to it.
  return one ? whole(cli, shows, { ...thing, ...one }) : "";
}

/** What came back, or the part of it that is meant. */
function oneOf({ shows }: CommandLooks, thing: Thing): Thing | undefined {
  if (!shows?.of) return thing;
  // What a tool gives under these names is a thing or null.
  return shows.of.map((name) => thing[name] as Thing | null | undefined).find((one) => one != null) ?? undefined;
}

function listText(cli: Cli, table: Rows, thing: Thing): string {
  const { each, block, none = "There are none.", more, columns = [], cells = {} } = table;
  const list = listOf(thing, table.list);
  if (list.length === 0) return sentence(cli, none, thing);
  const gap = block ? "\n\n" : "\n";
  const lines = block
    ? list.map((one) => blockText(cli, block, one)).join(gap)
    : each
      ? list.map((one) => sentence(cli, each, { ...thing, ...one })).join(gap)
      : rows(
          cli.out,
          list.map(shortened).map((one) => shortened({ ...one, ...cellsOf(cli, cells, one) })),
          columns,
        );
  const next = thing.has_more === true ? thing.last_id : thing.next;
  if (more === undefined || typeof next !== "string") return lines;
  return `${lines}${gap}There is more: ${cli.again(flagOf(more), visibleLine(next))}`;
}

const cellsOf = (cli: Cli, cells: Cells, thing: Thing): Thing =>
  Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [
      name,
      typeof cell === "object" && "of" in cell
        ? listOf(thing, cell.of).map((part) => sentence(cli, cell.says, part))
        : sentence(cli, cell, thing),
    ]),
  );

/** What somebody else wrote is indented, so that it can pass for no line of ours. */
function blockText(cli: Cli, { about, title, text: written, below }: Block, thing: Thing): string {
  const { out } = cli;
  const sentences = (parts: Block["about"]): string[] =>
    parts.map((part) => sentence(cli, part, thing)).filter((part) => part !== "");
  return [
    out.dim(sentences(about).join("  ")),
    `  ${out.bold(sentence(cli, title, thing))}`,
    ...wholeText(String(thing[written] ?? "")),
    ...sentences(below),
  ].join("\n");
}

/** A row is for finding it: of what somebody wrote the beginning will do. */
const shortened = (thing: Thing): Thing =>
  Object.fromEntries(
    Object.entries(thing).map(([name, value]) => [name, typeof value === "string" ? beginning(value) : value]),
  );

function beginning(text: string): string {
  const [first = "", ...more] = text.trim().split("\n");
  const cut = [...first].slice(0, MOST_IN_A_ROW).join("");
  return cut.length < first.length || more.length > 0 ? `${cut}…` : cut;
}

function whole(cli: Cli, { fields: first, tables = {}, texts = [] }: Shows, thing: Thing): string {
  const facts = fields(cli.out, Object.fromEntries(first.map((name) => [name, thing[name]])));
  const lists = Object.entries(tables).flatMap(([name, columns]) => {
    const list = listOf(thing, name).map(shortened);
    return list.length === 0 ? [] : [`${heading(name)}:\n${rows(cli.out, list, columns).replace(/^/gm, "  ")}`];
  });
  const written = texts.flatMap((name) => {
    const value = thing[name];
    return typeof value === "string" && value.trim() !== "" ? [`${heading(name)}:\n${indented(value.trimEnd())}`] : [];
  });
  return [facts, ...lists, ...written].join("\n\n");
}

const listOf = (thing: Thing, name: string): Thing[] => {
  const list = thing[name];
  return Array.isArray(list) ? list : [];
};
