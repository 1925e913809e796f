import { filesOf } from "../core/acting.ts";
import type { Client } from "../core/client.ts";
import { projectOf } from "../core/identity-env.ts";
import { movedTo, place } from "../identity/heartbeat.ts";
import type { Asked } from "./respond.ts";

/** Where the session stands now, here and on the hub, before the client forgets most of it. */
export async function remember({ cli, input }: Pick<Asked, "cli" | "input">, client: Client): Promise<void> {
  const session_id = input.session_id ?? "";
  await client.call("agent_heartbeat", place({ session_id }, process.env));
  const files = await filesOf(cli);
  const known = files.session(session_id);
  // None for who acts by a token of its own.
  if (!known) return;
  files.saveSession(movedTo(known, projectOf(undefined, process.env)));
}
