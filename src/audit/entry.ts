import { type Actor, has } from "../context.ts";
import { cut } from "../text.ts";

/** A tool that was called. */
export interface CallEntry {
  actor: Actor;
  op: string;
  door: string;
  args: unknown;
  /** The arguments the tool has. What else there was is the caller's own words, and only counted. */
  known: readonly string[];
  /** `ok`, or the code of the error. */
  result: string;
  /** Of what it made. */
  id?: string | undefined;
}

/** Everything else: who signed in, who was turned away, what became of a token. */
export interface EventEntry {
  op: string;
  door?: string;
  session?: string;
  principal?: string | undefined;
  agent?: string;
  /** From where, if it is not known who. */
  address?: string | undefined;
  /** Which one it is about. */
  id?: string;
  result: string;
}

/** What stands in a line, beside its number and the link to the one before. */
export type Fields = Record<string, unknown> & { ts: string; op: string; result: string };

export function fieldsOf({ actor, op, door, args, known, result, id }: CallEntry): Fields {
  const acting = has(actor, "orchestrator");
  return {
    ts: new Date().toISOString(),
    session: actor.space_id,
    principal: actor.principal_id,
    agent: (acting ? actor.caller_agent : undefined) ?? actor.name,
    // Whoever is no orchestrator acts for nobody, whatever it says.
    claimed_agent: acting ? undefined : actor.caller_agent,
    op,
    door,
    args: measure(args, known),
    result,
    id,
  };
}

/** Names and sizes of arguments, and nothing of what they hold. */
export function measure(args: unknown, known: readonly string[]): Record<string, string> | string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return sizeOf(args);
  const measured: Record<string, string> = {};
  let unknown = 0;
  for (const [name, value] of Object.entries(args))
    if (known.includes(name) || name === "idempotency_key") measured[cut(name, 40)] = sizeOf(value);
    else unknown += 1;
  if (unknown > 0) measured["?"] = `${unknown} unknown`;
  return measured;
}

function sizeOf(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "string") return `text ${value.length}`;
  if (Array.isArray(value)) return `list ${value.length}`;
  return typeof value === "object" ? `object ${Object.keys(value).length}` : typeof value;
}
