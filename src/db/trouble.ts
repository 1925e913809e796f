import { ParleyError } from "../errors.ts";

/** What a failure of the database means for the caller and for the hub. */
export type Trouble =
  /** An ordinary error of the operation itself. */
  | "operation"
  /** Somebody else was in the way. The operation changed nothing; it may work the next time. */
  | "busy"
  /** No space left. Nothing was written; it may work again later. */
  | "full"
  /** The database is out of reach. Nothing was written unless a COMMIT was under way. */
  | "lost"
  /** The disk failed under us: nothing can be trusted any more, the process must end. */
  | "broken";

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** Read-only, I/O error, corrupt, cannot open, not a database: of a file that worked a moment ago. */
const BROKEN = [8, 10, 11, 14, 26];

export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Error)) return "operation";
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === "ERR_SQLITE_ERROR" && typeof errcode === "number") return troubleOfSqlite(errcode & 0xff);
  if (typeof code === "string") return troubleOfPostgres(code);
  // pg's own complaints carry no code: "Query read timeout", "Connection terminated unexpectedly".
  return /timeout|terminated|not queryable|Connection/.test(error.message) && !(error instanceof ParleyError)
    ? "lost"
    : "operation";
}

function troubleOfSqlite(primary: number): Trouble {
  if (primary === SQLITE_FULL) return "full";
  if (primary === SQLITE_BUSY) return "busy";
  return BROKEN.includes(primary) ? "broken" : "operation";
}

function troubleOfPostgres(code: string): Trouble {
  if (code === "53100") return "full";
  // Deadlocks, failed serialisations, locks and statements that took longer than the operator allows.
  if (/^(40|55P03|57014)/.test(code)) return "busy";
  // Connection failures, a standby, resource limits and shutdowns; and what the socket itself reports.
  if (/^(08|25006|25P03|53|57P|58)/.test(code)) return "lost";
  return /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENETUNREACH)/.test(code) ? "lost" : "operation";
}

/** The error a caller sees for a failed write that changed nothing. */
export function nothingWritten(error: unknown): unknown {
  const trouble = troubleOf(error);
  if (trouble === "full")
    return new ParleyError("STORAGE_FULL", "The hub's disk is full; nothing was written. Free space and try again.", {
      cause: error,
    });
  if (trouble === "operation") return error;
  if (trouble === "busy")
    return new ParleyError("STORAGE_UNAVAILABLE", "The hub's database is busy; nothing was written. Try again.", {
      cause: error,
    });
  return new ParleyError("STORAGE_UNAVAILABLE", "The hub's database is out of reach; nothing was written. Try again.", {
    cause: error,
  });
}

/** The error for a write whose COMMIT failed: it may be there or not. */
export const outcomeUnknown = (error: unknown): ParleyError =>
  new ParleyError(
    "OUTCOME_UNKNOWN",
    "The write may or may not have happened. Repeat it with the same idempotency key.",
    {
      cause: error,
    },
  );
