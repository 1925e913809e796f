/**
 * Whose tools are off, asked before each call of an agent. Hardly anybody's are, so that they are not is believed as what a
 * token may do is: on SQLite until the table is written to, on PostgreSQL for a second, and a change on this node counts at
 * once. That they are off is never believed: who was just let use them can.
 */
import type { Ctx } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { isToolsChange } from "./events.ts";
import { findRuntimeOf } from "./fencing.ts";

/** A change on another node reaches this one no later. */
const BELIEVED_MS = 1000;
const MOST_BELIEVED = 10_000;
const READ_FROM = ["runtimes"];

interface Belief {
  read_at: number;
  /** Of what it was read from; undefined where nobody counts. */
  revision: number | undefined;
}

class Beliefs {
  readonly #database: Database;
  readonly #on = new Map<string, Belief>();
  #changes = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async isOff(ctx: Ctx): Promise<boolean> {
    const { space_id, principal_id } = ctx.actor;
    const key = `${space_id} ${principal_id}`;
    if (this.#isBelieved(this.#on.get(key))) return false;
    const [changes, revision, read_at] = [this.#changes, this.#database.revisionOf(READ_FROM), performance.now()];
    const row = await findRuntimeOf(ctx, ctx.actor);
    this.#on.delete(key);
    if (row && row.tools_off_at !== null) return true;
    if (this.#on.size >= MOST_BELIEVED) this.#on.clear();
    // What was read before a change may be about what was before it.
    if (changes === this.#changes) this.#on.set(key, { read_at, revision });
    return false;
  }

  /** A change is rare, so what is believed of others goes with it. */
  forget(): void {
    this.#changes += 1;
    this.#on.clear();
  }

  #isBelieved(belief: Belief | undefined): boolean {
    if (!belief) return false;
    const revision = this.#database.revisionOf(READ_FROM);
    if (revision !== undefined) return belief.revision === revision;
    return performance.now() - belief.read_at < BELIEVED_MS;
  }
}

const known = new WeakMap<Database, Beliefs>();

function beliefsOf(database: Database): Beliefs {
  const beliefs = known.get(database) ?? new Beliefs(database);
  known.set(database, beliefs);
  return beliefs;
}

export const areToolsOff = (ctx: Ctx): Promise<boolean> => beliefsOf(ctx.database).isOff(ctx);

/** Hears what this node has stored. */
export function noteTools(database: Database, events: readonly FeedEvent[]): void {
  if (events.some(isToolsChange)) beliefsOf(database).forget();
}
