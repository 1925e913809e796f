import type { Committed, Database } from "./db/database.ts";
import type { Log } from "./log.ts";

/** Has `listener` told of each commit. One that throws is logged, and makes no other miss it. */
export function onCommit(
  { database, log }: { database: Database; log: Log },
  what: string,
  listener: (committed: Committed) => void,
): void {
  database.onCommit((committed) => {
    try {
      listener(committed);
    } catch (error) {
      log.error("something that follows a commit failed", { what, space: committed.space_id, error });
    }
  });
}
