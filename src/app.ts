import { randomBytes } from "node:crypto";
import { removeOldArchives } from "./archive/index.ts";
import { Audit } from "./audit/index.ts";
import { createCall } from "./call.ts";
import { onCommit } from "./commits.ts";
import type { Config } from "./config.ts";
import { type Actor, type Ctx, systemActor, UNSET, type WantedHosting } from "./context.ts";
import type { Timekeeping } from "./db/clock.ts";
import { MIGRATIONS, type Migration } from "./db/migrations/index.ts";
import { HUB_SPACE, MAIN_SPACE, openDatabase } from "./db/open.ts";
import { oldestSnapshot } from "./db/snapshots.ts";
import { chargeFanOut } from "./fan-out.ts";
import { credentialCause, Feed } from "./feed/index.ts";
import { Folder } from "./folder.ts";
import { createCheckReads } from "./guards.ts";
import { listen } from "./http/server.ts";
import type { Hub } from "./hub.ts";
import { createLog } from "./log.ts";
import type { Fixtures } from "./mcp/fixtures.ts";
import { waitDue } from "./mcp/tasks/retention.ts";
import { Metrics } from "./metrics.ts";
import type { Module } from "./module.ts";
import {
  ADMIN_TOKEN,
  Credentials,
  ensureAdminToken,
  isSpaceEnd,
  LoginCode,
  revokedIn,
  spaceDue,
  spaceJobs,
  TOKEN_TOPIC,
} from "./modules/identity/index.ts";
import { MODULES } from "./modules/index.ts";
import { urgentFor } from "./modules/mail/index.ts";
import { drainWakes, hasWork, isWork } from "./modules/tasks/index.ts";
import { noteTools } from "./modules/timeline/index.ts";
import { RateLimit } from "./rate-limit.ts";
import { Resources } from "./resources.ts";
import { Runner } from "./runner/runner.ts";
import { RuntimeHost } from "./runtime/host.ts";
import { contentsOf, reactionsOf, startScheduler } from "./scheduling.ts";
import { Streams } from "./streams.ts";
import { Toolbox } from "./toolbox.ts";
import { flagUrgent } from "./urgent.ts";
import { VERSION } from "./version.ts";
import { WakeFile } from "./wake-file.ts";

/** How often it is made sure that who holds a stream open still may. */
const STREAM_CHECK_MS = 5000;
const ARCHIVE_CHECK_MS = 3600 * 1000;
const DAY_MS = 24 * 3600 * 1000;
const AUDIT_CHAIN = "audit.chain";
const NODE_ID = "node.id";

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

interface Options extends Timekeeping {
  /** Others than all there are, for tests. */
  modules?: readonly Module[];
  /** Behind all there are, for tests. */
  migrations?: readonly Migration[];
  /** In front of what the MCP door answers, for tests. */
  fixtures?: Fixtures;
}

/** Starts a hub: folder, database, modules, doors, in this order. Throws `StartRefused` with the reason. */
export async function startHub(config: Config, options: Options = {}): Promise<RunningHub> {
  await using undo = new AsyncDisposableStack();
  const folder = undo.use(new Folder(config));
  const log = createLog(config.log_level);
  for (const warning of folder.mended) log.warn(warning);
  const { home, database_url } = config;
  const database = undo.use(
    await openDatabase({
      home,
      database_url,
      now: options.now,
      passed: options.passed,
      after_crash: folder.after_crash,
      history: [...MIGRATIONS, ...(options.migrations ?? [])],
    }),
  );
  const failed = new Promise<Error>((resolve) => database.onFatal(resolve));
  // What several nodes share is not looked at by the next start of one.
  if (!database.shared) void failed.then(() => folder.distrust());
  const audit = undo.use(
    await Audit.open({
      home,
      chain: database_url === undefined ? "folder" : ownName(folder, AUDIT_CHAIN),
      database,
      kept: { days: config.audit_days, bytes: config.audit_mb * 1024 * 1024 },
      after_crash: folder.after_crash,
      report: (error) => log.error("the audit could not be written", { error }),
    }),
  );
  const hub = await compose({ config, log, database, audit, modules: options.modules ?? MODULES });
  // Before anything is due: whoever plans a run has to know what can be started.
  const runner = undo.use(await Runner.open({ hub, node_id: ownName(folder, NODE_ID) }));
  const scheduler = await startScheduler(hub, {
    ctx: systemCtx(hub),
    prefers: (space_id) => runner.prefers(space_id),
    above: { due: { ...waitDue, ...spaceDue }, jobs: spaceJobs },
  });
  undo.defer(() => scheduler.stop());
  await ensureAdminToken(systemCtx(hub)(MAIN_SPACE), hub.credentials, folder);
  undo.defer(watchStreams(hub));
  undo.defer(await keepArchives(hub));
  const server = await listen(hub, { fixtures: options.fixtures });
  undo.defer(() => server.stop());
  hub.address = server.url;
  folder.remember(config);
  folder.announce(server);
  runner.begin();
  undo.defer(() => runner[Symbol.asyncDispose]());
  const agents = undo.use(new RuntimeHost({ hub, prefers: (space_id) => runner.prefers(space_id) }));
  await agents.begin({ after_crash: folder.after_crash });
  log.info("the hub is ready", { url: server.url, backend: database.backend, version: VERSION });
  const running = undo.move();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    if (stopping === undefined) database.beginStop();
    stopping ??= running.disposeAsync();
    return stopping;
  };
  const loginPath = (): Promise<string> => ownerLogin(hub, folder);
  const sweep = async (): Promise<void> => {
    await runner.renew();
    await scheduler.sweep();
    await runner.sweep();
  };
  return { url: server.url, home, pid: process.pid, hub, loginPath, sweep, stop, failed };
}

/** Nodes that share a database have an audit and runs of their own, by names that are kept in the node's folder. */
function ownName(folder: Folder, file: string): string {
  const named = folder.read(file)?.trim();
  if (named) return named;
  const name = randomBytes(9).toString("base64url");
  folder.write(file, `${name}\n`);
  return name;
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

type Parts = Pick<Hub, "config" | "log" | "database" | "audit" | "modules">;

async function compose({ config, log, database, audit, modules }: Parts): Promise<Hub> {
  const { backend } = database;
  const metrics = new Metrics({ version: VERSION, node: process.versions.node, schema: MIGRATIONS.length, backend });
  if (database.shared) metrics.watchSnapshots(() => oldestSnapshot(database));
  const reactions = reactionsOf(modules);
  const needs = modules.flatMap((module) => module.needs ?? []);
  const glances = modules.flatMap((module) => module.glance ?? []);
  const explainers = modules.flatMap((module) => module.explains ?? []);
  const waiting = modules.flatMap((module) => module.waiting ?? []);
  const mounts = modules.flatMap((module) => module.mounts ?? []);
  const calls = modules.flatMap((module) => module.calls ?? []);
  const own_tools = new Set(modules.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const sessions = modules.flatMap((module) => module.sessions ?? []);
  const sections = modules.flatMap((module) => module.sections ?? []);
  const heard = modules.flatMap((module) => module.heard ?? []);
  const guards = modules.flatMap((module) => module.guards ?? []).toReversed();
  const known = {
    ...{ db: database, now: () => database.now(), database, config, address: () => hub.address },
    ...{ reactions, needs, glances, explainers, waiting, mounts, calls, own_tools, sessions, sections },
    contents: contentsOf(modules),
    hostingRefusal: (wanted: WantedHosting) => hub.hostingRefusal(wanted),
    ...UNSET,
  };
  const ctx = (actor: Actor): Ctx => ({ ...known, actor, cause: credentialCause(actor) });
  const limited = (): void => metrics.limited.inc();
  const limit = new RateLimit(config.rate_limit, limited);
  const feed = new Feed(database, (error) => log.error("the feed could not tell everybody", { error }));
  const streams = new Streams((kind, change) => metrics.streams.inc({ kind }, change));
  const checkReads = createCheckReads(guards);
  const hub: Hub = {
    config,
    log,
    metrics,
    database,
    feed,
    modules,
    credentials: new Credentials(database),
    tools: new Toolbox(modules),
    resources: new Resources(
      modules.flatMap((module) => module.resources ?? []),
      { ctx, limit, checkReads },
    ),
    checkReads,
    streams,
    call: createCall({ ctx, limit, metrics, audit, log, feed, streams, heard, guards }),
    limit,
    bytes: new RateLimit(config.rate_limit_kb * 1024, limited, "bytes"),
    audit,
    version: VERSION,
    address: "",
    hostingRefusal: () => undefined,
    ctx,
  };
  onCommit(hub, "metrics", ({ events }) => metrics.committed(events));
  onCommit(hub, "tools that are off", ({ events }) => noteTools(database, events));
  chargeFanOut(hub);
  const report = (error: unknown): void => log.warn("urgent mail could not be flagged", { error });
  onCommit(hub, "urgent mail", flagUrgent({ home: config.home, urgentFor, report }));
  await tellOfWork(hub);
  await endRevoked(hub);
  endWithSpace(hub);
  noteRevoked(hub);
  return hub;
}

async function tellOfWork(hub: Hub): Promise<void> {
  const report = (error: unknown): void => hub.log.warn("the wake file could not be written", { error });
  const file = new WakeFile({ wake_dir: hub.config.wake_dir, space_id: MAIN_SPACE, isWork, report });
  onCommit(hub, "the wake file", file.committed);
  const ctx = systemCtx(hub)(MAIN_SPACE);
  await drainWakes(ctx).catch((error: unknown) => hub.log.warn("old wake files could not be removed", { error }));
  if (await hasWork(ctx)) file.touch();
}

/** A token that is revoked on any node ends here too, with what it opened. */
async function endRevoked({ feed, credentials, streams }: Hub): Promise<void> {
  await feed.listen({ space_id: HUB_SPACE, topic: TOKEN_TOPIC }, (event) => {
    const token_id = revokedIn(event);
    if (token_id === undefined) return;
    credentials.forget(token_id);
    streams.close((actor) => actor.token_id === token_id, "revoked");
  });
}

/** The call that revokes a token is noted as any other; which tokens fell with it is said here. */
function noteRevoked(hub: Hub): void {
  onCommit(hub, "the audit of revocations", ({ events }) => {
    for (const event of events) {
      const id = revokedIn(event);
      if (id !== undefined)
        hub.audit.event({ op: event.type, principal: event.actor_id ?? undefined, id, result: "ok" });
    }
  });
}

/** A space that is deleted on this node takes what was opened in it along at once; other nodes see it when they look. */
function endWithSpace(hub: Hub): void {
  onCommit(hub, "the end of a space", ({ space_id, events }) => {
    if (events.some(isSpaceEnd)) hub.streams.close((actor) => actor.space_id === space_id, "expired");
  });
}

/** For what no event tells: a space whose time is over or that another node deleted, a revocation that was missed. */
function watchStreams({ streams, credentials, log }: Hub): () => void {
  const check = async (): Promise<void> => {
    for (const actor of await credentials.listInvalid([...streams.actors()]))
      streams.close(({ token_id, space_id }) => token_id === actor.token_id && space_id === actor.space_id, "expired");
  };
  const timer = setInterval(
    () => void check().catch((error: unknown) => log.warn("streams could not be checked", { error })),
    STREAM_CHECK_MS,
  ).unref();
  return () => clearInterval(timer);
}

/** Each node keeps its own: what is due is due for all of them together. */
async function keepArchives({ config, database, log }: Hub): Promise<() => void> {
  const { archive_dir, archive_days } = config;
  if (archive_dir === undefined || archive_days === 0) return () => {};
  const keep = async (): Promise<void> => {
    const now = database.now();
    await removeOldArchives(archive_dir, { before_ms: now - archive_days * DAY_MS, now });
  };
  const report = (error: unknown): void => log.warn("old archives could not be removed", { error });
  await keep().catch(report);
  const timer = setInterval(() => void keep().catch(report), ARCHIVE_CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** For what is due, and to make the first token. */
const systemCtx =
  (hub: Hub) =>
  (space_id: string): Ctx =>
    hub.ctx(systemActor(space_id));
