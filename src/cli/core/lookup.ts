/** What the words of a command name: ids may be cut short as git's, and the thing itself can be shown before it is touched. */
import type { Lookup } from "../../tool.ts";
import type { Cli } from "./cli.ts";
import { Failure } from "./failure.ts";
import type { Thing } from "./sentence.ts";
import { idRange, isWhole, LATEST, noneBegins, theOne } from "./short-ids.ts";

const PAGE = 100;
const WHOLE_ID = /^\d{16}$/;

/** Makes the calls as whoever the command acts as. */
export type Calls = (tool: string, args: object) => Promise<Thing>;

/** The whole name of what was typed. One that is whole costs no question, where that can be seen. */
export async function wholeName(call: Calls, lookup: Lookup, given: string): Promise<string> {
  const { short, before, between, field = "id" } = lookup;
  if (!short || ((before ?? between) !== undefined && isWhole(given)) || WHOLE_ID.test(given)) return given;
  const found = await thingTyped(call, lookup, given);
  return found ? String(found[field]) : given;
}

/** What was typed in short. Undefined for what none begins with and only the hub can refuse. */
export async function thingTyped(call: Calls, lookup: Lookup, given: string): Promise<Thing | undefined> {
  const { before, between, latest, what, unless, field = "id" } = lookup;
  if (given === LATEST && (before ?? latest) !== undefined) return newest(call, lookup);
  const page = before
    ? { [before]: behind(given, what), limit: PAGE }
    : between && { ...madeWithin(given, between, what), limit: PAGE };
  const things = (await listed(call, lookup, page)).filter((thing) => unless === undefined || thing[unless] === null);
  const names = things.map((thing) => String(thing[field]));
  if (!page && !names.some((name) => name.startsWith(given))) return undefined;
  return things[names.indexOf(theOne(given, names, what))];
}

async function newest(call: Calls, lookup: Lookup): Promise<Thing> {
  const { latest = [{}], field = "id", what, code = "NOT_FOUND" } = lookup;
  const firsts = await Promise.all(latest.map((where) => listed(call, lookup, { ...where, limit: 1 })));
  // Ids of one length, so that the later one is the greater.
  const [first] = firsts.flat().sort((a, b) => (String(a[field]) > String(b[field]) ? -1 : 1));
  if (first) return first;
  const where = latest.flatMap((each) => Object.values(each)).join(" or ");
  throw new Failure(code, `There is no ${what}${where && ` in ${where}`}.`);
}

/** Ids are microseconds, so those that begin so were made between two times, which the hub can look for. */
function madeWithin(prefix: string, [from, until]: NonNullable<Lookup["between"]>, what: string): object {
  const { first, last } = idRange(prefix, what);
  const [from_ms, until_ms] = [Number(first) / 1000, Number(last) / 1000];
  const now = Date.now();
  const oldest_ms = now - OLDEST_MS;
  if (from_ms > now + DAY_MS || until_ms < oldest_ms) throw noneBegins(prefix, what);
  // What is still to come needs no end.
  const ends = until_ms < now && { [until]: isoOf(Math.ceil(until_ms)) };
  return { [from]: isoOf(Math.floor(Math.max(from_ms, oldest_ms))), ...ends };
}

const DAY_MS = 86_400_000;

/** Nothing is older, and the hub takes no time that is further away. */
const OLDEST_MS = 3650 * DAY_MS;

const isoOf = (ms: number): string => new Date(ms).toISOString();

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
const after = (id: string): string => (/^\d{1,16}$/.test(id) ? String(Math.min(Number(id) + 1, LAST_ID)) : id);

/** Behind all that begin so. */
function behind(prefix: string, what: string): string {
  const { first, last } = idRange(prefix, what);
  if (Number(first) > LAST_ID) throw noneBegins(prefix, what);
  return after(last);
}

/** No hub gives out a greater one. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

async function listed(call: Calls, { tool, args, list }: Lookup, page: object = {}): Promise<Thing[]> {
  const things = (await call(tool, { ...args, ...page }))[list];
  return Array.isArray(things) ? things : [];
}
