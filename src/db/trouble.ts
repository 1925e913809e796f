import { ParleyError } from "../errors.ts";

/** What a failure of the database means for the caller and for the hub. */
export type Trouble =
  /** An ordinary error of the operation itself. */
  | "operation"
  /** No space left. Nothing was written; it may work again later. */
  | "full"
  /** The database is out of reach. Nothing was written unless a COMMIT was under way. */
  | "lost"
  /** The disk failed under us: nothing can be trusted any more, the process must end. */
  | "broken";

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

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
  if (primary === SQLITE_BUSY) return "lost";
  return primary === SQLITE_IOERR || primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB ? "broken" : "operation";
}

function troubleOfPostgres(code: string): Trouble {
  if (code === "53100") return "full";
  // Connection failures, resource limits, shutdowns and lock time-outs; and what the socket itself reports.
  if (/^(08|53|57P|55P03|25P03|58)/.test(code)) return "lost";
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
