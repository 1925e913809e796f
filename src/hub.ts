import type { Audit } from "./audit/index.ts";
import type { Call } from "./call.ts";
import type { Config } from "./config.ts";
import type { Actor, Ctx } from "./context.ts";
import type { Database } from "./db/database.ts";
import type { Feed } from "./feed/feed.ts";
import type { CheckReads } from "./guards.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Module } from "./module.ts";
import type { Credentials } from "./modules/identity/index.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Resources } from "./resources.ts";
import type { Streams } from "./streams.ts";
import type { Toolbox } from "./toolbox.ts";

/** What `app.ts` puts together and every door is given. */
export interface Hub {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly feed: Feed;
  readonly modules: readonly Module[];
  /** From a request's headers to an actor. */
  readonly credentials: Credentials;
  readonly tools: Toolbox;
  readonly resources: Resources;
  /** For what a door gives without `call` or `resources`. */
  readonly checkReads: CheckReads;
  /** Every long-lived response, so that a revoked token or a stop can end it. */
  readonly streams: Streams;
  /** Runs a tool with everything around it. The one way in for every door. */
  readonly call: Call;
  /** Who did what. `call` writes to it by itself. */
  readonly audit: Audit;
  /** What a door serves without `call` or `resources` counts here. */
  readonly limit: RateLimit;
  /** What is sent to it, by principal. */
  readonly bytes: RateLimit;
  readonly version: string;
  /** Known once it listens. */
  address: string;
  /** Of whoever runs agents here, once there is one. */
  hostingRefusal: Ctx["hostingRefusal"];
  ctx(actor: Actor): Ctx;
}
