import { randomBytes } from "node:crypto";
import { onCommit } from "../commits.ts";
import { type Ctx, systemActor } from "../context.ts";
import { HUB_SPACE } from "../db/open.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import {
  announceNode,
  claim,
  failUnclaimed,
  findNextTime,
  giveUp,
  listClaimable,
  listHeldBy,
  listNodes,
  listOrphans,
  type Node,
  record,
  removeNode,
  renewNode,
  stoppedIn,
  TOPIC,
} from "../modules/runs/index.ts";
import { Abilities } from "./abilities.ts";
import { Attempt } from "./attempt.ts";
import { dialectOf } from "./clients/index.ts";
import type { Definitions, Program } from "./definitions.ts";
import { DefinitionsFile } from "./definitions-file.ts";
import { forgetLogs } from "./old-logs.ts";
import { preferredOf } from "./rendezvous.ts";
import { killStrays } from "./strays.ts";
import { TaskLeases } from "./task-leases.ts";

/** How often a node says that it is there, in parts of its lease, and looks for what nobody told it of. */
const BEATS_A_LEASE = 4;
const LOOK_MS = 5000;
const PAGE = 50;
const DAY_MS = 24 * 3600 * 1000;
/** The lease of a node that nobody else could take runs from: the next one of its folder is another start, and takes them. */
const ALONE_MS = 3650 * DAY_MS;

interface Options {
  hub: Hub;
  /** This node, the same for every start in its folder. */
  node_id: string;
  grace_ms?: number | undefined;
}

/**
 * Starts programs for the runs that are queued, as many at once as the node may, and sees them through. It is a client of
 * the module: who may begin, whose an attempt is and how it ended is decided there.
 */
export class Runner implements AsyncDisposable {
  readonly #hub: Hub;
  readonly #options: Options;
  readonly #node: Node;
  readonly #attempts = new Map<string, { attempt: Attempt; over: Promise<void> }>();
  readonly #file: DefinitionsFile;
  /** All that are there, this one included. */
  #nodes: readonly string[] = [];
  readonly #abilities = new Abilities();
  readonly #leases: TaskLeases;
  #beat: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  #logs: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #scanning: Promise<void> | undefined;
  #again = false;
  #ready = false;
  #stopped = false;
  #left = false;

  /** Announces the node, and takes back what an earlier start of it had begun. Nothing is started before `begin`. */
  static async open(options: Options): Promise<Runner> {
    const runner = new Runner(options);
    runner.#file.read();
    await announceNode(runner.#ctx(HUB_SPACE), runner.#announced());
    await runner.#meetOthers();
    await runner.#abilities.tell(runner.#ctx(HUB_SPACE), runner.#definitions.can);
    await runner.#takeBack();
    return runner;
  }

  private constructor(options: Options) {
    this.#options = options;
    this.#hub = options.hub;
    this.#file = new DefinitionsFile(options.hub.config.home, options.hub.log);
    this.#leases = new TaskLeases(options.hub, this.#attempts);
    const boot = randomBytes(9).toString("base64url");
    this.#node = { id: options.node_id, boot, host: options.hub.config.machine };
    onCommit(options.hub, "runs", ({ space_id, events }) => {
      for (const event of events) {
        if (event.topic !== TOPIC) continue;
        const stopped = stoppedIn(event);
        if (stopped !== undefined) this.#attempts.get(`${space_id} ${stopped}`)?.attempt.interrupt("stopped");
        else this.wake();
      }
    });
  }

  /** The hub can be reached: programs may be started. */
  begin(): void {
    this.#ready = true;
    const { node_lease_seconds } = this.#hub.config;
    this.#beat = setInterval(() => void this.#beatOnce(), (node_lease_seconds * 1000) / BEATS_A_LEASE).unref();
    // Told at once: what a trigger fires until then becomes a task.
    this.#unwatch = this.#file.watch(() => void this.#beatOnce());
    this.#leases.begin();
    this.#logs = setInterval(() => void forgetLogs(this.#hub), DAY_MS).unref();
    void forgetLogs(this.#hub);
    this.wake();
  }

  /** Something may be there to start. */
  wake(): void {
    void this.#scan();
  }

  /** Whether this is the node that sees to what is due in a space: of several there is one, and the others wait for it. */
  prefers(space_id: string): boolean {
    return this.#nodes.length < 2 || preferredOf(this.#nodes, space_id) === this.#node.id;
  }

  /** Says that it is there, and what runs here, by the clock as it is now. */
  async renew(): Promise<void> {
    await renewNode(this.#ctx(HUB_SPACE), this.#announced());
    await this.#leases.keep();
  }

  /** Starts what may begin now. For tests that set the clock; happens by itself. */
  async sweep(): Promise<void> {
    await this.#beatOnce();
    await this.#scan();
  }

  /** Ends what runs here; the runs begin anew, here or elsewhere. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#beat);
    this.#unwatch?.();
    clearInterval(this.#logs);
    clearTimeout(this.#timer);
    await this.#scanning;
    for (const { attempt } of this.#attempts.values()) attempt.interrupt("hub_stopped");
    await Promise.all([...this.#attempts.values()].map(({ over }) => over));
    this.#leases[Symbol.dispose]();
    if (!this.#left) await this.#leave();
    this.#left = true;
  }

  /** Nothing is planned for a node that will not come back by itself. */
  async #leave(): Promise<void> {
    const leaving = removeNode(this.#ctx(HUB_SPACE), this.#node);
    await leaving.catch((error: unknown) => this.#hub.log.warn("the node could not say that it leaves", { error }));
  }

  #ctx(space_id: string): Ctx {
    return this.#hub.ctx(systemActor(space_id));
  }

  #announced() {
    const { config, database } = this.#hub;
    const lease_ms = database.shared ? config.node_lease_seconds * 1000 : ALONE_MS;
    return { ...this.#node, can: this.#definitions.can, lease_ms };
  }

  get #definitions(): Definitions {
    return this.#file.current;
  }

  /** Kills what is left here of attempts that are nobody's, then has the runs begin anew. */
  async #takeBack(): Promise<void> {
    const { database } = this.#hub;
    const orphans = await listOrphans(database, new Date(database.now()).toISOString());
    if (orphans.some(({ host }) => host === this.#node.host) || !this.#ready) await killStrays(this.#hub);
    for (const held of orphans) await giveUp(this.#ctx(held.space_id), held);
  }

  async #meetOthers(): Promise<void> {
    this.#nodes = await listNodes(this.#ctx(HUB_SPACE));
  }

  async #beatOnce(): Promise<void> {
    try {
      this.#file.read();
      // Alone on its database it has nobody to tell, and a hub that does nothing writes nothing.
      const isTold = !this.#hub.database.shared && this.#abilities.isTold(this.#definitions.can);
      if (!isTold && !(await renewNode(this.#ctx(HUB_SPACE), this.#announced())))
        this.#hub.log.error("another hub has this node's name");
      await this.#meetOthers();
      await this.#abilities.tell(this.#ctx(HUB_SPACE), this.#definitions.can);
      await this.#dropLost();
      await this.#takeBack();
      this.wake();
    } catch (error) {
      this.#hub.log.warn("the runner could not look after its runs", { error });
    }
  }

  /** What others gave up, since this node was not heard of, must not go on; what is to be stopped may have been said elsewhere. */
  async #dropLost(): Promise<void> {
    if (this.#attempts.size === 0) return;
    const before = new Map(this.#attempts);
    const held = await listHeldBy(this.#hub.database, this.#node.id);
    for (const [key, { attempt }] of before) {
      const row = held.find(
        ({ space_id, id, attempt: n }) => `${space_id} ${id}` === key && n === attempt.held.attempt,
      );
      if (!row) attempt.interrupt("given_up");
      else if (row.stop_requested_at !== null) attempt.interrupt("stopped");
    }
  }

  async #scan(): Promise<void> {
    // A scan that is over before it has waited for anything would be taken for one that never ends.
    if (!this.#ready || this.#stopped) return;
    this.#again = true;
    this.#scanning ??= this.#scanUntilDone();
    return this.#scanning;
  }

  async #scanUntilDone(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        clearTimeout(this.#timer);
        const wait = await this.#startAll();
        if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), wait).unref();
      }
    } finally {
      // In one go with the last look at `#again`: whoever comes now looks anew.
      this.#scanning = undefined;
    }
  }

  /** For how long there is nothing to do that nobody would tell of. */
  async #startAll(): Promise<number> {
    const { database, log } = this.#hub;
    try {
      const { can } = this.#file.read();
      const claimable = await listClaimable(database, { can, now: iso(database.now()), limit: PAGE });
      // Once more: whoever changes the file and then has something started gets what the file says now.
      this.#file.read();
      for (const { space_id, id, kind, name } of claimable) {
        if (this.#attempts.size >= this.#definitions.at_once || this.#stopped) break;
        const program = this.#definitions.find({ kind, name });
        if (program) await this.#start({ space_id, id, program });
      }
      const next = await findNextTime(database, iso(database.now()));
      return next === null ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, Date.parse(next) - database.now()));
    } catch (error) {
      log.warn("runs could not be looked at", { error });
      return LOOK_MS;
    }
  }

  async #start({ space_id, id, program }: { space_id: string; id: number; program: Program }): Promise<void> {
    const { config, log } = this.#hub;
    const ctx = this.#ctx(space_id);
    const { chooses_session } = dialectOf(program);
    const { timeout_ms, account, approvals: can_go_on } = program;
    const wanted = { id, node: this.#node, chooses_session, timeout_ms, account, can_go_on };
    const claimed = await claim(ctx, wanted).catch(async (error: unknown) => {
      // Nobody can be it: a name that is somebody else's, an agent that was deleted, a space that is over.
      if (!(error instanceof ParleyError) || error.kind === "unavailable") throw error;
      await failUnclaimed(ctx, id, error.message);
      return undefined;
    });
    if (!claimed) return;
    const report = (message: string, error: unknown): void => log.warn(message, { run: id, space: space_id, error });
    const { grace_ms } = this.#options;
    const attempt = new Attempt({ claimed, program, ctx, home: config.home, env: config.run_env, grace_ms, report });
    const key = `${space_id} ${id}`;
    const over = this.#see(attempt, ctx).finally(() => {
      this.#attempts.delete(key);
      if (!this.#stopped) this.wake();
    });
    this.#attempts.set(key, { attempt, over });
  }

  async #see(attempt: Attempt, ctx: Ctx): Promise<void> {
    const { log } = this.#hub;
    const { id: run, space_id: space } = attempt.held;
    try {
      await attempt.run();
    } catch (error) {
      log.error("a run could not be seen through", { run, space, error });
      const message = error instanceof Error ? error.message : String(error);
      const recording = record(ctx, attempt.held, { outcome: "failed", error: `The hub could not run it: ${message}` });
      // It is taken back when this node, or another one, looks again.
      await recording.catch((error: unknown) =>
        log.error("how a run ended could not be stored", { run, space, error }),
      );
    }
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
