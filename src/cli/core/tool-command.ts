import { resolve } from "node:path";
import type { CommandLooks } from "../../tool.ts";
import { ACTING_OPTIONS, type As } from "./acting.ts";
import { callsAs } from "./call-as.ts";
import type { Cli } from "./cli.ts";
import { type Command, defineCommand, flag, flagOf, type Options, type Positionals } from "./command.ts";
import { confirmed, YES } from "./confirm.ts";
import { duration } from "./duration.ts";
import { typedText } from "./io.ts";
import { type Calls, thingNamed, wholeName } from "./lookup.ts";
import { sentence, type Thing } from "./sentence.ts";
import { idsOf, text } from "./tool-text.ts";

/** A command that was made of a tool's definition. */
export interface MadeCommand extends CommandLooks, Pick<Command, "examples" | "details" | "positionals" | "options"> {
  name: string;
  summary: string;
  common?: true;
  tool: string;
  /** Which argument each option is that is typed as a length of time. */
  durations?: Readonly<Record<string, string>>;
  /** Which argument each option is that is called otherwise. */
  called?: Readonly<Record<string, string>>;
  /** Options that are typed as `yes` or `no`. */
  yes_no?: readonly string[];
  /** Which argument each option is a field of, where that is an object. */
  inside?: Readonly<Record<string, string>>;
}

const DRY_RUN = { dry_run: flag("only say what it would do") } as const satisfies Options;

export function commandOf(made: MadeCommand): Command {
  const { examples, details, positionals, options, people, acting, asks, dry_run } = made;
  const own = { ...(acting && ACTING_OPTIONS), ...(dry_run && DRY_RUN), ...(asks && YES) };
  return defineCommand<Options, Positionals>({
    examples,
    ...(details !== undefined && { details }),
    ...(people && { people }),
    positionals,
    options: { ...options, ...own },
    run: (cli, values) => run(cli, made, values),
  });
}

async function run(cli: Cli, made: MadeCommand, given: Thing): Promise<void> {
  const call = callsOf(cli, made, given);
  const args = await argumentsOf(cli, made, { call, given });
  if (given.dry_run === true) return preview(cli, made, { call, args });
  if (!(await isMeant(cli, made, { call, args, given })))
    return cli.out.write(made.asks?.refused ?? "Nothing was changed.");
  const answer = await call(made.tool, { ...args, ...made.fixed });
  if (made.forgets !== undefined)
    await (await import("./identity-ensure.ts")).forgetAgent(cli, String(args[made.forgets]));
  await cli.out.result(answer, () => text(cli, made, { ...args, ...answer }), idsOf(made, answer));
}

const callsOf = (cli: Cli, { acting }: MadeCommand, given: Thing): Calls =>
  acting ? callsAs(cli, asOf(given)) : (tool, args) => cli.callByName<Thing>(tool, args);

/** The parser read them by the options that `acting` added. */
const asOf = (given: Thing): As =>
  Object.fromEntries(Object.keys(ACTING_OPTIONS).map((name) => [name, given[name]])) as As;

interface Typed {
  call: Calls;
  given: Thing;
}

/** What the tool is called with: words that were cut short are whole, and lengths of time are seconds. */
async function argumentsOf(cli: Cli, made: MadeCommand, { call, given }: Typed): Promise<Thing> {
  const { positionals } = made;
  const args: Record<string, unknown> = {};
  for (const [name, { names, rest }] of Object.entries(positionals)) {
    const typed = given[name];
    if (typed === undefined) continue;
    const words: string[] = rest ? (typed as string[]) : [String(typed)];
    const whole = names ? await Promise.all(words.map((word) => wholeName(call, names, word))) : words;
    const isText = made.text && name === Object.keys(positionals).at(-1);
    if (whole.length > 0) args[name] = isText ? await typedText(cli.io, whole) : rest ? whole : whole[0];
  }
  return { ...args, ...optionsOf(made, given) };
}

function optionsOf(
  { options, durations = {}, called = {}, folders = [], yes_no = [], inside = {} }: MadeCommand,
  given: Thing,
): Thing {
  const args: Record<string, unknown> = {};
  const objects: Record<string, Record<string, unknown>> = Object.fromEntries(
    Object.values(inside).map((name) => [name, {}]),
  );
  for (const name of Object.keys(options)) {
    const typed = given[name];
    const length = durations[name];
    // A flag that was not typed says nothing.
    if (typed === undefined || typed === false || (Array.isArray(typed) && typed.length === 0)) continue;
    const value = yes_no.includes(name) ? typed === "yes" : folders.includes(name) ? resolve(String(typed)) : typed;
    if (length !== undefined) args[length] = Math.ceil(duration(flagOf(name), String(typed)) / 1000);
    else (objects[inside[name] ?? ""] ?? args)[called[name] ?? name] = value;
  }
  return { ...args, ...objects };
}

interface Meant {
  call: Calls;
  args: Thing;
}

async function isMeant(cli: Cli, made: MadeCommand, { call, args, given }: Meant & Typed): Promise<boolean> {
  const { asks } = made;
  if (!asks || asks.unless?.some((name) => args[name] !== undefined)) return true;
  if (given.yes === true) return true;
  const { thing } = await subject(cli, made, { call, args });
  if (asks.counts !== undefined && thing[asks.counts] === 0) return true;
  return confirmed(cli, { yes: false, question: sentence(cli, asks.question, { ...args, ...thing }) });
}

async function preview(cli: Cli, made: MadeCommand, meant: Meant): Promise<void> {
  const { key, thing } = await subject(cli, made, meant);
  const about = key === undefined ? thing : { [key]: thing };
  await cli.out.result({ dry_run: true, ...about }, () =>
    sentence(cli, made.dry_run?.says ?? "", { ...meant.args, ...thing }),
  );
}

/** What it is about: what its first word names, or what the tool itself says that it would do. */
async function subject(cli: Cli, made: MadeCommand, { call, args }: Meant): Promise<{ key?: string; thing: Thing }> {
  const asked = made.dry_run?.fixed;
  if (asked) return { thing: await call(made.tool, { ...args, ...asked }) };
  const [name = "", { names } = {}] = Object.entries(made.positionals)[0] ?? [];
  if (!names || args[name] === undefined) return { thing: {} };
  return { key: names.what, thing: await thingNamed(cli, call, names, String(args[name])) };
}
