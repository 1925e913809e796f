import type { Ctx, TxCtx } from "../context.ts";
import type { Database } from "../db/database.ts";
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
  readonly #failed = new Map<string, number>();
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
    let wait = LOOK_AGAIN_MS;
    try {
      await this.#handleAll();
      const next = await findNextDue(this.#options.database);
      if (next) wait = Math.min(wait, Math.max(0, Date.parse(next) - this.#options.database.now()));
    } catch (error) {
      this.#options.report(error, undefined);
    }
    if (this.#stopped) return;
    // What failed stays due: do not spin on it.
    if (this.#failed.size > 0) wait = Math.max(wait, 1000);
    this.#timer = setTimeout(() => void this.sweep(), wait);
    this.#timer.unref();
  }

  async #handleAll(): Promise<void> {
    const now = this.#options.database.now();
    const rows = await listDue(this.#options.database, { now: iso(now), limit: PAGE });
    for (const row of rows)
      if (!this.#stopped && (this.#failed.get(keyOf(row)) ?? 0) <= now) await this.#handle(row, now);
  }

  async #handle(row: DueRow, now: number): Promise<void> {
    const handler = this.#options.handlers.get(row.kind);
    // A kind of a newer node, or of a module that is gone: not ours to decide.
    if (!handler) return;
    try {
      await this.#options.database.write(row.space_id, async (tx) => {
        if (!(await takeDue(tx, { kind: row.kind, ref: row.ref, now: iso(now) }))) return;
        const ctx: TxCtx = { ...this.#options.ctx(row.space_id), db: tx, tx };
        await handler(ctx, { ref: row.ref, at: Date.parse(row.at) });
        await hit("due.before_commit");
      });
      this.#failed.delete(keyOf(row));
    } catch (error) {
      this.#failed.set(keyOf(row), now + RETRY_MS);
      this.#options.report(error, row);
    }
  }
}

const keyOf = ({ space_id, kind, ref }: DueRow): string => `${space_id}\n${kind}\n${ref}`;
const iso = (ms: number): string => new Date(ms).toISOString();
