import type { Config } from "./config.ts";
import type { Database, Reader, Tx, WriteOptions } from "./db/database.ts";
import type { Cause } from "./feed/event.ts";
import type { Reactions } from "./feed/reactions.ts";
import type {
  CallProvider,
  Contents,
  Explainer,
  GlanceProvider,
  MountProvider,
  NeedProvider,
  SectionProvider,
  SessionProvider,
  WaitingProvider,
} from "./module.ts";
import type { Wait } from "./waiting.ts";

export const ROLES = ["admin", "human", "agent", "orchestrator", "trigger", "worker", "observer"] as const;
export type Role = (typeof ROLES)[number];

/** Whoever asks and decides. */
export const PEOPLE = ["human", "admin"] as const;
/** Those too who may look at everything and change nothing. */
export const ONLOOKERS = [...PEOPLE, "observer"] as const;
/** Whoever has an inbox and acts for itself. */
export const AGENTS = ["agent", "orchestrator", "worker"] as const;
export const WRITERS = [...PEOPLE, ...AGENTS] as const;
export const READERS = [...ONLOOKERS, ...AGENTS] as const;
export const ADMINS = ["admin"] as const;
/** Whoever takes a task and works on it. A person may do so by hand. */
export const WORKERS = ["worker", ...PEOPLE] as const;
/** Whoever has others work: makes tasks and waits for them. */
export const TASK_SENDERS = [...PEOPLE, "agent", "orchestrator", "trigger"] as const;
/** Whoever may look at one task. */
export const TASK_READERS = [...READERS, "trigger"] as const;
/** Whoever makes and changes what fires by itself: of those who act for somebody else, no plain agent. */
export const TRIGGER_KEEPERS = [...PEOPLE, "orchestrator", "worker", "trigger"] as const;
/** Whoever may turn a webhook's secret over. */
export const SECRET_KEEPERS = [...PEOPLE, "orchestrator"] as const;
export const TRIGGER_RUNNERS = [...WRITERS, "trigger"] as const;
export const TRIGGER_READERS = [...READERS, "trigger"] as const;
/** Whoever looks into what a trigger did: workers and the sessions of triggers have no use for it. */
export const TRIGGER_ONLOOKERS = [...ONLOOKERS, "agent", "orchestrator"] as const;
/** Whoever asks people something. */
export const ASKERS = [...AGENTS, "trigger"] as const;
export const QUESTION_READERS = [...READERS, "trigger"] as const;
/** People, and who hands in what they said. */
export const ANSWERERS = [...PEOPLE, "orchestrator"] as const;
/** Whoever makes agents and spaces. */
export const MAKERS = [...ADMINS, "orchestrator"] as const;

/** By which way somebody calls. Over each of the last two comes also what says more of itself: a page, the command line. */
export const DOORS = ["page", "cli", "mcp", "http", "internal"] as const;
export type Door = (typeof DOORS)[number];

export type PrincipalKind = "human" | "agent" | "service";

/** Who is asking, and in which space. Set by the door from the credential, never by an argument. */
export interface Actor {
  principal_id: string;
  name: string;
  kind: PrincipalKind;
  roles: readonly Role[];
  space_id: string;
  /** The request named no space, and the credential is good for several: this one was taken for it. */
  space_assumed?: true;
  token_id: string;
  /** Whose read marks these are. Survives the rotation of a token. */
  subscriber_id: string;
  /** The run or turn whose token this is, by the id of the event that began it. */
  run_cause?: number;
  /** The token is of a program that Parley runs for an agent under the policy: what is called with it, that decides. */
  governed?: true;
  /** The agent an orchestrator acts for; for every other role only noted in the audit. */
  caller_agent?: string;
  /** `page` is proven, by a cookie that only the hub's own page can use; `cli` is what the caller says. */
  via?: "page" | "cli" | undefined;
}

/** The space of who named none and may use several: there is nothing in it, and nobody enters it. */
export const NOWHERE = "";

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

/** How the hub itself is to run an agent. */
export interface WantedHosting {
  space_id: string;
  agent: string;
  definition: object;
}

/** Everything a service function may reach. Keep it this small. */
export interface Ctx {
  /** Inside `transact` the open transaction, else committed rows. */
  db: Reader;
  actor: Actor;
  /** Milliseconds since 1970. Inside `transact` always the same: what happens in one transaction happened at one moment. */
  now: () => number;
  /** How this hub runs. */
  config: Config;
  /** Where this hub is reached, such as `http://127.0.0.1:8765`. */
  address: () => string;
  /** Only `transact` uses these two. */
  database: Database;
  tx?: Tx | undefined;
  /** What events lead to; in a transaction, those of that transaction. */
  reactions?: Reactions | undefined;
  /** What of each module may wait for a person. */
  needs: readonly NeedProvider[];
  /** What of each module every page shows. */
  glances: readonly GlanceProvider[];
  /** Who of the modules knows what something was. */
  explainers: readonly Explainer[];
  /** By which way the caller came. Only tools have it. */
  door?: Door | undefined;
  /** What led to what is being done, if that is known. */
  cause?: Cause | undefined;
  /** What of each module may have agents wait for one. */
  waiting: readonly WaitingProvider[];
  /** Who of the modules knows which servers an agent has mounted. */
  mounts: readonly MountProvider[];
  /** What of each module knows what models have called. */
  calls: readonly CallProvider[];
  /** The names of the hub's own tools. */
  own_tools: ReadonlySet<string>;
  /** Who of the modules knows the sessions of triggers. */
  sessions: readonly SessionProvider[];
  /** What is read like a section of the draft, of each module. */
  sections: readonly SectionProvider[];
  /** Does something once the caller was answered, for whom it makes no difference. Only tools have it. */
  afterwards?: ((work: () => Promise<unknown>) => void) | undefined;
  /** What a space holds. */
  contents: Contents;
  /** Why the hub cannot run an agent by this definition, in a sentence; undefined where it can. */
  hostingRefusal: (wanted: WantedHosting) => string | undefined;
  /** Only tools that wait have it. */
  wait?: Wait | undefined;
}

/**
 * What is only known later. Every context has every field from the start, and so the shape of the hub's own, which stays:
 * V8 throws away what it compiled for a shape when a full collection finds no object of it.
 */
export const UNSET = {
  actor: systemActor(NOWHERE),
  cause: undefined,
  tx: undefined,
  door: undefined,
  afterwards: undefined,
  wait: undefined,
} satisfies Partial<Ctx>;

export type TxCtx = Ctx & { db: Tx; tx: Tx };

/**
 * Runs `work` in one transaction of the actor's space. Inside an open one it joins
 * it, so services can call each other freely.
 *
 * Name the callback's argument `ctx`, shadowing the outer one: the outer one reads
 * committed rows and would not see what this transaction wrote.
 */
export function transact<T>(
  outer: Ctx,
  work: (ctx: TxCtx) => Promise<T>,
  options: WriteOptions & { space_id?: string } = {},
): Promise<T> {
  const { space_id = outer.actor.space_id } = options;
  if (outer.tx) return work({ ...outer, db: outer.tx, tx: outer.tx });
  const inside = async (tx: Tx): Promise<T> => {
    const moment = outer.now();
    // An id means something else in another space.
    const cause = space_id === outer.actor.space_id ? outer.cause : undefined;
    const ctx = { ...outer, now: () => moment, db: tx, tx, reactions: outer.reactions?.begin(), cause };
    const result = await work(ctx);
    const led = ctx.reactions?.run(ctx);
    if (led) await led;
    return result;
  };
  return outer.database.write(space_id, inside, options);
}

export const has = (actor: Actor, ...roles: Role[]): boolean => actor.roles.some((role) => roles.includes(role));
