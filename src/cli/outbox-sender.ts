/**
 * As whom something in the outbox is to be sent. It is worked out without a hub, when it is queued, so that whoever
 * happens to reach the hub next delivers it in its sender's name and never in their own.
 */
import { type As, elsewhere, resolveActing } from "./acting.ts";
import type { Cli } from "./cli.ts";
import type { Client } from "./client.ts";
import { Failure } from "./failure.ts";
import { projectOf, runByAgent, sessionsOf } from "./identity-env.ts";
import { IdentityFiles } from "./identity-files.ts";

export interface Sender {
  /** The hub, when it is not the data folder's own. */
  url?: string;
  space?: string;
  /** Whose token it is the holder of; the token itself is not kept. */
  token_hash?: string;
  agent?: string;
  session_id?: string;
  project?: string;
}

export function senderOf(cli: Cli, as: As): Sender {
  const { env } = process;
  const [session, other] = sessionsOf(as.session_id, env);
  if (other)
    throw new Failure(
      "AMBIGUOUS_IDENTITY",
      `Both ${session?.from} and ${other.from} are set, and the hub cannot be asked who you are. Say --session-id ID.`,
    );
  const project = projectOf(as.project, env);
  const where = { ...(cli.url && { url: cli.url }), ...(cli.space && { space: cli.space }) };
  const named = { ...(as.agent && { agent: as.agent }), ...(session && { session_id: session.id }) };
  if (cli.token) return { ...where, token_hash: hashOf(cli.token), ...named, ...(session && { project }) };
  if (session) return { ...where, ...named, project };
  const agent = as.agent ?? filesOf(cli).project(project)?.agent;
  if (agent !== undefined) return { ...where, agent };
  const variable = runByAgent(env);
  if (variable === undefined) return where;
  throw new Failure(
    "NO_IDENTITY",
    `${variable} is set, so an agent runs this, and nothing says which. Say --session-id ID or --agent NAME.`,
  );
}

/** Undefined when this command cannot speak for it: it reaches another hub, or holds another token. */
export async function clientFor(cli: Cli, sender: Sender): Promise<Client | undefined> {
  if (sender.url !== cli.url) return undefined;
  if (sender.token_hash !== (cli.token && hashOf(cli.token))) return undefined;
  const { agent, session_id, project, space } = sender;
  const acting = cli.inSpace(space);
  if (agent === undefined && session_id === undefined) return acting.find();
  // Nothing of what is around us now says who that was.
  return (await resolveActing(acting, { agent, session_id, project, env: {}, start: false })).client;
}

export const isSame = (a: Sender, b: Sender): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (sender: Sender): [string, unknown][] => Object.entries(sender).sort(([a], [b]) => (a < b ? -1 : 1));

const filesOf = (cli: Cli): IdentityFiles =>
  new IdentityFiles({ home: cli.home.path, origin: elsewhere(cli), space: cli.space ?? "main" });

const hashOf = (text: string): string => process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");
