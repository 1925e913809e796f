import { Audit } from "./audit.ts";
import { createCall } from "./call.ts";
import type { Config } from "./config.ts";
import { type Actor, type Ctx, systemActor, type TxCtx } from "./context.ts";
import { MIGRATIONS } from "./db/migrations/index.ts";
import { HUB_SPACE, MAIN_SPACE, openDatabase } from "./db/open.ts";
import { Scheduler } from "./due/index.ts";
import { Feed, feedDue, planEventPurge } from "./feed/index.ts";
import { Folder } from "./folder.ts";
import { listen } from "./http/server.ts";
import type { Hub } from "./hub.ts";
import { idempotencyDue } from "./idempotency.ts";
import { createLog } from "./log.ts";
import { Metrics } from "./metrics.ts";
import {
  ADMIN_TOKEN,
  Credentials,
  ensureAdminToken,
  LoginCode,
  listOpenSpaces,
  SPACE_ENDED,
  spaceDue,
} from "./modules/identity/index.ts";
import { MODULES } from "./modules/index.ts";
import { RateLimit } from "./rate-limit.ts";
import { Resources } from "./resources.ts";
import { Streams } from "./streams.ts";
import { Toolbox } from "./toolbox.ts";
import { VERSION } from "./version.ts";

/** Tables of the core that, like the modules', belong to a space. */
const CORE_TABLES = ["events", "purges", "watermarks", "idempotency", "due"];
/** How often it is made sure that who holds a stream open still may. */
const STREAM_CHECK_MS = 5000;

export interface RunningHub {
  url: string;
  home: string;
  pid: number;
  hub: Hub;
  /** A way for the folder's owner to sign in with a browser: what comes behind the hub's address. */
  loginPath: () => Promise<string>;
  /** Handles what is due now. Happens by itself; tests that set the clock cannot wait for it. */
  sweep: () => Promise<void>;
  stop: () => Promise<void>;
  /** Resolves if the hub can no longer be trusted and has to end. */
  failed: Promise<Error>;
}

/** Starts a hub: folder, database, modules, doors, in this order. Throws `StartRefused` with the reason. */
export async function startHub(config: Config, options: { now?: () => number } = {}): Promise<RunningHub> {
  await using undo = new AsyncDisposableStack();
  const folder = undo.use(new Folder(config));
  const log = createLog(config.log_level);
  const { home, database_url } = config;
  const database = undo.use(
    await openDatabase({ home, database_url, now: options.now, after_crash: folder.after_crash }),
  );
  const failed = new Promise<Error>((resolve) => database.onFatal(resolve));
  void failed.then(() => folder.distrust());
  const audit = undo.use(new Audit(home, (error) => log.error("the audit could not be written", { error })));
  const { hub, scheduler } = await compose({ config, log, database, audit });
  undo.defer(() => scheduler.stop());
  await ensureAdminToken(systemCtx(hub)(MAIN_SPACE), hub.credentials, folder);
  undo.defer(watchStreams(hub));
  const server = await listen(hub);
  undo.defer(() => server.stop());
  folder.announce(server.url);
  log.info("the hub is ready", { url: server.url, backend: database.backend, version: VERSION });
  const running = undo.move();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= running.disposeAsync();
    return stopping;
  };
  const loginPath = (): Promise<string> => ownerLogin(hub, folder);
  return { url: server.url, home, pid: process.pid, hub, loginPath, sweep: () => scheduler.sweep(), stop, failed };
}

async function ownerLogin(hub: Hub, folder: Folder): Promise<string> {
  const actor = await hub.credentials.authenticate({
    token: folder.read(ADMIN_TOKEN)?.trim(),
    space_id: undefined,
    caller_agent: undefined,
  });
  const { code } = LoginCode.parse(await hub.call(actor, hub.tools.find("login_create"), {}, { door: "internal" }));
  return `/#code=${code}`;
}

type Parts = Pick<Hub, "config" | "log" | "database"> & { audit: Audit };

async function compose({ config, log, database, audit }: Parts): Promise<{ hub: Hub; scheduler: Scheduler }> {
  const { backend } = database;
  const metrics = new Metrics({ version: VERSION, node: process.versions.node, schema: MIGRATIONS.length, backend });
  const ctx = (actor: Actor): Ctx => ({ db: database, actor, now: () => database.now(), database });
  const limit = new RateLimit(config.rate_limit, () => metrics.limited.inc());
  const feed = new Feed(database, (error) => log.error("the feed could not read on", { error }));
  const streams = new Streams((kind, change) => metrics.streams.inc({ kind }, change));
  const hub: Hub = {
    config,
    log,
    metrics,
    database,
    feed,
    modules: MODULES,
    credentials: new Credentials(database),
    tools: new Toolbox(MODULES),
    resources: new Resources(
      MODULES.flatMap((module) => module.resources ?? []),
      ctx,
      limit,
    ),
    streams,
    call: createCall({ ctx, limit, metrics, audit, log, feed, streams }),
    limit,
    version: VERSION,
    ctx,
  };
  database.onCommit(({ events }) => metrics.committed(events));
  await endRevoked(hub);
  endWithSpace(hub);
  return { hub, scheduler: await startScheduler(hub) };
}

/** A token that is revoked on any node ends here too, with what it opened. */
async function endRevoked({ feed, credentials, streams }: Hub): Promise<void> {
  await feed.listen({ space_id: HUB_SPACE, topic: "identity" }, ({ type, data }) => {
    if (type !== "token.revoked") return;
    credentials.forget(String(data.token_id));
    streams.close((actor) => actor.token_id === data.token_id, "revoked");
  });
}

/** A space that is deleted on this node takes what was opened in it along at once; other nodes see it when they look. */
function endWithSpace({ database, streams }: Hub): void {
  database.onCommit(({ space_id, events }) => {
    if (events.some(({ type }) => type === SPACE_ENDED))
      streams.close((actor) => actor.space_id === space_id, "expired");
  });
}

/** For what no event tells: a space whose time is over or that another node deleted, a revocation that was missed. */
function watchStreams({ streams, credentials, log }: Hub): () => void {
  const check = async (): Promise<void> => {
    for (const actor of streams.actors())
      if (!(await credentials.stillValid(actor)))
        streams.close(
          ({ token_id, space_id }) => token_id === actor.token_id && space_id === actor.space_id,
          "expired",
        );
  };
  const timer = setInterval(
    () => void check().catch((error: unknown) => log.warn("streams could not be checked", { error })),
    STREAM_CHECK_MS,
  ).unref();
  return () => clearInterval(timer);
}

async function startScheduler(hub: Hub): Promise<Scheduler> {
  const { database, log, config } = hub;
  const tables = [...CORE_TABLES, ...MODULES.flatMap((module) => module.tables)];
  const long_tables = ["events", ...MODULES.flatMap((module) => module.long_tables ?? [])];
  const plan = async (ctx: TxCtx): Promise<void> => {
    await planEventPurge(ctx, config.event_days);
    for (const module of MODULES) await module.plan?.(ctx, config);
  };
  const handlers = { ...feedDue, ...idempotencyDue, ...spaceDue({ plan, tables, long_tables }) };
  for (const module of MODULES) Object.assign(handlers, module.due);
  const scheduler = new Scheduler({
    database,
    handlers: new Map(Object.entries(handlers)),
    ctx: systemCtx(hub),
    report: (error, row) => log.error("something that is due could not be done", { kind: row?.kind, error }),
  });
  database.onCommit(({ planned }) => {
    if (planned) scheduler.wake();
  });
  // Before anything is handled: what was planned may be for another number of days. A space may expire meanwhile.
  for (const space_id of [HUB_SPACE, ...(await listOpenSpaces(database))])
    await database.write(space_id, (tx) => plan({ ...systemCtx(hub)(space_id), db: tx, tx }), { even_expired: true });
  scheduler.wake();
  return scheduler;
}

/** For what is due, and to make the first token. */
const systemCtx =
  (hub: Hub) =>
  (space_id: string): Ctx =>
    hub.ctx(systemActor(space_id));
