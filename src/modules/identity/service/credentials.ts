import type { Actor, Role } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { ParleyError } from "../../../errors.ts";
import { Name, SpaceId } from "../schema.ts";
import * as store from "../store.ts";
import type { GrantRow } from "../tables.ts";
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
  grants: GrantRow[];
  read_at: number;
}

/** How long what was read may be believed: a change on another node reaches this one no later. */
const BELIEVED_MS = 1000;
const MOST_HOLDERS = 10_000;

/**
 * From a token to an actor. What a token may do is read from the database and believed for
 * a second; a revocation is told by event and counts at once.
 */
export class Credentials {
  readonly #database: Database;
  readonly #holders = new Map<string, Holder>();
  readonly #spaces = new Map<
    string,
    { expires_at: string | null; read_at: number } | { missing: true; read_at: number }
  >();

  constructor(database: Database) {
    this.#database = database;
  }

  async authenticate({ token, space_id, caller_agent }: Credential): Promise<Actor> {
    if (!token) throw unauthenticated("Say who you are: Authorization: Bearer TOKEN.");
    const holder = await this.#holder(token);
    const { space, roles } = await this.#enter(holder, space_id);
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
    const space = await this.#space(actor.space_id);
    if ("missing" in space || this.#expired(space.expires_at)) return false;
    const token = await store.findToken(this.#database, actor.token_id);
    return token?.revoked_at === null;
  }

  forget(token_id: string): void {
    for (const [hash, holder] of this.#holders) if (holder.token_id === token_id) this.#holders.delete(hash);
  }

  async #holder(token: string): Promise<Holder> {
    // Looked up by hash: how long that takes says nothing about the token.
    const hash = hashOf(token);
    const known = this.#holders.get(hash);
    if (known && performance.now() - known.read_at < BELIEVED_MS) return known;
    const read_at = performance.now();
    const row = await store.findTokenByHash(this.#database, hash);
    if (!row || row.revoked_at !== null) {
      this.#holders.delete(hash);
      throw unauthenticated("This token is not known here, or it was revoked.");
    }
    const grants = await store.listGrants(this.#database, row.principal_id);
    const { id: token_id, principal_id, subscriber_id, name, kind } = row;
    const holder = { token_id, principal_id, subscriber_id, name, kind, grants, read_at };
    if (this.#holders.size >= MOST_HOLDERS) this.#holders.clear();
    this.#holders.set(hash, holder);
    return holder;
  }

  /** A space one has no business in and one that does not exist get the same answer. */
  async #enter(holder: Holder, wanted: string | undefined): Promise<{ space: string; roles: Role[] }> {
    const space = wanted ?? defaultSpace(holder.grants);
    if (space === undefined)
      throw new ParleyError("MISSING_SESSION_ID", "This token may use several spaces: name one with X-Session-ID.");
    if (!SpaceId.safeParse(space).success)
      throw new ParleyError(
        "INVALID_SESSION_ID",
        "X-Session-ID is main, a UUID or sess_… of letters, digits, - and _.",
      );
    const roles = holder.grants
      .filter(({ space_id }) => space_id === space || space_id === "*")
      .map(({ role }) => role);
    const found = roles.length > 0 ? await this.#space(space) : undefined;
    if (!found || "missing" in found) throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${space}.`);
    if (this.#expired(found.expires_at)) throw new ParleyError("SESSION_EXPIRED", `The space ${space} has expired.`);
    return { space, roles: [...new Set(roles)] };
  }

  #expired(expires_at: string | null): boolean {
    return expires_at !== null && expires_at <= new Date(this.#database.now()).toISOString();
  }

  async #space(id: string) {
    const known = this.#spaces.get(id);
    if (known && performance.now() - known.read_at < BELIEVED_MS) return known;
    const read_at = performance.now();
    const row = await store.findSpace(this.#database, id);
    const space = row ? { expires_at: row.expires_at, read_at } : { missing: true as const, read_at };
    if (this.#spaces.size >= MOST_HOLDERS) this.#spaces.clear();
    this.#spaces.set(id, space);
    return space;
  }
}

function defaultSpace(grants: readonly GrantRow[]): string | undefined {
  const spaces = new Set(grants.map(({ space_id }) => (space_id === "*" ? MAIN_SPACE : space_id)));
  if (spaces.has(MAIN_SPACE)) return MAIN_SPACE;
  return spaces.size === 1 ? [...spaces][0] : undefined;
}

function checkedName(name: string): string {
  if (Name.safeParse(name).success) return name;
  throw new ParleyError("INVALID_ARGUMENT", "X-Caller-Agent is not a name.");
}

const unauthenticated = (message: string): ParleyError => new ParleyError("UNAUTHENTICATED", message);
