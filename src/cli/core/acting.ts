/**
 * As whom a command acts: `--agent`, then the session that is typed or that the environment names, then the project's
 * default, then whoever the token is. Two that disagree are an error, never a guess, and what an agent runs never acts
 * as the person who owns the data folder. In the usual case this reads two small files and asks the hub nothing.
 */
import type { Cli } from "./cli.ts";
import { type CallOptions, Client, isGone } from "./client.ts";
import { type Options, type Typed, text } from "./command.ts";
import { Failure, invalid, isFailure, recover } from "./failure.ts";
import { projectOf, runByAgent, type Session, sessionsOf } from "./identity-env.ts";
import { type AgentFile, IdentityFiles, type TokenFile } from "./identity-files.ts";
import type { Env } from "./io.ts";

/** For every command that acts as an agent. */
export const ACTING_OPTIONS = {
  agent: text("NAME", "the agent to act as"),
  session_id: text("ID", "the session of the agent's client (default: the one that the environment names)"),
  project: text("DIR", "the project, which may have a default agent (default: the repository you are in)"),
} as const satisfies Options;

export interface As extends Partial<Typed<typeof ACTING_OPTIONS>> {
  /** Which program the session is of, where that program itself has named it, as to a hook; `claude-code`, `codex`. */
  client?: string | undefined;
  /** The agent that a new session goes on as, where its client has shown that it may (`hooks/handover.ts`). */
  succeeds?: string | undefined;
  /** The variable that said that an agent ran it, for what was kept then and is sent now. */
  run_by?: string | undefined;
  /** False: a hub that does not run is not started. */
  start?: boolean;
  /** False: a session that is no agent yet does not become one. */
  make?: boolean;
  /** What is around us, unless whoever calls knows better. */
  env?: Env;
}

export interface Acting {
  /** Makes its calls as that agent. */
  client: Client;
  /** Null for a person, and for a token that was given and whose holder nobody had to ask for. */
  agent: string | null;
}

/** Takes what `ACTING_OPTIONS` gave, as it is. Throws a `Failure` where nobody, or more than one, is meant. */
export async function resolveActing(cli: Cli, as: As = {}): Promise<Acting> {
  const env = as.env ?? cli.io.env;
  const sessions = sessionsOf(as.session_id, env);
  for (const session of sessions) checkSession(session);
  const agentRun = as.run_by ?? runByAgent(env);
  const before = filesIn(cli);
  if (!cli.token) await refuseOthers(before, { as, env, run_by: agentRun });
  const base = await reach(cli, as.start ?? true);
  // A hook has no time for it.
  if (as.start !== false) await cli.deliver();

  const nameBy = (files: IdentityFiles): string | undefined =>
    sessions.length > 0 || as.agent !== undefined ? as.agent : files.project(projectOf(as.project, env))?.agent;
  const matters = sessions.length > 0 || agentRun !== undefined || nameBy(before) !== undefined;
  const me = cli.token && matters ? await holderOf({ cli, files: before, base, as }) : undefined;
  if (me?.agent && !me.roles.includes("orchestrator")) {
    // Hooks are told their session by their client; one that was typed is somebody's word against the token's.
    const typed = as.client === undefined ? as.session_id : undefined;
    if (typed !== undefined && before.session(typed)?.agent !== me.agent) throw notTheToken(me.agent, typed);
    return asTokenSays(base, me.agent, as);
  }

  const files = cli.space || !me ? before : filesIn(cli, me.space);
  // A token stands for itself, so whose it is was asked first.
  if (cli.token) await refuseOthers(files, { as, env, run_by: agentRun });
  const context = { cli, files, base, as };
  if (sessions.length > 0) return asSession(context, sessions);
  const named = nameBy(files);
  if (named !== undefined) return asNamed(context, named, agentRun);
  if (me?.agent) return { client: base, agent: me.agent };
  if (agentRun !== undefined) throw noIdentity(cli, agentRun);
  // Nobody at all on a hub elsewhere: connecting says what to set.
  return { client: base.target.token ? base : await cli.connect(), agent: null };
}

/** What an agent says about who it is. */
export interface Claim {
  as: As;
  env: Env;
  /** The variable that says that an agent runs it. */
  run_by: string | undefined;
}

/** Refuses what an agent says about who it is, unless it is so. Most say nothing, and load nothing for it. */
export async function refuseOthers(files: IdentityFiles, { as, env, run_by }: Claim): Promise<void> {
  const says = as.agent !== undefined || (as.session_id !== undefined && as.client === undefined);
  if (run_by !== undefined && says) (await import("./identity-posing.ts")).refusePosing(files, { as, env, run_by });
}

/** What is remembered of the space that these commands act in. */
export async function filesOf(cli: Cli): Promise<IdentityFiles> {
  const files = filesIn(cli);
  if (cli.space || !cli.token) return files;
  const { space } = await holderOf({ cli, files, base: await reach(cli, true), as: {} });
  return filesIn(cli, space);
}

/** The same where nobody asks which space a token is for. */
export const filesIn = (cli: Cli, space = cli.space ?? "main"): IdentityFiles =>
  new IdentityFiles({ home: cli.home.path, origin: elsewhere(cli), space });

/** What the parts of the answer are worked out from. */
export interface IdentityContext {
  cli: Cli;
  files: IdentityFiles;
  /** As the owner of the data folder, or as PARLEY_TOKEN says. */
  base: Client;
  as: As;
}

async function asSession(context: IdentityContext, sessions: readonly Session[]): Promise<Acting> {
  const session = oneOf(context, sessions);
  const known = context.files.session(session.id);
  const wanted = context.as.agent;
  if (known && wanted !== undefined && wanted !== known.agent) throw contradiction(session, known.agent, wanted);
  const stored = known && context.files.agent(known.agent);
  // Had another session become this agent since, its file would be that one's. The hub says then who has it.
  if (stored?.client_session_id === session.id) return withToken(context, stored, session);
  if (!known && context.as.make === false)
    throw new Failure(
      "NO_IDENTITY",
      `The session ${shortened(session.id)} has no agent yet. Make one: ${context.cli.line("identity ensure")}`,
    );
  const { ensureSession } = await import("./identity-ensure.ts");
  return withToken(
    context,
    await ensureSession(context, { session, name: known?.agent ?? context.as.succeeds ?? wanted }),
    session,
  );
}

/** The session that is meant. Several that are all the same agent's are as good as one. */
function oneOf({ files, as }: IdentityContext, sessions: readonly Session[]): Session {
  const [first, second] = sessions;
  if (!first) throw new Error("there is no session to choose");
  if (!second) return first;
  const agents = sessions.map(({ id }) => files.session(id)?.agent);
  const chosen = as.agent === undefined ? undefined : sessions[agents.indexOf(as.agent)];
  if (chosen) return chosen;
  if (as.agent === undefined && agents[0] !== undefined && new Set(agents).size === 1) return first;
  const named = sessions.map(({ from, id }, at) => `${from} names ${agents[at] ?? "a new agent"} (${shortened(id)})`);
  throw new Failure(
    "AMBIGUOUS_IDENTITY",
    `Who are you? ${named.join(", ")}. Say --session-id ID or --agent NAME, or unset one of them.`,
  );
}

/** By a name alone: the one that was typed, or the project's default. */
async function asNamed(context: IdentityContext, agent: string, agentRun: string | undefined): Promise<Acting> {
  const stored = context.files.agent(agent);
  if (stored) return withToken(context, stored);
  // To be any agent there is takes the owner's word, and an agent that names another does not have it.
  if (agentRun !== undefined)
    throw new Failure(
      "NO_IDENTITY",
      `${agentRun} is set, so an agent runs this, and ${agent} was not made here. Say --session-id ID too.`,
    );
  const { adoptAgent } = await import("./identity-ensure.ts");
  return withToken(context, await adoptAgent(context, agent));
}

function withToken(context: IdentityContext, { agent, token, space }: AgentFile, session?: Session): Acting {
  const target = { ...context.base.target, token, space };
  return { client: new AgentClient(target, { context, agent, session }), agent };
}

interface Renewal {
  context: IdentityContext;
  agent: string;
  session: Session | undefined;
}

/** Acts as an agent. Its token may have been taken back, and the hub may have moved: both are put right once a call. */
class AgentClient extends Client {
  readonly #renewal: Renewal;
  /** What took its place. */
  #next: Client | undefined;

  constructor(target: Client["target"], renewal: Renewal) {
    super(target);
    this.#renewal = renewal;
  }

  override async callByName<T>(tool: string, args: object, options?: CallOptions): Promise<T> {
    const now = this.#next ?? new Client(this.target);
    try {
      return await now.callByName<T>(tool, args, options);
    } catch (error) {
      this.#next = await this.#after(error, now.target);
      if (!this.#next) throw error;
      return this.#next.callByName<T>(tool, args, options);
    }
  }

  async #after(error: unknown, target: Client["target"]): Promise<Client | undefined> {
    const { context, agent, session } = this.#renewal;
    if (isFailure(error, "UNAUTHENTICATED")) {
      const { renewAgent } = await import("./identity-ensure.ts");
      const { token } = await renewAgent(context, { agent, session, stale: target.token });
      return new Client({ ...target, token });
    }
    const { cli, as } = context;
    if (!isGone(error) || as.start === false || cli.noStart || cli.url) return undefined;
    return new Client({ ...target, ...(await cli.startHub()) });
  }
}

/** Whose the token is that was given, asked only where it makes a difference. */
async function holderOf(context: IdentityContext): Promise<TokenFile> {
  const { askHolder } = await import("./identity-ensure.ts");
  return askHolder(context);
}

/** With the token of an agent one is that agent, whatever else is said. */
function asTokenSays(client: Client, agent: string, { agent: wanted }: As): Acting {
  if (wanted === undefined || wanted === agent) return { client, agent };
  throw new Failure(
    "AMBIGUOUS_IDENTITY",
    `PARLEY_TOKEN is ${agent}'s, and --agent says ${wanted}. Leave out --agent, or unset PARLEY_TOKEN.`,
  );
}

const notTheToken = (agent: string, session_id: string): Failure =>
  new Failure(
    "AMBIGUOUS_IDENTITY",
    `PARLEY_TOKEN is ${agent}'s, and --session-id names a session that is not (${shortened(session_id)}). Leave out one of them.`,
  );

async function reach(cli: Cli, start: boolean): Promise<Client> {
  if (cli.url && !cli.token) return atHubElsewhere(cli, cli.url);
  const client = start ? await cli.connect() : cli.find();
  if (client) return client;
  throw cli.noHub();
}

/** An agent that is remembered needs no PARLEY_TOKEN there; everybody else is told to set it once the hub is asked. */
function atHubElsewhere(cli: Cli, url: string): Client {
  const target = { url, token: undefined, space: cli.space, cause: cli.cause };
  try {
    return cli.find() ?? new Client(target);
  } catch (error) {
    return recover(new Client(target), "UNAUTHENTICATED")(error);
  }
}

/** Undefined for the hub of the data folder, which may have another port every day. */
export function elsewhere(cli: Cli): string | undefined {
  if (!cli.url || !URL.canParse(cli.url)) return undefined;
  return cli.home.hubAt(cli.url) ? undefined : new URL(cli.url).origin;
}

function checkSession({ id, from }: Session): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(id))
    throw invalid(`${from} is not the id of a session: 1 to 200 printable characters, without spaces.`);
}

const contradiction = ({ id, from }: Session, agent: string, wanted: string): Failure =>
  new Failure(
    "AMBIGUOUS_IDENTITY",
    `${from} (${shortened(id)}) is ${agent}, and --agent says ${wanted}. Leave out one of them.`,
  );

const noIdentity = (cli: Cli, variable: string): Failure =>
  new Failure(
    "NO_IDENTITY",
    `${variable} is set, so an agent runs this, and nothing says which. Say --session-id ID, or let a person choose the project's: ${cli.line("identity set-default --agent NAME")}`,
  );

const shortened = (id: string): string => (id.length > 16 ? `${id.slice(0, 12)}…` : id);
