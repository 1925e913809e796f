import { resolveActing } from "../core/acting.ts";
import { PROGRAMS } from "./events.ts";
import { leaveNote } from "./handover.ts";
import type { Asked } from "./respond.ts";
import { endMark } from "./session-files.ts";

/** Its waiter ends, its agent is there no more; and where the client only forgets what was said, the next session is it. */
export async function sessionEnd({ cli, input, client }: Asked): Promise<void> {
  const { session_id } = input;
  if (session_id === undefined) return;
  endMark(cli.home.path, session_id).write("ended\n");
  if (client === "claude" && input.text("reason") === "clear") leaveNote(cli, session_id);
  const as = { session_id, client: PROGRAMS[client], start: false, make: false };
  await (await resolveActing(cli, as)).client.call("agent_leave", {});
}
