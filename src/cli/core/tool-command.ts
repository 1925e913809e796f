import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As } from "./acting.ts";
import { callByNameAs } from "./call-as.ts";
import type { Cli } from "./cli.ts";
import { type Command, defineCommand, type Options, type Positionals } from "./command.ts";
import { confirmed, YES } from "./confirm.ts";
import { fields, rows, shown } from "./fields.ts";

/** A command that was made of a tool's definition. */
export interface MadeCommand extends Pick<Command, "examples" | "details" | "positionals" | "options" | "people"> {
  name: string;
  summary: string;
  tool: string;
  fixed?: Thing;
  acting?: true;
  rows?: { list: string; columns: readonly string[]; none: string };
  id?: string;
  asks?: string;
  says?: string;
}

type Thing = Readonly<Record<string, unknown>>;

export function commandOf(made: MadeCommand): Command {
  const { examples, details, positionals, options, people, acting, asks } = made;
  return defineCommand<Options, Positionals>({
    examples,
    ...(details !== undefined && { details }),
    ...(people && { people }),
    positionals,
    options: { ...options, ...(acting && ACTING_OPTIONS), ...(asks !== undefined && YES) },
    async run(cli, values) {
      const given: Thing = values;
      const question = asks === undefined ? undefined : filled(cli, asks, given);
      if (question !== undefined && !(await confirmed(cli, { yes: given.yes === true, question })))
        return cli.out.write("Nothing was changed.");
      const answer = await call(cli, made, given);
      await cli.out.result(
        answer,
        () => text(cli, made, { ...given, ...answer }),
        () => idsOf(made, answer),
      );
    },
  });
}

function call(cli: Cli, { tool, positionals, options, fixed, acting }: MadeCommand, given: Thing): Promise<Thing> {
  const own = Object.keys({ ...positionals, ...options });
  const said = own.filter((name) => given[name] !== undefined && !isEmpty(given[name]));
  const args = { ...Object.fromEntries(said.map((name) => [name, given[name]])), ...fixed };
  // The parser read them by the options that `acting` added.
  return acting ? callByNameAs<Thing>(cli, asOf(given), tool, { args }) : cli.callByName<Thing>(tool, args);
}

/** An option that may stand several times, and did not. */
const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const asOf = (given: Thing): As =>
  Object.fromEntries(Object.keys(ACTING_OPTIONS).map((name) => [name, given[name]])) as As;

function text(cli: Cli, { rows: table, says }: MadeCommand, thing: Thing): string {
  if (table) {
    const list = listOf(thing, table.list);
    return list.length === 0 ? table.none : rows(cli.out, list, table.columns);
  }
  return says === undefined ? fields(cli.out, thing) : filled(cli, says, thing);
}

const filled = (cli: Cli, sentence: string, thing: Thing): string =>
  sentence.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => shown(cli.out, name, thing[name]));

const listOf = (thing: Thing, name: string): Thing[] => {
  const list = thing[name];
  return Array.isArray(list) ? list : [];
};

function idsOf({ rows: table, id }: MadeCommand, answer: Thing): string[] {
  if (id === undefined) return [];
  return (table ? listOf(answer, table.list) : [answer]).map((thing) => visibleLine(String(thing[id])));
}
