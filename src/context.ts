import type { Database, Reader, Tx } from "./db/database.ts";
import type { Wait } from "./waiting.ts";

export const ROLES = ["admin", "human", "agent", "orchestrator", "trigger", "worker", "observer"] as const;
export type Role = (typeof ROLES)[number];

export type PrincipalKind = "human" | "agent" | "service";

/** Who is asking, and in which space. Set by the door from the credential, never by an argument. */
export interface Actor {
  principal_id: string;
  name: string;
  kind: PrincipalKind;
  roles: readonly Role[];
  space_id: string;
  token_id: string;
  /** Whose read marks these are. Survives the rotation of a token. */
  subscriber_id: string;
  /** The agent an orchestrator acts for; for every other role only noted in the audit. */
  caller_agent?: string;
}

/** As whom the hub itself acts. */
export const systemActor = (space_id: string): Actor => ({
  principal_id: "hub",
  name: "hub",
  kind: "service",
  roles: ["admin"],
  space_id,
  token_id: "",
  subscriber_id: "",
});

/** Everything a service function may reach. Keep it this small. */
export interface Ctx {
  /** Inside `transact` the open transaction, else committed rows. */
  db: Reader;
  actor: Actor;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Only `transact` uses these two. */
  database: Database;
  tx?: Tx;
  /** Only tools of effect `wait` have it. */
  wait?: Wait;
}

export type TxCtx = Ctx & { db: Tx; tx: Tx };

/**
 * Runs `work` in one transaction of the actor's space. Inside an open one it joins
 * it, so services can call each other freely.
 *
 * Name the callback's argument `ctx`, shadowing the outer one: the outer one reads
 * committed rows and would not see what this transaction wrote.
 */
export function transact<T>(outer: Ctx, work: (ctx: TxCtx) => Promise<T>): Promise<T> {
  if (outer.tx) return work({ ...outer, db: outer.tx, tx: outer.tx });
  return outer.database.write(outer.actor.space_id, (tx) => work({ ...outer, db: tx, tx }));
}

export const has = (actor: Actor, ...roles: Role[]): boolean => actor.roles.some((role) => roles.includes(role));
