/**
 * Tells hooks on this machine, without their asking, that an agent has urgent mail: a file `urgent/SPACE.AGENT` in the
 * data folder, which the hook takes away before it asks. It is a hint and no more. One that is lost costs nothing but
 * time, since the mail is shown at the end of the turn; one too many costs a call.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Committed } from "./db/database.ts";
import type { FeedEvent } from "./feed/index.ts";

interface Flagging {
  home: string;
  /** Whose urgent mail an event tells of. */
  urgentFor: (event: FeedEvent) => string | undefined;
  report: (error: unknown) => void;
}

/** What this node has stored. What another node has is in that node's folder. */
export const flagUrgent =
  ({ home, urgentFor, report }: Flagging) =>
  ({ space_id, events }: Committed): void => {
    for (const agent of new Set(events.flatMap((event) => urgentFor(event) ?? [])))
      void flag(home, `${space_id}.${agent}`).catch(report);
  };

async function flag(home: string, name: string): Promise<void> {
  const folder = join(home, "urgent");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, name), "", { mode: 0o600 });
}
