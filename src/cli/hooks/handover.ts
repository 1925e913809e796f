/**
 * `/clear` ends a session and begins another, and the person goes on with the same agent: whoever sees it happen leaves a
 * note, and the first hook of the next session takes it up. Claude Code goes on in the same process: the hook of the end
 * leaves the note for that process alone, by its number and start. Nobody else can take it: a hook's parent is its own
 * client. Codex tells of the end a minute late, so there it is for the session that begins where another one sat before, at
 * the same terminal (`session-files.ts`).
 */
import { type As, filesIn, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Client } from "../core/client.ts";
import { isFailure } from "../core/failure.ts";
import type { HandoverFile, IdentityFiles } from "../core/identity-files.ts";
import { startOf } from "./processes.ts";

type Acting = Awaited<ReturnType<typeof resolveActing>>;

/** Of the session that is over, for the one that goes on. A token that was given says who it is. */
export function leaveNote(cli: Cli, session_id: string, next = thisClient()): void {
  const files = filesIn(cli);
  const agent = cli.token ? undefined : files.session(session_id)?.agent;
  if (agent === undefined || files.agent(agent)?.client_session_id !== session_id) return;
  files.saveHandover(next, { client_session_id: session_id, agent, space: files.space });
}

/** As the agent that the session before was, if it left this one a note; else as the session's own. */
export async function succeed(cli: Cli, as: As & { session_id: string }, next = thisClient()): Promise<Acting> {
  const files = cli.token ? undefined : filesIn(cli);
  const note = files?.session(as.session_id) ? undefined : files?.handover(next);
  if (!files || !note || note.client_session_id === as.session_id) return resolveActing(cli, as);
  const acting = await takeOver(cli, { as, files, note });
  files.forgetHandover(next);
  return acting;
}

interface Takeover {
  as: As & { session_id: string };
  files: IdentityFiles;
  note: HandoverFile;
}

async function takeOver(cli: Cli, { as, files, note }: Takeover): Promise<Acting> {
  const succeeding = { ...as, succeeds: note.agent };
  try {
    return await resolveActing(cli, succeeding);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // The hub may not have heard that the session before is over.
  const before = files.agent(note.agent);
  const hub = cli.find();
  if (hub && before?.client_session_id === note.client_session_id) {
    await new Client({ ...hub.target, token: before.token, space: before.space }).call("agent_leave", {});
    return resolveActing(cli, succeeding);
  }
  // Somebody else is that agent by now, or it is deleted.
  return resolveActing(cli, as);
}

const isRefusal = (error: unknown): boolean => isFailure(error, "AMBIGUOUS_IDENTITY", "NAME_TAKEN", "AGENT_NOT_FOUND");

const thisClient = (): string => `${process.ppid} ${startOf(process.ppid) ?? ""}`;
