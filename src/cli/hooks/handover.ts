/**
 * `/clear` ends a session and begins another, and the person goes on with the same agent. Claude Code does so in the same
 * process: the hook of the end leaves a note for that process alone, by its number and start; the first hook of the next
 * session takes it up. Nobody else can: a hook's parent is its own client. Codex tells of the end a minute late, so there
 * it is the session that was at the same terminal before (`session-files.ts`).
 */
import { type As, filesIn, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Client } from "../core/client.ts";
import { isFailure } from "../core/failure.ts";
import type { IdentityFiles } from "../core/identity-files.ts";
import { startOf } from "./processes.ts";
import { predecessorOf } from "./session-files.ts";

type Acting = Awaited<ReturnType<typeof resolveActing>>;

export function leaveNote(cli: Cli, session_id: string): void {
  const files = filesIn(cli);
  const agent = files.session(session_id)?.agent;
  if (agent === undefined || files.agent(agent)?.client_session_id !== session_id) return;
  files.saveHandover(thisClient(), { client_session_id: session_id, agent, space: files.space });
}

/** As the agent that the client's session before was, if it left this one a note; else as the session's own. */
export async function succeed(cli: Cli, as: As & { session_id: string }): Promise<Acting> {
  // A token that was given says who it is.
  const files = cli.token ? undefined : filesIn(cli);
  const known = files?.session(as.session_id);
  const note = known ? undefined : files?.handover(thisClient());
  if (!files || !note || note.client_session_id === as.session_id) return resolveActing(cli, as);
  const acting = await takeOver(cli, { as, files, note });
  files.forgetHandover(thisClient());
  return acting;
}

/** The same for a session of Codex. */
export async function succeedInCodex(cli: Cli, as: As & { session_id: string }): Promise<Acting> {
  const predecessor = predecessorOf(cli.home.path, as.session_id);
  const client_session_id = predecessor.read();
  if (client_session_id === undefined) return resolveActing(cli, as);
  const files = filesIn(cli);
  const agent = files.session(as.session_id) ? undefined : files.session(client_session_id)?.agent;
  const isOurs = agent !== undefined && !cli.token;
  const acting = await (isOurs
    ? takeOver(cli, { as, files, note: { client_session_id, agent } })
    : resolveActing(cli, as));
  predecessor.remove();
  return acting;
}

interface Takeover {
  as: As & { session_id: string };
  files: IdentityFiles;
  note: { client_session_id: string; agent: string };
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
