/** What an agent runs acts as the session around it and as nobody else, whatever is typed. */
import type { Claim } from "./acting.ts";
import { Failure } from "./failure.ts";
import { projectOf, type Session, sessionsOf } from "./identity-env.ts";
import type { IdentityFiles } from "./identity-files.ts";

type AgentClaim = Claim & { run_by: string };

/** Asks the hub nothing, so that it is refused before anything is sent, read or kept for later. */
export function refusePosing(files: IdentityFiles, claim: AgentClaim): void {
  refuseSession(files, claim);
  const { as, env } = claim;
  if (as.agent === undefined) return;
  const sessions = sessionsOf(as.session_id, env);
  if (sessions.length > 0) refuseName(files, sessions, as.agent);
  else if (files.project(projectOf(as.project, env))?.agent !== as.agent)
    throw new Failure(
      "NO_IDENTITY",
      `${claim.run_by} is set, so an agent runs this, and nothing says that it is ${as.agent}. Say --session-id ID.`,
    );
}

/**
 * A client that names its sessions says which one this is. Where none does, the one that is typed has to do, but never
 * one that some client has named itself.
 */
function refuseSession(files: IdentityFiles, { as, env, run_by }: AgentClaim): void {
  // With `client` it was that client's own word.
  if (as.session_id === undefined || as.client !== undefined) return;
  const own = sessionsOf(undefined, env);
  const [first] = own;
  const mine = first ? own.some(({ id }) => id === as.session_id) : !files.session(as.session_id)?.client;
  if (mine) return;
  const why = first ? `${first.from} says which session it is` : "that session is another agent's";
  throw new Failure(
    "FORBIDDEN",
    `${run_by} is set, so an agent runs this, and ${why}: it cannot be the one of --session-id. Leave that out.`,
  );
}

/** The name of the session's own agent, or one that a new session is to have and that is nobody's here. */
function refuseName(files: IdentityFiles, sessions: readonly Session[], wanted: string): void {
  const agents = sessions.map(({ id }) => files.session(id)?.agent);
  if (agents.includes(wanted)) return;
  const me = agents.find((agent) => agent !== undefined);
  if (me === undefined && !files.agent(wanted)) return;
  const [first] = sessions;
  throw new Failure(
    "AMBIGUOUS_IDENTITY",
    `${first?.from} says that you are ${me ?? "a new agent"}, and --agent says ${wanted}. An agent acts as itself alone: leave out --agent.`,
  );
}
