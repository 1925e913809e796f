/** A space as people type it: as much of the beginning of its id as names one, as with other ids. */
import type { Cli } from "./cli.ts";
import { Client, isRefused } from "./client.ts";
import { Failure } from "./failure.ts";
import { noneBegins, theOne } from "./short-ids.ts";

const PERMANENT = "main";
/** Of those that people choose nobody sees whether they are whole. */
const CHOSEN = /^sess_/;
/** As the hub makes them. */
const MADE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** There is none of that name, or none can have it. */
const MISSING: readonly string[] = ["SESSION_NOT_FOUND", "INVALID_SESSION_ID"];

/** The same in the space that is meant. What cannot be looked up is left to the command, which says why. */
export async function inWholeSpace(cli: Cli): Promise<Cli> {
  const { space: given } = cli;
  // An agent is told of no space that it has not named.
  if (given === undefined || given === PERMANENT || MADE.test(given) || cli.runByAgent !== undefined) return cli;
  const ids = await listSpaces(cli);
  if (!ids || ids.includes(given)) return cli;
  if (!ids.some((id) => id.startsWith(given))) {
    if (CHOSEN.test(given)) return cli;
    throw noneBegins(given, "space");
  }
  if (!(await isMissing(cli))) return cli;
  return cli.at({ space: theOne(given, ids, "space") });
}

async function listSpaces(cli: Cli): Promise<string[] | undefined> {
  const spaces = await quietly(async () => {
    const client = cli.find();
    return client && new Client({ ...client.target, space: undefined }).call("space_list", {});
  });
  return spaces?.spaces.map(({ space }) => space);
}

/** Not one that has expired: its whole id may be the beginning of another's, which is not meant. */
async function isMissing(cli: Cli): Promise<boolean> {
  try {
    await cli.find()?.call("whoami", {});
    return false;
  } catch (error) {
    if (error instanceof Failure) return MISSING.includes(error.code);
    throw error;
  }
}

async function quietly<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    // No hub, no token for it, no right to list: the command meets the same, and tells it.
    if (error instanceof Failure || isRefused(error)) return undefined;
    throw error;
  }
}
