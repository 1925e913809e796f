import type { z } from "zod";
import type { Config } from "./config.ts";
import type { Ctx } from "./context.ts";
import type { FeedEvent } from "./feed/event.ts";

/** What a request to an address of a module says. */
export interface RouteRequest {
  /** By the names in the path. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  header: (name: string) => string | undefined;
}

export interface Reply {
  status: number;
  body: object;
}

interface Address {
  /** Parts that begin with a colon are parameters: `/api/messages/:id/reply`. */
  path: string;
  summary: string;
  /** The parameter that names the space it is about: whoever may not enter that is told what an unknown one is told. */
  space?: string;
}

/** A tool at an address of its own. A GET takes its arguments from the query, a POST from the JSON body too. */
export interface ToolRoute extends Address {
  method: "GET" | "POST" | "DELETE";
  tool: string;
  /** What the address says beside its parameters. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Arguments of the tool that make no sense here. */
  without?: readonly string[];
  /** From the words of other hubs to the tool's. */
  translate?: (args: Record<string, unknown>) => Record<string, unknown>;
  /** Also for a space that has ended and that nobody enters any more. */
  even_ended?: true;
  status?: number;
}

/** An address that finds out by itself who asks, such as from a signature over the bytes as they came. */
export interface OpenRoute extends Address {
  method: "GET" | "POST";
  /** The body is given as it came, with at most so many bytes. */
  most_bytes: number;
  response: z.ZodType;
  /** What has a limit of its own among what is at this address (`PARLEY_WEBHOOK_RATE_LIMIT`), by its name. */
  limited?: (params: RouteRequest["params"]) => string;
  /** `ctxOf` is the hub's own, of a space. What this does for somebody it has to check itself. */
  open: (ctxOf: (space_id: string) => Ctx, asked: RouteRequest & { bytes: Buffer }, config: Config) => Promise<Reply>;
}

/** A WebSocket. Browsers set no headers there: `space` in the query does what X-Session-ID does. */
export interface SocketRoute extends Address {
  query?: Readonly<Record<string, string>>;
  /** The tools that give the same: what is said of calls of them counts for it. */
  given_by: readonly string[];
  /** Throws for who may not: they are refused before the connection becomes one. */
  connect: (ctx: Ctx, asked: RouteRequest, listen: Listen) => Promise<Connected>;
}

/** Hears of every event of these streams, from the moment it resolves. Returns the way to stop. */
export type Listen = (
  wanted: ReadonlyMap<string, { streams: readonly string[] }>,
  listener: (event: FeedEvent) => void,
) => Promise<() => void>;

export interface Connected {
  /** Called once it is open. What comes from the other side goes to `message`, its end to `closed`. */
  opened: (socket: Socket) => void;
  message: (text: string) => void;
  closed: () => void;
}

/** The near end of a WebSocket. */
export interface Socket {
  /**
   * One that does not read is closed when this has piled up. `sent` is called once it has left this process: who waits for
   * it piles up nothing.
   */
  send: (message: object, sent?: () => void) => void;
  close: (code: number, reason: string) => void;
}

export type ModuleRoute = ToolRoute | OpenRoute | SocketRoute;
