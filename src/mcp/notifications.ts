import { z } from "zod";
import { type Actor, has, NOWHERE } from "../context.ts";
import { ParleyError } from "../errors.ts";
import type { FeedEvent } from "../feed/index.ts";
import type { Hub } from "../hub.ts";
import { formatId, timeOfId } from "../ids.ts";
import type { Notification } from "../module.ts";

/** The filter of `subscriptions/listen` by which the newer era asks for them, and the capability that says so. */
export const SCRATCHPAD = "parley/scratchpad";
/** Told in place of what can no longer be told. */
const RESYNC = "scratchpad/resync";

/** What a client asks for: some by name, or all that it may hear. */
export const Wish = z.looseObject({
  session_id: z.string("session_id is a text").optional(),
  events: z.array(z.string("events are names of notifications"), "events are a list of names").max(100).default([]),
});
export const Unwish = z.looseObject({ subscription_id: z.string("subscription_id is a text") });
export type Wish = z.output<typeof Wish>;

/** A method with its parameters up to the `_meta` that not every client gets. */
interface WrittenNotification {
  id: string;
  text: string;
}

/** What the modules let MCP clients be told by name. */
export class Notifications {
  readonly #all: readonly Notification[];
  /** Written out once for all who are told of an event. */
  readonly #written = new WeakMap<FeedEvent, WrittenNotification>();

  constructor({ modules }: Pick<Hub, "modules">) {
    this.#all = modules.flatMap(({ notifications = [] }) => notifications);
  }

  get names(): string[] {
    return this.#all.map(({ name }) => name);
  }

  /** Throws for what there is not, what the actor may not hear, and another space than the request's own. */
  choose(actor: Actor, { session_id, events }: Wish): Notification[] {
    checkSpace(actor, session_id);
    const allowed = this.#all.filter(({ roles }) => has(actor, ...roles));
    for (const name of events) this.#check(name, allowed);
    if (allowed.length === 0)
      throw new ParleyError("FORBIDDEN", `Nothing is told by name to ${actor.roles.join(", ")}.`);
    return events.length === 0 ? allowed : allowed.filter(({ name }) => events.includes(name));
  }

  /** `meta` is what `_meta` holds for this one client; without it there is none. */
  frame(event: FeedEvent, { name, params }: Notification, { space_id, meta }: Frame): string | null {
    const known = this.#written.get(event) ?? written(event, name, params(event), space_id);
    if (!known) return null;
    this.#written.set(event, known);
    const extra = meta ? `,"_meta":${JSON.stringify(meta(known.id))}` : "";
    return `id: ${known.id}\nevent: message\ndata: ${known.text}${extra}}}\n\n`;
  }

  #check(name: string, allowed: readonly Notification[]): void {
    if (allowed.some((each) => each.name === name)) return;
    const shown = JSON.stringify(name.slice(0, 80));
    if (this.names.includes(name)) throw new ParleyError("FORBIDDEN", `${shown} is not told to your role.`);
    throw new ParleyError("INVALID_ARGUMENT", `There is no event ${shown}. Known: ${this.names.join(", ")}.`);
  }
}

interface Frame {
  space_id: string;
  meta: ((event_id: string) => object) | undefined;
}

function written(
  { id }: FeedEvent,
  method: string,
  params: object | null,
  session_id: string,
): WrittenNotification | undefined {
  if (params === null) return undefined;
  const whole = { jsonrpc: "2.0", method, params: { session_id, ...params, timestamp: timeOfId(id) } };
  // Without the two brackets at its end, before which `_meta` has its place.
  return { id: formatId(id), text: JSON.stringify(whole).slice(0, -2) };
}

/** Says that something was missed which is no longer kept, at the position from which on everything is told. */
export function resyncFrame(position: number, reason: string, { space_id, meta }: Frame): string {
  const id = formatId(position);
  const params = { session_id: space_id, reason, timestamp: timeOfId(position), ...(meta && { _meta: meta(id) }) };
  return `id: ${id}\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: RESYNC, params })}\n\n`;
}

/** The space is the request's, however often it is said; another one looks like one that there is not. */
function checkSpace({ space_id, space_assumed }: Actor, session_id: string | undefined): void {
  if (space_id === NOWHERE || space_assumed)
    throw new ParleyError("MISSING_SESSION_ID", "Notifications are of one space: name it with X-Session-ID.");
  if (session_id === undefined || session_id === space_id) return;
  throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${session_id.slice(0, 80)}.`);
}
