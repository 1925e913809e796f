/** Whether a session has urgent mail, found out without asking the hub: what runs after every batch of tools must cost nothing. */
import { elsewhere, filesIn } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { SessionFile } from "./session-files.ts";

/** True once for each time that the hub has flagged some (`src/urgent.ts`). */
export function takeUrgent(cli: Cli, session_id: string): boolean {
  // A hub elsewhere leaves no file here: it is asked, but not often.
  if (elsewhere(cli) !== undefined) return isTimeToAsk(new SessionFile(cli.home.path, session_id, ".asked"));
  const files = filesIn(cli);
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

const ASK_AGAIN_MS = 30_000;

/** The file says when it was last asked. If it is time to, that is noted. */
function isTimeToAsk(file: SessionFile): boolean {
  const age_ms = Date.now() - Number(file.read() ?? 0);
  // A clock that was set back must not silence it.
  if (age_ms >= 0 && age_ms < ASK_AGAIN_MS) return false;
  file.write(`${Date.now()}\n`);
  return true;
}
