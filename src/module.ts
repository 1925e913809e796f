import type { Config } from "./config.ts";
import type { Ctx, TxCtx } from "./context.ts";
import type { FeedEvent } from "./feed/event.ts";
import type { Resource } from "./resource.ts";
import type { Tool } from "./tool.ts";

/** One kind of event stream that `GET /events` serves. */
export interface Topic {
  name: string;
  /**
   * The streams of this topic that the actor may follow, of one agent where it is named; null for all
   * of them. Throws if none.
   */
  streams: (ctx: Ctx, agent: string | undefined) => Promise<readonly string[] | null>;
  /**
   * What a follower is told; null for what only watchers of a resource need to hear. From what the
   * event itself holds alone: it is built once for all followers.
   */
  wire: (event: FeedEvent) => Record<string, unknown> | null;
  /** What else is told of an event, under other names than the topic's. */
  also?: (event: FeedEvent) => Told[];
  /** What holds now, such as a count: told when a follower begins, and when an event has made it something else. */
  state?: { of: (ctx: Ctx, agent: string | undefined) => Promise<Told>; changedBy: (event: FeedEvent) => boolean };
}

export interface Told {
  name: string;
  data: Record<string, unknown>;
}

/** A row of `due` whose time has come, handled in the transaction that removes it. */
export type DueHandler = (ctx: TxCtx, due: { ref: number; at: number }) => Promise<void>;

/** A folder of `modules/`, as the rest of the hub sees it. */
export interface Module {
  name: string;
  /** Names under which `POST /api/mcp/call` and facets know it. */
  servers: readonly string[];
  tools: readonly Tool[];
  resources?: readonly Resource[];
  topics?: readonly Topic[];
  due?: Readonly<Record<string, DueHandler>>;
  /** Plans what happens by itself in the transaction's space: once it is created, and at each start, as then configured. */
  plan?: (ctx: TxCtx, config: Config) => Promise<void>;
  /** Tables with a `space_id` column, emptied when a space expires. */
  tables: readonly string[];
  /** Those of them that are emptied in slices. They have an `id`, unique in its space, and an index on both. */
  long_tables?: readonly string[];
}
