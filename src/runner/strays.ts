import type { Hub } from "../hub.ts";
import { killAll, listCookies } from "../local/killing.ts";
import { findByCookie, hasAttempts, listOrphans } from "../modules/runs/index.ts";

/** Ends processes whose attempt is over or nobody's, of this database and on this machine. */
export async function killStrays({ database, log }: Hub): Promise<void> {
  // To read what every process of the machine was started with takes longer than all else a start does.
  if (!(await hasAttempts(database))) return;
  const orphans = await listOrphans(database, new Date(database.now()).toISOString());
  for (const cookie of (await listCookies()).keys()) {
    const owner = await findByCookie(database, cookie);
    // Another hub's, which has a database of its own.
    if (!owner) continue;
    const orphaned = orphans.some(({ space_id, id }) => space_id === owner.space_id && id === owner.id);
    const current = owner.of_attempt === owner.attempt && (owner.state === "claimed" || owner.state === "running");
    if (current && !orphaned) continue;
    const killed = await killAll({ cookie });
    log.warn("processes of a run that is over were killed", { run: owner.id, space: owner.space_id, killed });
  }
}
