import { randomBytes } from "node:crypto";
import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import type { Parts, Who } from "./parts.ts";
import { Session } from "./session.ts";

/** How often in the time a session may idle we look for those that did. */
const LOOKS = 10;
/** To make one costs as much as so many calls: a server of its own, and the whole list of tools. */
const COST = 4;

/** The sessions of the older era. Each belongs to one principal in one space; to anybody else it does not exist. */
export class Sessions implements Disposable {
  readonly #parts: Parts;
  readonly #open = new Map<string, Session>();
  readonly #of = new Map<string, Set<Session>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  async create(kind: Session["kind"], who: Who): Promise<Session> {
    this.#parts.hub.limit.take(who.actor.principal_id, undefined, COST);
    this.#makeRoom(who);
    const session = new Session(this.#parts, { id: randomBytes(24).toString("base64url"), kind, who });
    const forget = this.#parts.hub.streams.add(session);
    session.onclose = () => {
      forget();
      this.#remove(session);
    };
    this.#open.set(session.id, session);
    this.#of.set(who.actor.principal_id, this.#ownedBy(who.actor).add(session));
    this.#timer ??= setInterval(() => this.#reap(), this.#parts.limits.idle_ms / LOOKS).unref();
    await session.connect();
    return session;
  }

  /** Undefined for one that never was, is over, or is not yours. */
  find(id: string, kind: Session["kind"], actor: Actor): Session | undefined {
    const session = this.#open.get(id);
    if (!session || session.kind !== kind || !sameCaller(session.actor, actor)) return undefined;
    session.touch();
    return session;
  }

  [Symbol.dispose](): void {
    for (const session of [...this.#open.values()]) session.close("stopping");
    this.#stopLooking();
  }

  /** A client that never says goodbye shall not lock itself out: its longest idle session makes room. */
  #makeRoom(who: Who): void {
    const { sessions, sessions_in_all } = this.#parts.limits;
    const own = this.#ownedBy(who.actor);
    if (own.size < sessions && this.#open.size < sessions_in_all) return;
    const idlest = idlestOf(own);
    if (!idlest)
      throw new ParleyError("TOO_MANY_SESSIONS", "Too many MCP sessions are open and in use. Close one first.");
    idlest.close("expired");
  }

  #ownedBy({ principal_id }: Actor): Set<Session> {
    return this.#of.get(principal_id) ?? new Set();
  }

  #remove(session: Session): void {
    this.#open.delete(session.id);
    const own = this.#ownedBy(session.actor);
    own.delete(session);
    if (own.size === 0) this.#of.delete(session.actor.principal_id);
    if (this.#open.size === 0) this.#stopLooking();
  }

  #reap(): void {
    for (const session of [...this.#open.values()])
      if (session.idle > this.#parts.limits.idle_ms) session.close("expired");
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Undefined if all of them are in use. Asked each time that somebody opens one too many, so without making lists. */
function idlestOf(sessions: Iterable<Session>): Session | undefined {
  let idlest: Session | undefined;
  let most = 0;
  for (const session of sessions) {
    const { idle } = session;
    if (idle <= most) continue;
    most = idle;
    idlest = session;
  }
  return idlest;
}

/** The token too: what one opened must end when that one is revoked. A client that rotated its token initializes anew. */
const sameCaller = (a: Actor, b: Actor): boolean => a.token_id === b.token_id && a.space_id === b.space_id;
