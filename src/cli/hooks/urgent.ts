/** Whether a session has urgent mail, found out without asking the hub: what runs after every batch of tools must cost nothing. */
import { elsewhere } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { IdentityFiles } from "../core/identity-files.ts";
import { AskedMark } from "./session-files.ts";

/** True once for each time that the hub has flagged some (`src/urgent.ts`). */
export function takeUrgent(cli: Cli, session_id: string): boolean {
  const origin = elsewhere(cli);
  // A hub elsewhere leaves no file here: it is asked, but not often.
  if (origin !== undefined) return new AskedMark(cli.home.path, session_id).take();
  const files = new IdentityFiles({ home: cli.home.path, origin, space: cli.space ?? "main" });
  const who = cli.token ? files.token(cli.token) : files.session(session_id);
  if (!who?.agent) return false;
  try {
    // Before the hub is asked: what comes after is flagged anew.
    process.getBuiltinModule("node:fs").unlinkSync(`${cli.home.path}/urgent/${who.space}.${who.agent}`);
    return true;
  } catch {
    // There is none, nearly always. Should it be there and stay, the mail comes at the end of the turn.
    return false;
  }
}
