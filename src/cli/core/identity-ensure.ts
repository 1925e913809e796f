/** The slow way to an identity: the hub is asked for one, by one of all the commands that want it at once. */

import { didYouMean } from "../../suggest.ts";
import { filesOf, type IdentityContext } from "./acting.ts";
import type { Cli } from "./cli.ts";
import { Failure, isFailure } from "./failure.ts";
import { branchOf, chosenName, nameFor, projectOf, runByAgent, type Session } from "./identity-env.ts";
import type { AgentFile, IdentityFiles, SessionFile, TokenFile } from "./identity-files.ts";
import { pause } from "./patience.ts";
import { takeBriefly } from "./process-lock.ts";
import type { Input, Output } from "./tool-types.ts";

const LIMIT_MS = 20_000;
const PAUSE_MS = 15;
/** What a token is may change, when an administrator says so, and hardly ever does. */
const BELIEVED_MS = 3600_000;

/** What `token list` says that it was made for. */
const LABEL = "commands with --agent";

type Ensured = Output<"agent_ensure">;

/** The agent of a session, made if it is new. `stale` is a token that the hub no longer takes. */
export async function ensureSession(
  context: IdentityContext,
  { session, name, stale }: { session: Session; name: string | undefined; stale?: string | undefined },
): Promise<AgentFile> {
  const known = (): AgentFile | undefined => {
    const agent = context.files.session(session.id)?.agent;
    const stored = agent === undefined ? undefined : context.files.agent(agent);
    return stored?.client_session_id === session.id && stored.token !== stale ? stored : undefined;
  };
  return underLock(context.files, session.id, known, async () => {
    const env = context.as.env ?? context.cli.io.env;
    const project = projectOf(context.as.project, env);
    const branch = branchOf(project);
    const client = context.as.client ?? session.client;
    const made = await ask(context, {
      client_session_id: session.id,
      project: project.slice(-400),
      // The hub believes the owner, whose credential asks; but what an agent runs has not the owner's word for it.
      ...(name === undefined
        ? { suggested_name: chosenName(env) ?? nameFor(project) }
        : { name, adopt: name === context.as.succeeds || !isRunByAgent(context) }),
      ...(branch !== null && { branch }),
      ...(client !== null && { client }),
    });
    return keep(context.files, made, { client_session_id: session.id, project, branch, client });
  });
}

const isRunByAgent = ({ cli, as: { run_by, env } }: IdentityContext): boolean =>
  (run_by ?? runByAgent(env ?? cli.io.env)) !== undefined;

/** Acts by its own token from now on, as a person who owns the hub may have it done. */
export function adoptAgent(context: IdentityContext, agent: string, stale?: string): Promise<AgentFile> {
  const known = (): AgentFile | undefined => {
    const stored = context.files.agent(agent);
    return stored?.token === stale ? undefined : stored;
  };
  return underLock(context.files, agent, known, async () => {
    await checkKnown(context.cli, context.base, agent);
    const { space } = context.files;
    const wanted = { role: "agent" as const, name: agent, space, label: LABEL };
    const { token } = await context.base.call("token_create", wanted);
    const file = { agent, token, space, client_session_id: null };
    context.files.saveAgent(file);
    return file;
  });
}

export async function checkKnown(cli: Cli, client: Pick<Cli, "call">, agent: string): Promise<void> {
  const { agents } = await client.call("agent_list", { all: true });
  const names = agents.map(({ name }) => name);
  if (names.includes(agent)) return;
  const meant = didYouMean(agent, names);
  throw new Failure(
    "AGENT_NOT_FOUND",
    `There is no agent ${JSON.stringify(agent)} here.${meant} See them all: ${cli.line("agent list")}`,
  );
}

/** Its token was taken back, or the hub is another one: asked for once more, and then no more. */
export async function renewAgent(
  context: IdentityContext,
  { agent, session, stale }: { agent: string; session: Session | undefined; stale: string | undefined },
): Promise<AgentFile> {
  if (session) return ensureSession(context, { session, name: agent, stale });
  const stored = context.files.agent(agent);
  if (stored && stored.token !== stale) return stored;
  if (stored?.client_session_id)
    throw new Failure(
      "NO_IDENTITY",
      `${agent}'s token works no more, and it belongs to a session. Say --session-id ${stored.client_session_id}`,
    );
  return adoptAgent(context, agent, stale);
}

/** Whose the token is that was given. The hub is asked, and its answer believed for a while. */
export async function askHolder({ cli, files, base }: IdentityContext): Promise<TokenFile> {
  const secret = cli.token ?? "";
  const known = files.token(secret);
  const age_ms = known ? Date.now() - Date.parse(known.checked_at) : Number.NaN;
  if (known && age_ms >= 0 && age_ms < BELIEVED_MS) return known;
  const { agent, roles, space } = await base.call("whoami", {});
  const file = { agent, roles, space, checked_at: new Date().toISOString() };
  files.saveToken(secret, file);
  return file;
}

/** Its token is over. */
export async function forgetAgent(cli: Cli, name: string): Promise<void> {
  (await filesOf(cli)).forgetAgent(name);
}

async function ask(context: IdentityContext, args: Input<"agent_ensure">): Promise<Ensured> {
  try {
    return await context.base.call("agent_ensure", args);
  } catch (error) {
    if (!isFailure(error, "FORBIDDEN", "UNAUTHENTICATED")) throw error;
    const why = context.base.target.token
      ? "the token you have may not make one"
      : `nobody is named who could make one on ${context.base.target.url}`;
    throw new Failure(
      "NO_IDENTITY",
      `This session has no agent yet, and ${why}. Set PARLEY_TOKEN to the token of an agent, or of an admin.`,
      { cause: error },
    );
  }
}

/** The session last: by it the others find the rest. */
function keep(
  files: IdentityFiles,
  { agent, token }: Ensured,
  session: Omit<SessionFile, "agent" | "space" | Times>,
): AgentFile {
  const { space } = files;
  const { client_session_id } = session;
  const file = { agent, token, space, client_session_id };
  const last_active_at = new Date().toISOString();
  const created_at = files.session(client_session_id)?.created_at ?? last_active_at;
  files.saveAgent(file);
  files.saveSession({ ...session, agent, space, created_at, last_active_at });
  return file;
}

type Times = "created_at" | "last_active_at";

/** What `known` finds, else what `make` makes, by one of us while the others wait. */
export async function underLock<T>(
  files: IdentityFiles,
  what: string,
  known: () => T | undefined | Promise<T | undefined>,
  make: () => Promise<T>,
): Promise<T> {
  const path = files.lock(what);
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    const found = await known();
    if (found) return found;
    using lock = takeBriefly(path);
    if (lock) return (await known()) ?? (await make());
    await pause(PAUSE_MS);
  }
  throw new Failure("NO_IDENTITY", `Another command has been making this identity for ${LIMIT_MS / 1000} s: ${path}`);
}
