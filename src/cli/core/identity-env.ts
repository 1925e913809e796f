/** What the environment says about who runs us, and where. Loads nothing: every hook comes through here. */
import type { Env } from "./io.ts";

export interface Session {
  /** What the agent's client calls this conversation. */
  id: string;
  /** Where it was named: an option or a variable, for the sentence that asks to choose. */
  from: string;
  client: string | null;
}

/** Set by the clients themselves for what they start, or written to Claude Code's environment file by our hook. */
const SESSION_VARIABLES = [
  ["CLAUDE_SESSION_ID", "claude-code"],
  ["CLAUDE_CODE_SESSION_ID", "claude-code"],
  ["CODEX_THREAD_ID", "codex"],
  ["CODEX_SESSION_ID", "codex"],
  ["GEMINI_SESSION_ID", "gemini-cli"],
] as const;

/** By these a client says that it is the one who runs a command. Settings of a person, such as CODEX_HOME, are none. */
const AGENT_VARIABLES = [
  "CLAUDECODE",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_CI",
  "GEMINI_CLI",
  "CURSOR_AGENT",
  "OPENCODE",
  "AI_AGENT",
] as const;

/** Each session once. One that was typed wins over all that the environment names. */
export function sessionsOf(typed: string | undefined, env: Env): Session[] {
  if (typed !== undefined) return [{ id: typed, from: "--session-id", client: clientOf(typed, env) }];
  const sessions: Session[] = [];
  for (const [from, client] of SESSION_VARIABLES) {
    const id = env[from];
    if (id && !sessions.some((session) => session.id === id)) sessions.push({ id, from, client });
  }
  return sessions;
}

/** The same session may be named by a variable too, and that tells whose it is. */
const clientOf = (id: string, env: Env): string | null =>
  SESSION_VARIABLES.find(([variable]) => env[variable] === id)?.[1] ?? null;

/** The variable by which an agent's client says that it runs us; undefined for a person at a terminal. */
export const runByAgent = (env: Env): string | undefined =>
  [...AGENT_VARIABLES, ...SESSION_VARIABLES.map(([variable]) => variable)].find((variable) => env[variable]);

/** The project we are called for: as typed, as the client says, else the repository we stand in. */
export function projectOf(typed: string | undefined, env: Env): string {
  const named = typed ?? (env.CLAUDE_PROJECT_DIR || env.GEMINI_PROJECT_DIR || undefined);
  const { realpathSync } = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path").resolve(named ?? process.cwd());
  try {
    const real = realpathSync(path);
    return named === undefined ? (gitRoot(real) ?? real) : real;
  } catch {
    // A folder that is gone, or not to be seen, is still the name of a project.
    return path;
  }
}

/** `parley/main`: the last name of the project's folder, and its branch. */
export function placeName(project: string): string {
  const branch = branchOf(project);
  const name = project.split("/").at(-1) || "/";
  return branch === null ? name : `${name}/${branch}`;
}

/** What the person who starts a session would have its agent called. A wish: it makes nobody an agent that is there. */
export const chosenName = ({ PARLEY_AGENT_NAME: name }: Env): string | undefined => name?.slice(0, 200) || undefined;

/** `parley-main`: what a session that works there is called, unless it is given a name. A worktree is its repository's. */
export function nameFor(project: string): string {
  const root = gitRoot(project);
  const of = root === undefined ? project : repositoryOf(root);
  const branch = root === undefined ? null : branchOf(root);
  const name = of.split("/").at(-1) || "agent";
  return (branch === null ? name : `${name}-${/^[0-9a-f]{40,64}$/.test(branch) ? branch.slice(0, 7) : branch}`).slice(
    0,
    200,
  );
}

/** The folder that holds the repository, which in a worktree is another one. */
function repositoryOf(root: string): string {
  const common = /^(.+)\/\.git\/worktrees\/[^/]+$/.exec(gitFolder(root))?.[1];
  return common ?? root;
}

/** The checked-out branch, or what a detached head stands on; null outside of a repository. */
export function branchOf(project: string): string | null {
  const head = readIfThere(`${gitFolder(project)}/HEAD`)?.trim();
  if (!head) return null;
  return (/^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head).slice(0, 200);
}

function gitRoot(from: string): string | undefined {
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { dirname } = process.getBuiltinModule("node:path");
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(`${at}/.git`)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** In a worktree `.git` is a file that says where the folder is. */
function gitFolder(project: string): string {
  const path = `${project}/.git`;
  const named = /^gitdir: (.+)$/m.exec(readIfThere(path) ?? "")?.[1];
  return named === undefined ? path : process.getBuiltinModule("node:path").resolve(project, named);
}

function readIfThere(path: string): string | undefined {
  const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
  try {
    // A pipe that nobody writes to would be waited for, for ever.
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    // Missing, or not ours to read: there is nothing to say then.
    return undefined;
  }
}
