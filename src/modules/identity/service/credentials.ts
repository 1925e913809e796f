import { type Actor, NOWHERE, type Role } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { ParleyError } from "../../../errors.ts";
import { Name, SpaceId } from "../schema.ts";
import * as store from "../store.ts";
import type { HeldGrantRow } from "../tables.ts";
import { defaultSpace, isExpired, isOfOneSpace, rolesIn } from "./spaces.ts";
import { hashOf } from "./tokens.ts";

/** What a request says about who sends it. */
export interface Credential {
  token: string | undefined;
  /** `X-Session-ID` */
  space_id: string | undefined;
  /** `X-Caller-Agent` */
  caller_agent: string | undefined;
  /** Whether it is a page, by its cookie, or the command line, as that says. */
  via?: Actor["via"];
}

/** What has to be known of the space. */
interface Wanted {
  /** It has to be named: whatever else there is to be known, none is taken for it. */
  named?: boolean | undefined;
  /** Whoever may use several and names none is let in, and is nowhere. */
  nowhere?: boolean | undefined;
}

interface Holder {
  token_id: string;
  principal_id: string;
  subscriber_id: string;
  name: string;
  kind: Actor["kind"];
  space_id: string | null;
  cause: number | null;
  governed_at: string | null;
  grants: HeldGrantRow[];
  expires_at: string | null;
  read_at: number;
  /** Of what it was read from. */
  revision: number | undefined;
}

interface Entered {
  holder: Holder;
  /** Undefined where several could be meant. */
  space: string | undefined;
  /** Those in the space; of who is nowhere, those in any. */
  roles: Role[];
}

/** How long what was read may be believed: a change on another node reaches this one no later. */
const BELIEVED_MS = 1000;
const MOST_HOLDERS = 10_000;
/** When a space ends is read beside these, and asked anew each time. */
const READ_FROM = ["tokens", "principals", "grants"];

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

  async authenticate(credential: Credential, { named, nowhere }: Wanted = {}): Promise<Actor> {
    const { token, space_id, caller_agent, via } = credential;
    if (!token) throw unauthenticated("Say who you are: Authorization: Bearer TOKEN.");
    const { holder, space, roles } = await this.#enter(token, space_id, named ?? false);
    if (space === undefined && !nowhere)
      throw new ParleyError("MISSING_SESSION_ID", "This token may use several spaces: name one with X-Session-ID.");
    const assumed = space_id === undefined && !isOfOneSpace(holder.grants);
    const known = { ...actorOf(holder, space ?? NOWHERE, roles), ...(via && { via }) };
    const actor = assumed ? { ...known, space_assumed: true as const } : known;
    return caller_agent === undefined ? actor : { ...actor, caller_agent: checkedName(caller_agent) };
  }

  /** Who holds the token, wherever they may be: good for nothing but to be told something that is the same for everybody. */
  async identify(token: string | undefined): Promise<Actor> {
    if (!token) throw unauthenticated("Say who you are: Authorization: Bearer TOKEN.");
    return actorOf(await this.#read(hashOf(token)), NOWHERE, []);
  }

  /**
   * Somebody whom the hub itself acts for, as if they came in with their newest token, with the roles that they have in the
   * space now: who would be refused at the door is refused here, and what is opened so ends with that token. To be asked
   * anew for each thing that is done, and used with `hub.call` as any actor. `own_id` is the token that was made for that.
   */
  async actorFor(principal_id: string, space_id: string, own_id = ""): Promise<Actor> {
    const now = new Date(this.#database.now()).toISOString();
    const token = await store.findWorkingToken(this.#database, { principal_id, space_id, now, own_id });
    if (!token) throw unauthenticated("Nobody may act for them: they have no token that works.");
    const grants = within(token, await store.listGrants(this.#database, principal_id));
    const roles = await this.#admit(grants, space_id);
    return actorOf({ ...token, token_id: token.id }, space_id, roles);
  }

  /** Those of them whose streams may not go on. Two reads for fifty of them, not some for each. */
  async listInvalid(actors: readonly Actor[]): Promise<Actor[]> {
    const invalid: Actor[] = [];
    for (let at = 0; at < actors.length; at += store.MOST_AT_ONCE)
      invalid.push(...(await this.#invalidAmong(actors.slice(at, at + store.MOST_AT_ONCE))));
    return invalid;
  }

  async #invalidAmong(actors: readonly Actor[]): Promise<Actor[]> {
    const now = this.#database.now();
    const spaces = [...new Set(actors.map(({ space_id }) => space_id))];
    const tokens = [...new Set(actors.map(({ token_id }) => token_id))];
    const open = await store.listOpenAmong(this.#database, { spaces, now: new Date(now).toISOString() });
    const held = (await store.listHeld(this.#database, { tokens, spaces })).filter((one) => !isOver(one, now));
    const may = new Set(held.map(({ token_id, space_id }) => `${token_id} ${space_id}`));
    const nowhere = await this.#workingAmong(actors.filter(({ space_id }) => space_id === NOWHERE));
    const isValid = ({ token_id, space_id }: Actor): boolean =>
      (space_id === NOWHERE && nowhere.has(token_id)) ||
      (open.includes(space_id) && (may.has(`${token_id} ${space_id}`) || may.has(`${token_id} *`)));
    return actors.filter((actor) => !isValid(actor));
  }

  async #workingAmong(actors: readonly Actor[]): Promise<Set<string>> {
    const tokens = await Promise.all(actors.map(({ token_id }) => store.findToken(this.#database, token_id)));
    const now = this.#database.now();
    return new Set(tokens.flatMap((row) => (row && row.revoked_at === null && !isOver(row, now) ? [row.id] : [])));
  }

  forget(token_id: string): void {
    this.#revocations += 1;
    for (const [hash, holder] of this.#holders) if (holder.token_id === token_id) this.#holders.delete(hash);
  }

  /** A space one has no business in and one that does not exist get the same answer. */
  async #enter(token: string, wanted: string | undefined, must_name: boolean): Promise<Entered> {
    // Looked up by hash: how long that takes says nothing about the token.
    const hash = hashOf(token);
    const known = this.#holders.get(hash);
    const fresh = known !== undefined && this.#isBelieved(known);
    let holder = fresh && !isOver(known, this.#database.now()) ? known : await this.#read(hash);
    if (must_name && wanted === undefined)
      throw new ParleyError(
        "MISSING_SESSION_ID",
        "Name the space with X-Session-ID: at this address none is taken for it.",
      );
    let space = this.#named(holder, wanted);
    if (fresh && rolesIn(holder.grants, space).length === 0) {
      holder = await this.#read(hash);
      space = this.#named(holder, wanted);
    }
    const open = holder.grants.filter((grant) => !isExpired(grant, this.#database.now()));
    const roles = space === undefined ? [...new Set(open.map(({ role }) => role))] : undefined;
    return { holder, space, roles: roles ?? (await this.#admit(holder.grants, space ?? NOWHERE)) };
  }

  async #admit(grants: readonly HeldGrantRow[], space: string): Promise<Role[]> {
    const roles = rolesIn(grants, space);
    const state = roles.length > 0 ? await this.#stateOf(space) : "missing";
    if (state === "missing") throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${space}.`);
    if (state === "expired") throw new ParleyError("SESSION_EXPIRED", `The space ${space} has expired.`);
    return roles;
  }

  async #read(hash: string): Promise<Holder> {
    const revocations = this.#revocations;
    const revision = this.#database.revisionOf(READ_FROM);
    const read_at = performance.now();
    const row = await store.findTokenByHash(this.#database, hash);
    if (!row || row.revoked_at !== null || isOver(row, this.#database.now())) {
      this.#holders.delete(hash);
      throw unauthenticated("This token is not known here, or it was revoked, or its time is over.");
    }
    const grants = within(row, await store.listGrants(this.#database, row.principal_id));
    const { id: token_id, principal_id, subscriber_id, name, kind, expires_at, space_id, cause, governed_at } = row;
    const own = { token_id, principal_id, subscriber_id, name, kind, space_id, cause, governed_at };
    const holder = { ...own, grants, expires_at, read_at, revision };
    if (this.#holders.size >= MOST_HOLDERS) this.#holders.clear();
    // What was read before a revocation may be about the token it was for.
    if (revocations === this.#revocations) this.#holders.set(hash, holder);
    return holder;
  }

  /** A run's ends in the transaction that gives the run up, on whichever node: it is believed until tokens are stored. */
  #isBelieved({ space_id, read_at, revision }: Holder): boolean {
    if (performance.now() - read_at >= BELIEVED_MS) return false;
    return space_id === null || (revision !== undefined && revision === this.#database.revisionOf(READ_FROM));
  }

  #named({ grants, space_id }: Holder, wanted: string | undefined): string | undefined {
    if (wanted === undefined) return space_id ?? defaultSpace(grants, this.#database.now());
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

const actorOf = (
  {
    principal_id,
    name,
    kind,
    token_id,
    subscriber_id,
    cause,
    governed_at,
  }: Omit<Holder, "grants" | "expires_at" | "read_at" | "revision">,
  space_id: string,
  roles: readonly Role[],
): Actor => ({
  principal_id,
  name,
  kind,
  roles,
  space_id,
  token_id,
  subscriber_id,
  ...(cause !== null && { run_cause: cause }),
  ...(governed_at !== null && { governed: true as const }),
});

/** What is left of its holder's grants for a token that is good for one space, and there for one role. */
const within = (
  { space_id, role }: { space_id: string | null; role: Role | null },
  grants: HeldGrantRow[],
): HeldGrantRow[] =>
  space_id === null
    ? grants
    : grants
        .filter((grant) => grant.space_id === space_id || grant.space_id === "*")
        .filter((grant) => role === null || grant.role === role)
        .map((grant) => ({ ...grant, space_id }));

function checkedName(name: string): string {
  if (Name.safeParse(name).success) return name;
  throw new ParleyError("INVALID_ARGUMENT", "X-Caller-Agent is not a name.");
}

const unauthenticated = (message: string): ParleyError => new ParleyError("UNAUTHENTICATED", message);
