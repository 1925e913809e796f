import type { Ctx, TxCtx } from "../context.ts";
import type { Database, Tx } from "../db/database.ts";
import { hit } from "../failpoints.ts";
import type { DueHandler } from "../module.ts";
import { type DueRow, findNextDue, listDue, takeDue } from "./store.ts";

/** Rows that other nodes added are found at the latest then. */
const LOOK_AGAIN_MS = 5000;
const RETRY_MS = 30_000;
const PAGE = 100;

interface Options {
  database: Database;
  handlers: ReadonlyMap<string, DueHandler>;
  /** As whom time acts in a space. */
  ctx: (space_id: string) => Ctx;
  report: (error: unknown, row: DueRow | undefined) => void;
}

/**
 * Sleeps until the earliest row of `due` and handles it in the transaction that removes it:
 * a node that dies in between leaves the row for the next one, and two nodes never both
 * handle it. A handler that fails is tried again later; the row stays.
 */
export class Scheduler {
  readonly #options: Options;
  /** What failed, and when it is tried again. */
  #failed = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Something may have become due, or will be earlier than known. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#sweeping) this.#again = true;
    else void this.sweep();
  }

  /** Handles everything that is due now, then sleeps until the next. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAndSleep().finally(() => {
      this.#sweeping = undefined;
      if (this.#again) {
        this.#again = false;
        this.wake();
      }
    });
    return this.#sweeping;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  async #sweepAndSleep(): Promise<void> {
    clearTimeout(this.#timer);
    const { database, report } = this.#options;
    let wait = LOOK_AGAIN_MS;
    try {
      const now = database.now();
      await this.#handleAll(now);
      // What is left of the past failed, or is nobody's here: it waits until we look again anyway.
      const next = await findNextDue(database, { after: iso(now) });
      if (next) wait = Math.min(wait, Math.max(0, Date.parse(next) - database.now()));
    } catch (error) {
      report(error, undefined);
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.sweep(), wait);
    this.#timer.unref();
  }

  /** Page by page beyond what stays: were it not for that, enough of it would hide everything behind it. */
  async #handleAll(now: number): Promise<void> {
    const before = this.#failed;
    this.#failed = new Map();
    for (let last: DueRow | undefined, rows = PAGE; rows === PAGE; ) {
      const page = await listDue(this.#options.database, { now: iso(now), limit: PAGE, after: last });
      for (const row of page) await this.#handle(row, now, before.get(keyOf(row)) ?? 0);
      last = page.at(-1);
      rows = page.length;
    }
  }

  async #handle(row: DueRow, now: number, not_before: number): Promise<void> {
    const handler = this.#options.handlers.get(row.kind);
    // A kind of a newer node, or of a module that is gone: not ours to decide.
    if (!handler || this.#stopped) return;
    if (not_before > now) {
      this.#failed.set(keyOf(row), not_before);
      return;
    }
    try {
      const work = async (tx: Tx): Promise<void> => {
        if (!(await takeDue(tx, { kind: row.kind, ref: row.ref, now: iso(now) }))) return;
        const ctx: TxCtx = { ...this.#options.ctx(row.space_id), db: tx, tx };
        await handler(ctx, { ref: row.ref, at: Date.parse(row.at) });
        await hit("due.before_commit");
      };
      await this.#options.database.write(row.space_id, work, { even_expired: true });
    } catch (error) {
      this.#failed.set(keyOf(row), now + RETRY_MS);
      this.#options.report(error, row);
    }
  }
}

const keyOf = ({ space_id, kind, ref }: DueRow): string => `${space_id}\n${kind}\n${ref}`;
const iso = (ms: number): string => new Date(ms).toISOString();
