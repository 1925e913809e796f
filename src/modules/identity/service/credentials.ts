import type { Actor, Role } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { ParleyError } from "../../../errors.ts";
import { Name, SpaceId } from "../schema.ts";
import * as store from "../store.ts";
import type { HeldGrantRow } from "../tables.ts";
import { defaultSpace, isExpired } from "./spaces.ts";
import { hashOf } from "./tokens.ts";

/** What a request says about who sends it. */
export interface Credential {
  token: string | undefined;
  /** `X-Session-ID` */
  space_id: string | undefined;
  /** `X-Caller-Agent` */
  caller_agent: string | undefined;
}

interface Holder {
  token_id: string;
  principal_id: string;
  subscriber_id: string;
  name: string;
  kind: Actor["kind"];
  grants: HeldGrantRow[];
  expires_at: string | null;
  read_at: number;
}

/** How long what was read may be believed: a change on another node reaches this one no later. */
const BELIEVED_MS = 1000;
const MOST_HOLDERS = 10_000;

/**
 * From a token to an actor. What a token may do is read from the database and believed for
 * a second; a revocation is told by event and counts at once. That somebody may not do something is
 * never believed, so what was granted just now can be used. Whether a space still lives is asked each time.
 */
export class Credentials {
  readonly #database: Database;
  readonly #holders = new Map<string, Holder>();
  #revocations = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async authenticate({ token, space_id, caller_agent }: Credential): Promise<Actor> {
    if (!token) throw unauthenticated("Say who you are: Authorization: Bearer TOKEN.");
    const { holder, space, roles } = await this.#enter(token, space_id);
    const actor: Actor = {
      principal_id: holder.principal_id,
      name: holder.name,
      kind: holder.kind,
      roles,
      space_id: space,
      token_id: holder.token_id,
      subscriber_id: holder.subscriber_id,
    };
    return caller_agent === undefined ? actor : { ...actor, caller_agent: checkedName(caller_agent) };
  }

  /** Whether a stream opened by this actor may go on. */
  async stillValid(actor: Actor): Promise<boolean> {
    if ((await this.#stateOf(actor.space_id)) !== "open") return false;
    const token = await store.findToken(this.#database, actor.token_id);
    return token?.revoked_at === null && !isOver(token, this.#database.now());
  }

  forget(token_id: string): void {
    this.#revocations += 1;
    for (const [hash, holder] of this.#holders) if (holder.token_id === token_id) this.#holders.delete(hash);
  }

  /** A space one has no business in and one that does not exist get the same answer. */
  async #enter(token: string, wanted: string | undefined): Promise<{ holder: Holder; space: string; roles: Role[] }> {
    // Looked up by hash: how long that takes says nothing about the token.
    const hash = hashOf(token);
    const known = this.#holders.get(hash);
    const fresh = known !== undefined && performance.now() - known.read_at < BELIEVED_MS;
    let holder = fresh && !isOver(known, this.#database.now()) ? known : await this.#read(hash);
    let space = this.#named(holder, wanted);
    if (fresh && rolesIn(holder, space).length === 0) {
      holder = await this.#read(hash);
      space = this.#named(holder, wanted);
    }
    if (space === undefined)
      throw new ParleyError("MISSING_SESSION_ID", "This token may use several spaces: name one with X-Session-ID.");
    const roles = rolesIn(holder, space);
    const state = roles.length > 0 ? await this.#stateOf(space) : "missing";
    if (state === "missing") throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${space}.`);
    if (state === "expired") throw new ParleyError("SESSION_EXPIRED", `The space ${space} has expired.`);
    return { holder, space, roles };
  }

  async #read(hash: string): Promise<Holder> {
    const revocations = this.#revocations;
    const read_at = performance.now();
    const row = await store.findTokenByHash(this.#database, hash);
    if (!row || row.revoked_at !== null || isOver(row, this.#database.now())) {
      this.#holders.delete(hash);
      throw unauthenticated("This token is not known here, or it was revoked, or its time is over.");
    }
    const grants = await store.listGrants(this.#database, row.principal_id);
    const { id: token_id, principal_id, subscriber_id, name, kind, expires_at } = row;
    const holder = { token_id, principal_id, subscriber_id, name, kind, grants, expires_at, read_at };
    if (this.#holders.size >= MOST_HOLDERS) this.#holders.clear();
    // What was read before a revocation may be about the token it was for.
    if (revocations === this.#revocations) this.#holders.set(hash, holder);
    return holder;
  }

  #named({ grants }: Holder, wanted: string | undefined): string | undefined {
    if (wanted === undefined) return defaultSpace(grants, this.#database.now());
    if (SpaceId.safeParse(wanted).success) return wanted;
    throw new ParleyError("INVALID_SESSION_ID", "X-Session-ID is main, a UUID or sess_… of letters, digits, - and _.");
  }

  async #stateOf(space_id: string): Promise<"open" | "expired" | "missing"> {
    if (space_id === MAIN_SPACE) return "open";
    const row = await store.findSpace(this.#database, space_id);
    if (!row) return "missing";
    return isExpired(row, this.#database.now()) ? "expired" : "open";
  }
}

/** A browser's session ends by itself. */
export const isOver = ({ expires_at }: { expires_at: string | null }, now: number): boolean =>
  expires_at !== null && expires_at <= new Date(now).toISOString();

const rolesIn = ({ grants }: Holder, space: string | undefined): Role[] => [
  ...new Set(grants.filter(({ space_id }) => space_id === space || space_id === "*").map(({ role }) => role)),
];

function checkedName(name: string): string {
  if (Name.safeParse(name).success) return name;
  throw new ParleyError("INVALID_ARGUMENT", "X-Caller-Agent is not a name.");
}

const unauthenticated = (message: string): ParleyError => new ParleyError("UNAUTHENTICATED", message);
