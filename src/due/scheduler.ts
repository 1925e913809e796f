import type { Config } from "../config.ts";
import { type Ctx, type TxCtx, transact } from "../context.ts";
import type { Database } from "../db/database.ts";
import { ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import type { Due, DueHandler, DueJob } from "../module.ts";
import { Alarm } from "./alarm.ts";
import { backoff, MOST_ATTEMPTS } from "./backoff.ts";
import { bury } from "./dead.ts";
import { runJob } from "./jobs.ts";
import { DueFailure, LOOK_AGAIN_MS } from "./plan.ts";
import { Share } from "./share.ts";
import { type DueRow, deleteDueOfNoSpace, findDue, findEarliest, listDue, listEarliest, saveDue } from "./store.ts";
import { take } from "./take.ts";

/** Rows that are read at once. */
const PAGE = 500;
/** How long a transaction may take, since others wait for it: as many rows of a space as are likely to be done by then. */
const MOST_MS = 10;
const MOST_ROWS = 250;
/** Spaces in which one kind is handled at the same time. */
const SPACES_AT_ONCE = 4;
/** Things outside the database, of one kind in one space, that are done at the same time. */
const JOBS_AT_ONCE = 16;

interface Options {
  database: Database;
  config: Config;
  handlers: ReadonlyMap<string, DueHandler>;
  /** Kinds that are done outside the database. */
  jobs?: ReadonlyMap<string, DueJob>;
  /** Kinds that are handled no more often than every so many milliseconds: what comes meanwhile is handled together. */
  throttle_ms?: ReadonlyMap<string, number>;
  /** Whether this node is the one that sees to a space. */
  prefers?: (space_id: string) => boolean;
  /** What else happens, in the same transaction, when a row of a kind is given up. */
  died?: ReadonlyMap<string, DueHandler>;
  /** As whom time acts in a space. */
  ctx: (space_id: string) => Ctx;
  /** Told of each failure, and whether it was the last one. Without a row it is the scheduler's own. */
  report: (error: unknown, row?: DueRow, dead?: boolean) => void;
  random?: () => number;
  /** Milliseconds, to see how long something takes. */
  clock?: () => number;
}

/**
 * Sleeps until the earliest row of `due` and handles it in the transaction that removes it: a node that dies in between
 * leaves the row for the next one, and two nodes never both handle it. Each kind has a lane of its own, so that none
 * waits for another. What fails is tried again later, and given up after a while.
 */
export class Scheduler {
  readonly #options: Options;
  readonly #lanes = new Map<string, Promise<void>>();
  /** Those that look whether something came meanwhile. */
  readonly #ending = new Set<Promise<void>>();
  /** Kinds whose rows cannot be handled just now, and when to try again. */
  readonly #not_before = new Map<string, number>();
  /** Kinds of which all that is due is left to other nodes, and until when. */
  readonly #left = new Map<string, number>();
  readonly #share: Share;
  /** When a kind that is throttled was last handled, by this process's own clock. */
  readonly #handled = new Map<string, number>();
  /** Milliseconds that a row of a kind took when last handled. */
  readonly #cost = new Map<string, number>();
  /** Those of a newer node, or of a module that is gone, are not ours to decide on. */
  readonly #kinds: readonly string[];
  readonly #alarm = new Alarm(() => this.wake());
  #sweeping: Promise<void> | undefined;
  #again = false;
  #hurried = 0;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    this.#share = new Share(options.prefers ?? (() => true));
    this.#kinds = [...options.handlers.keys(), ...(options.jobs?.keys() ?? [])];
  }

  /** Something may have become due, or will be earlier than known. */
  wake(): void {
    void this.#look();
  }

  /** This node has planned something in these spaces: when which kind is due is known, and need not be looked for. */
  planned(space_ids: Iterable<string>, kinds: ReadonlyMap<string, number>): void {
    for (const space_id of space_ids) this.#share.planned(space_id);
    // What is being read may be from before.
    if (this.#sweeping) this.#again = true;
    for (const [kind, at] of kinds) {
      this.#left.delete(kind);
      // A lane that runs has us look again when it has ended.
      if (!this.#stopped && this.#kinds.includes(kind) && !this.#lanes.has(kind)) this.#startIn(kind, at);
    }
  }

  /** Handles everything that is due now, and what is planned for at once meanwhile. */
  async sweep(): Promise<void> {
    this.#hurried += 1;
    try {
      do {
        await this.#look();
        await this.#settled();
      } while (this.#lanes.size > 0 || this.#ending.size > 0);
    } finally {
      this.#hurried -= 1;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#alarm.clear();
    await this.#sweeping;
    await this.#settled();
  }

  /** A lane that has ended looks whether it begins again. */
  async #settled(): Promise<void> {
    await Promise.all(this.#lanes.values());
    await Promise.all(this.#ending);
  }

  #look(): Promise<void> {
    this.#again = true;
    this.#sweeping ??= this.#sweepAll();
    return this.#sweeping;
  }

  async #sweepAll(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        this.#alarm.clear();
        await this.#startLanes();
        if (this.#stopped) return;
        this.#alarm.setIn(LOOK_AGAIN_MS);
      }
    } finally {
      // In one go with the last look at `#again`: whoever comes now looks anew.
      this.#sweeping = undefined;
    }
  }

  async #startLanes(): Promise<void> {
    const { database, report } = this.#options;
    try {
      for (const { kind, at } of await listEarliest(database, this.#kinds))
        if (at !== null && !this.#lanes.has(kind)) this.#startIn(kind, Date.parse(at));
    } catch (error) {
      report(error);
    }
  }

  /** Handles what is due of a kind from that time on, or has us look again by then. */
  #startIn(kind: string, at: number): void {
    const due = Math.max(at, this.#not_before.get(kind) ?? 0, this.#left.get(kind) ?? 0);
    const ms = Math.max(due - this.#options.database.now(), this.#throttled(kind));
    if (ms <= 0) this.#startLane(kind);
    else this.#alarm.setIn(Math.min(ms, LOOK_AGAIN_MS));
  }

  /** For how long it is not handled yet because it has just been. */
  #throttled(kind: string): number {
    const apart = this.#options.throttle_ms?.get(kind);
    const handled = this.#handled.get(kind);
    if (apart === undefined || handled === undefined || this.#hurried > 0) return 0;
    return Math.ceil(handled + apart - performance.now());
  }

  #startLane(kind: string): void {
    const { database, report } = this.#options;
    const lane = this.#handleAll(kind).catch((error: unknown) => {
      // The database is not there, or will not take a failure down.
      this.#not_before.set(kind, database.now() + LOOK_AGAIN_MS);
      report(error);
    });
    const ended = (): void => {
      this.#lanes.delete(kind);
      if (this.#options.throttle_ms?.has(kind)) this.#handled.set(kind, performance.now());
      if (this.#stopped) return;
      const check = this.#lookFor(kind).finally(() => this.#ending.delete(check));
      this.#ending.add(check);
    };
    this.#lanes.set(kind, lane.then(ended));
  }

  /** Something of it may have been planned while its lane ran. */
  async #lookFor(kind: string): Promise<void> {
    const { database, report } = this.#options;
    try {
      const at = await findEarliest(database, kind);
      if (at !== null && !this.#lanes.has(kind) && !this.#stopped) this.#startIn(kind, Date.parse(at));
    } catch (error) {
      report(error);
    }
  }

  async #handleAll(kind: string): Promise<void> {
    const { database } = this.#options;
    for (let last: DueRow | undefined, rows = PAGE; rows === PAGE && !this.#stopped; ) {
      const page = await listDue(database, { kind, now: iso(database.now()), limit: PAGE, after: last });
      await this.#handlePage(this.#ownOf(kind, page));
      last = page.at(-1);
      rows = page.length;
    }
  }

  /** What of it is left to others for now is looked at again when it has waited for them. */
  #ownOf(kind: string, page: readonly DueRow[]): readonly DueRow[] {
    const now = this.#options.database.now();
    const isOwn = (row: DueRow): boolean => this.#hurried > 0 || this.#share.from(row) <= now;
    const others = page.filter((row) => !isOwn(row));
    if (others.length === 0) return page;
    this.#left.set(kind, Math.min(...others.map((row) => this.#share.from(row))));
    return page.filter(isOwn);
  }

  async #handlePage(page: readonly DueRow[]): Promise<void> {
    const spaces = [...Map.groupBy(page, ({ space_id }) => space_id).values()];
    const next = async (): Promise<void> => {
      for (let rows = spaces.shift(); rows; rows = spaces.shift()) await this.#handleRows(rows);
    };
    await Promise.all(Array.from({ length: SPACES_AT_ONCE }, next));
  }

  /** All of one space, as many at once as do not keep others waiting; of a kind not seen before, one. */
  async #handleRows(rows: readonly DueRow[]): Promise<void> {
    const { database, ctx, jobs, report, random } = this.#options;
    const [first] = rows;
    if (!first) return;
    const job = jobs?.get(first.kind);
    if (job) {
      const left = [...rows];
      const next = async (): Promise<void> => {
        for (let row = left.shift(); row && !this.#stopped; row = left.shift())
          await runJob(ctx(row.space_id), row, { job, report, random }).catch((error) => this.#dropIfGone(row, error));
      };
      await Promise.all(Array.from({ length: JOBS_AT_ONCE }, next));
      return;
    }
    const own = ctx(first.space_id);
    for (let at = 0; at < rows.length && !this.#stopped; ) {
      const cost = this.#cost.get(first.kind) ?? MOST_MS;
      const some = rows.slice(at, at + Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_MS / cost))));
      at += some.length;
      const now = iso(database.now());
      await Promise.all(some.map((row) => this.#handleAlone(own, row, now)));
    }
  }

  /** Operations of their own that share a transaction: one that fails takes no other with it. */
  async #handleAlone(ctx: Ctx, row: DueRow, now: string): Promise<void> {
    try {
      await this.#handle(ctx, row, now).catch((error) => this.#dropIfGone(row, error));
    } catch (error) {
      if (isStorage(error)) throw error;
      const dead = await this.#noteFailure(row, error);
      this.#options.report(error, row, dead);
    }
  }

  /** It may be gone already, by another node. */
  #handle(ctx: Ctx, listed: DueRow, now: string): Promise<void> {
    const { kind } = listed;
    const { handlers, config, clock = () => performance.now() } = this.#options;
    const work = async (ctx: TxCtx): Promise<void> => {
      const started = clock();
      const row = await take(ctx, listed, now);
      if (!row) return;
      await handlers.get(kind)?.(ctx, dueOf(row), config);
      this.#cost.set(kind, clock() - started);
      const pause = hit("due.before_commit", kind);
      if (pause) await pause;
    };
    return transact(ctx, work, { even_expired: true });
  }

  /** Planned while the space was being emptied, it is found only when that was forgotten: nobody can do it any more. */
  async #dropIfGone(row: DueRow, error: unknown): Promise<void> {
    const is_nowhere = error instanceof ParleyError && error.code === "SESSION_NOT_FOUND";
    if (!is_nowhere || !(await deleteDueOfNoSpace(this.#options.database, row))) throw error;
  }

  /** Whether it is not tried again. */
  #noteFailure({ space_id, kind, ref }: DueRow, error: unknown): Promise<boolean> {
    const { database, config, ctx, died, random = Math.random } = this.#options;
    const now = database.now();
    const work = async (ctx: TxCtx): Promise<boolean> => {
      const row = await findDue(ctx.tx, { kind, ref, now: iso(now) });
      if (!row) return false;
      const failed = failedRow(row, error);
      const dead = failed.attempt >= MOST_ATTEMPTS;
      if (dead) {
        await bury(ctx, failed, error);
        await died?.get(kind)?.(ctx, dueOf(failed), config);
      } else await saveDue(ctx.tx, { ...failed, at: iso(now + backoff(failed.attempt, random())) });
      return dead;
    };
    return transact(ctx(space_id), work, { even_expired: true });
  }
}

const STORAGE = ["STORAGE_FULL", "STORAGE_UNAVAILABLE", "OUTCOME_UNKNOWN"];

/** What is no fault of the row: it is handled when the database is back. */
const isStorage = (error: unknown): boolean => error instanceof ParleyError && STORAGE.includes(error.code);

/** As it is once this failure counts. */
function failedRow(row: DueRow, error: unknown): DueRow {
  if (!(error instanceof DueFailure)) return { ...row, attempt: row.attempt + 1 };
  return { ...row, attempt: error.attempt + 1, payload: JSON.stringify(error.payload) };
}

const dueOf = ({ ref, at, payload, attempt }: DueRow): Due => ({
  ref,
  at: Date.parse(at),
  payload: payload === null ? undefined : JSON.parse(payload),
  attempt,
});

const iso = (ms: number): string => new Date(ms).toISOString();
