/** A space as people type it: as much of the beginning of its id as names one, as with other ids. */
import type { Cli } from "./cli.ts";
import { Client } from "./client.ts";
import { recover } from "./failure.ts";
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

/** Undefined without a hub, a token for it or the right to list: the command meets the same, and tells it. */
async function listSpaces(cli: Cli): Promise<string[] | undefined> {
  try {
    const client = cli.find();
    const listed = client && (await new Client({ ...client.target, space: undefined }).call("space_list", {}));
    return listed?.spaces.map(({ space }) => space);
  } catch (error) {
    return recover(undefined)(error);
  }
}

/** Not one that has expired: its whole id may be the beginning of another's, which is not meant. */
const isMissing = async (cli: Cli): Promise<boolean> =>
  (await cli
    .find()
    ?.call("whoami", {})
    .then(() => false, recover(true, ...MISSING))) ?? false;
