import type { Row } from "./archive/index.ts";
import type { Config } from "./config.ts";
import type { Ctx, Role, TxCtx } from "./context.ts";
import type { Consumer } from "./feed/consumers.ts";
import type { EventDefinition } from "./feed/define.ts";
import type { Cause, EventView, FeedEvent } from "./feed/event.ts";
import type { Reaction } from "./feed/reactions.ts";
import type { FeedPlace, Resource, Watch } from "./resource.ts";
import type { ModuleRoute } from "./route.ts";
import type { Tool } from "./tool.ts";

/** One kind of event stream that `GET /events` serves. */
export interface Topic {
  name: string;
  /**
   * The streams of this topic that the actor may follow, of one agent where it is named; null for all
   * of them. Throws if none.
   */
  streams: (ctx: Ctx, agent: string | undefined) => Promise<readonly string[] | null>;
  /** The tools that give the same: what is said of calls of them counts for it. */
  given_by: readonly string[];
  /** What a follower is told, where that is not the event's data; built once for all followers. */
  wire?: EventView;
  /** What else is told of an event, under other names than the topic's. */
  also?: (event: FeedEvent) => NamedEvent[];
  /** What holds now, such as a count: told when a follower begins, and when an event has made it something else. */
  state?: {
    of: (ctx: Ctx, agent: string | undefined) => Promise<NamedEvent>;
    changedBy: (event: FeedEvent) => boolean;
  };
}

/** What MCP clients may ask to be told of by a method of its own, beside that a resource changed. */
export interface Notification {
  /** The method, such as `scratchpad/section_updated`. */
  name: string;
  place: FeedPlace;
  /** Who may ask for it. */
  roles: readonly Role[];
  /** The tools that give the same: what is said of calls of them counts for it. */
  given_by: readonly string[];
  /** Beside `session_id` and `timestamp`, which each has. */
  params: EventView;
}

/** Those of one server, for these roles: each tells of one type of event. */
export const notificationsFor =
  (server: string, roles: readonly Role[], given_by: readonly string[]) =>
  <D extends object>(
    name: string,
    { topic, type, view }: EventDefinition<D>,
    params: (data: D) => Record<string, unknown>,
  ): Notification => ({
    name: `${server}/${name}`,
    place: { topic, types: [type] },
    roles,
    given_by,
    params: view(params),
  });

export interface NamedEvent {
  name: string;
  data: Record<string, unknown>;
}

/** Something that waits for a person. */
export interface Need {
  /** A position in the space: no two of whatever kind have the same. */
  id: string;
  kind: string;
  title: string;
  text: string;
  /** Null for the hub itself. */
  from: string | null;
  asked_at: string;
  /** By which tool it is dealt with. */
  tool: string;
  choices: string[] | null;
  digest: string | null;
  expires_at: string | null;
  topic: string | null;
  ref: string | null;
  /** The names of those it is about, where the hub names some. */
  agents: string[] | null;
  /** Of a question: how much it matters, and whether work waits for it. */
  priority?: string;
  blocking?: boolean;
  /** Of a question with choices: no other answer is taken. */
  options_only?: boolean;
  /** Of a call that is asked about. */
  risk?: "low" | "medium" | "high";
  /** Whether other arguments can be run in the place of what is asked about, and whether that is all of them. */
  editable?: boolean;
  covers?: "arguments" | "preview";
  /** Where in its text the arguments stand. */
  arguments_at?: { from: number; to: number };
}

export interface NeedPage {
  before_id: number;
  limit: number;
}

/** What of a module waits for the actor. `ids` and `list` ask the same: what is counted is what is listed. */
export interface NeedProvider {
  /** Newest first, as `list`. */
  ids: (ctx: Ctx, page: NeedPage) => Promise<number[]>;
  list: (ctx: Ctx, page: NeedPage) => Promise<Need[]>;
  /** Tells whoever asks that somebody has said: not now. */
  tellPending: (ctx: TxCtx, id: number, until: string) => Promise<void>;
  /** Where something happens that may change them. */
  places: (ctx: Ctx) => Promise<FeedPlace[]>;
}

/** What of a module every page shows, such as the number on a badge: all of it is read in one request. */
export interface GlanceProvider {
  /** As `space_glance` and the hints of `ui://glance` name it. */
  part: string;
  /** Small, however much there is; all of it where a page is about nothing else. */
  read: (ctx: Ctx, full: boolean) => Promise<object>;
  /** What changes it. The hint may say whom it is about: who knows that already need not read it again. */
  watch: (ctx: Ctx) => Promise<Watch>;
}

/** With what it gives, by the name of the part. */
export const defineGlance = <const P extends string, G extends object>(
  glance: Omit<GlanceProvider, "part" | "read"> & { part: P; read: (ctx: Ctx, full: boolean) => Promise<G> },
): typeof glance => glance;

/** What something was, as far as somebody may know. */
export interface Explained {
  /** Null for who may not see it. */
  shown: { kind: string; by: string | null; text: string } | null;
  cause: Cause | undefined;
}

/** What a module knows of what happened, from rows of its own: they are kept for longer than the feed. */
export interface Explainer {
  /** Of whose events it is asked who sees them. */
  topics: readonly string[];
  /** By the id of what an event created; undefined for what is none of its own, or no longer kept. */
  find?: (ctx: Ctx, id: number) => Promise<Explained | undefined>;
  /** Whether the actor may know of an event that created nothing. */
  sees: (ctx: Ctx, event: FeedEvent) => Promise<boolean>;
}

/** An agent that a person is to decide something for. */
export interface Waiting {
  principal_id: string;
  /** Of what it asks, how much asks whether it may do something. */
  approvals: number;
  asks: number;
  /** The first of it. */
  since_id: number;
}

/** Which agents wait for a person, by what a module has asked for them. */
export interface WaitingProvider {
  /** All of the space, or the one alone: one read, however many agents there are. */
  list: (ctx: Ctx, principal_id: string | undefined) => Promise<Waiting[]>;
  /** The topic by which it changes, each agent's on a stream of its own. */
  topic: string;
}

/** The servers whose tools an agent's model has just now, as a module knows them. */
export interface MountProvider {
  of: (
    ctx: Ctx,
    principal_id: string,
  ) => Promise<Record<string, { state: "starting" | "running" | "failed"; error?: string | undefined }>>;
}

/** A call that an agent's model made, as a log has it. */
export interface LoggedCall {
  id: number;
  agent: string;
  call_id: string;
  tool: string;
  /** As the model wrote them. */
  arguments: string;
}

/** What the models of agents have called, whether or not anybody was asked about it. */
export interface CallProvider {
  /** Newest first. */
  list: (ctx: Ctx, page: NeedPage) => Promise<LoggedCall[]>;
}

/** A row of `due` whose time has come. */
export interface Due {
  ref: number;
  at: number;
  /** What it was planned with. */
  payload: unknown;
  /** How often it has failed. */
  attempt: number;
}

/** What a job is given: it may take longer than a node is taken to be at it. */
export interface JobDue extends Due {
  /** Says that it is still being done. Throws where somebody else does it by now. */
  renew: () => Promise<void>;
}

/**
 * Runs in the transaction that removes the row, with others of the same kind and space. It unplans none of those. What
 * it throws undoes all of it: the row is then tried again later, by itself, and given up after eight times.
 */
export type DueHandler = (ctx: TxCtx, due: Due, config: Config) => Promise<void>;

/**
 * Something outside the database that a row of `due` asks for, such as a file. It runs in no transaction, on one node at a
 * time, and at least once: the row stays until it is through. What it throws has it tried again later and later, for as
 * long as it takes.
 */
export type DueJob = (ctx: Ctx, due: JobDue) => Promise<JobDone>;

export interface JobDone {
  /** When to do it again, in milliseconds since 1970; undefined when it is through. */
  again?: number;
  /** Notes what was done, in the transaction that removes or moves the row. */
  record?: (ctx: TxCtx) => Promise<void>;
}

/** Who knows the sessions of triggers, or some of it. */
export interface SessionProvider {
  /** Which session of an agent's client belongs to a trigger's key, for whoever resumes it; null where there is none yet. */
  idOf?: (ctx: Ctx, of: { trigger_name: string; session_key: string }) => Promise<string | null>;
  /** The session that the actor is of, and whether it goes on another time; null where that is not known. */
  sessionOf?: (ctx: Ctx) => Promise<{ key: string; is_kept: boolean } | null>;
  /** Whether the hub itself tells the sessions of a trigger of the ends that they wait for. */
  tells?: (ctx: Ctx, of: { trigger_name: string }) => Promise<boolean>;
  /** Whether it has tried to tell of this end and tries no more until people say so. */
  gaveUp?: (ctx: Ctx, wake: { id: string; attempt: number }) => Promise<boolean>;
}

/** A section that is read like one of the draft and that nobody writes: the hub makes it of what a module knows. */
export interface SectionProvider {
  section_id: string;
  title: string;
  read: (ctx: Ctx) => Promise<string>;
  /** The topic by which it changes. */
  topic: string;
}

/** What becomes of rows that an archive held: in a space that was opened from one nothing goes on by itself. */
export interface Reopened {
  /** As it is from now on, where it would else be taken up by somebody. */
  row?: (row: Row, now: string) => Row;
  /** What is kept beside it, such as the words by which it is found. */
  stored?: (ctx: TxCtx, row: Row) => Promise<void>;
}

/** What a space holds, by table. */
export interface Contents {
  tables: readonly string[];
  /** Emptied in slices. */
  long_tables: readonly string[];
  archived: readonly string[];
  reopened: ReadonlyMap<string, Reopened>;
}

/** A call that somebody is about to make, with arguments as they came. */
export interface PlannedCall {
  tool: string;
  arguments: unknown;
}

/** Uses up what allows one call, in the transaction that makes it: of two who try, one does. */
export type Permit = (ctx: TxCtx) => Promise<void>;

export type Guard = (ctx: Ctx, call: PlannedCall) => Promise<Permit | undefined>;

/** A folder of `modules/`, as the rest of the hub sees it. */
export interface Module {
  name: string;
  /** Names under which `POST /api/mcp/call` and facets know it. */
  servers: readonly string[];
  tools: readonly Tool[];
  resources?: readonly Resource[];
  /** Addresses beside those of its tools. */
  routes?: readonly ModuleRoute[];
  topics?: readonly Topic[];
  notifications?: readonly Notification[];
  needs?: NeedProvider;
  glance?: GlanceProvider;
  explains?: Explainer;
  waiting?: WaitingProvider;
  mounts?: MountProvider;
  calls?: CallProvider;
  due?: Readonly<Record<string, DueHandler>>;
  /** What becomes of kinds of `due` that failed too often, in the transaction that gives them up. */
  died?: Readonly<Record<string, DueHandler>>;
  /** Kinds of `due` that are handled no more often than every so many milliseconds: what comes meanwhile is handled together. */
  throttle_ms?: Readonly<Record<string, number>>;
  /** What of `due` is done outside the database. */
  jobs?: Readonly<Record<string, DueJob>>;
  sessions?: SessionProvider;
  sections?: readonly SectionProvider[];
  /** Told before somebody's tool runs, whichever it is, by its name: that they called says that they are there. */
  heard?: (ctx: Ctx, tool: string) => Promise<void>;
  /** Whether somebody may call a tool that is no upkeep: throws where they may not. Higher modules are asked first. */
  guards?: Guard;
  /** What it does in the transaction of an event, by the event's type. `architecture.test.ts` lists all there are. */
  with?: Readonly<Record<string, Reaction>>;
  /** What it does after events, by a name that is its mark's and never changes. */
  after?: Readonly<Record<string, Consumer>>;
  /** Plans what happens by itself in the transaction's space: once it is created, and anew when the settings or the version changed. */
  plan?: (ctx: TxCtx, config: Config) => Promise<void>;
  /** Tables with a `space_id` column, emptied when a space expires. */
  tables: readonly string[];
  /** Those of them that are in no archive: what they hold is secret, or means nothing once the space has ended. */
  unarchived?: readonly string[];
  /** What becomes of their rows when an archive is opened, by table. */
  reopened?: Readonly<Record<string, Reopened>>;
  /** Those of them that are emptied in slices. They have an `id`, unique in its space, and an index on both. */
  long_tables?: readonly string[];
}
