/** What the words of a command name: ids may be cut short as git's, and the thing itself can be shown before it is touched. */
import type { Lookup } from "../../tool.ts";
import type { Cli } from "./cli.ts";
import { Failure } from "./failure.ts";
import type { Thing } from "./sentence.ts";
import { idRange, isWhole, LATEST, theOne } from "./short-ids.ts";

const PAGE = 100;

/** Makes the calls as whoever the command acts as. */
export type Calls = (tool: string, args: object) => Promise<Thing>;

/** The whole name of what was typed. One that is whole costs no question, where that can be seen. */
export async function wholeName(call: Calls, lookup: Lookup, given: string): Promise<string> {
  const { short, before, what, unless, field = "id" } = lookup;
  if (!short || (before !== undefined && isWhole(given))) return given;
  if (before === undefined) {
    const things = (await listed(call, lookup)).filter((thing) => unless === undefined || thing[unless] === null);
    const names = things.map((thing) => String(thing[field]));
    // What none begins with is for the hub to refuse.
    return names.some((name) => name.startsWith(given)) ? theOne(given, names, what) : given;
  }
  if (given === LATEST) return newest(call, lookup);
  const page = { [before]: after(idRange(given).last), limit: PAGE };
  return theOne(
    given,
    (await listed(call, lookup, page)).map((thing) => String(thing[field])),
    what,
  );
}

async function newest(call: Calls, lookup: Lookup): Promise<string> {
  const [first] = await listed(call, lookup, { limit: 1 });
  if (first) return String(first[lookup.field ?? "id"]);
  throw new Failure("NOT_FOUND", `There is no ${lookup.what}.`);
}

/** The thing with that name. */
export async function thingNamed(cli: Cli, call: Calls, lookup: Lookup, name: string): Promise<Thing> {
  const { before, what, tool, field = "id", code = "NOT_FOUND" } = lookup;
  const page = before === undefined ? {} : { [before]: after(name), limit: 1 };
  const found = (await listed(call, lookup, page)).find((thing) => thing[field] === name);
  if (found) return found;
  const { commandOf } = await import("./exit-code.ts");
  const all = commandOf(tool);
  const hint = all === undefined ? "" : ` See them all: ${cli.line(all)}`;
  throw new Failure(code, `There is no ${what} ${JSON.stringify(name)}.${hint}`);
}

/** The id behind this one: what lies before that can be it. */
const after = (id: string): string => (/^\d{1,16}$/.test(id) ? String(BigInt(id) + 1n) : id);

async function listed(call: Calls, { tool, args, list }: Lookup, page: object = {}): Promise<Thing[]> {
  const things = (await call(tool, { ...args, ...page }))[list];
  return Array.isArray(things) ? things : [];
}
