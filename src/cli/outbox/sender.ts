/**
 * As whom something in the outbox is to be sent. It is worked out without a hub, when it is queued, so that whoever
 * happens to reach the hub next delivers it in its sender's name and never in their own.
 */
import { sha256 } from "../../local/files.ts";
import { type As, filesIn, refuseOthers, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import type { Client } from "../core/client.ts";
import { Failure } from "../core/failure.ts";
import { projectOf, runByAgent, sessionsOf } from "../core/identity-env.ts";

export interface Sender {
  /** The hub, when it is not the data folder's own. */
  url?: string;
  space?: string;
  /** Whose token it is the holder of; the token itself is not kept. */
  token_hash?: string;
  agent?: string;
  session_id?: string;
  /** Which program named the session. */
  client?: string;
  project?: string;
  /** The variable that said that an agent ran it: it is sent as that agent's own, or not at all. */
  run_by?: string;
}

/** Refuses what would be refused if there were a hub: nobody poses as another by waiting for a later command. */
export async function senderOf(cli: Cli, as: As): Promise<Sender> {
  const { env } = cli.io;
  const [session, other] = sessionsOf(as.session_id, env);
  if (other)
    throw new Failure(
      "AMBIGUOUS_IDENTITY",
      `Both ${session?.from} and ${other.from} are set, and the hub cannot be asked who you are. Say --session-id ID.`,
    );
  const run_by = runByAgent(env);
  const files = filesIn(cli);
  const project = projectOf(as.project, env);
  const where = {
    ...(cli.url && { url: cli.url }),
    ...(cli.space && { space: cli.space }),
    ...(run_by && { run_by }),
  };
  const known = session && files.session(session.id)?.agent;
  const meant = {
    // A session says it all, once it is somebody.
    ...(as.agent !== undefined && as.agent !== known && { agent: as.agent }),
    ...(session && { session_id: session.id, project, ...(session.client && { client: session.client }) }),
  };
  // Whose a token is, and so whether a name fits it, is found out when it is sent.
  if (cli.token) return { ...where, token_hash: sha256(cli.token), ...meant };
  await refuseOthers(files, { as, env, run_by });
  if (session) return { ...where, ...meant };
  const agent = as.agent ?? files.project(project)?.agent;
  if (agent !== undefined && (run_by === undefined || files.agent(agent))) return { ...where, agent, project };
  if (run_by === undefined) return where;
  throw new Failure(
    "NO_IDENTITY",
    `${run_by} is set, so an agent runs this, and nothing says which. Say --session-id ID.`,
  );
}

/** Undefined when this command cannot speak for it: it reaches another hub, or holds another token. */
export async function clientFor(cli: Cli, sender: Sender, cause: string | undefined): Promise<Client | undefined> {
  if (sender.url !== cli.url) return undefined;
  if (sender.token_hash !== (cli.token && sha256(cli.token))) return undefined;
  const { agent, session_id, client, project, run_by, space } = sender;
  const acting = cli.inSpace(space, cause);
  if (agent === undefined && session_id === undefined && run_by === undefined) return acting.find();
  // Nothing of what is around us now says who that was.
  return (await resolveActing(acting, { agent, session_id, client, project, run_by, env: {}, start: false })).client;
}

/** Where it stood and what ran it makes nobody another. */
export const isSame = (a: Sender, b: Sender): boolean => nameOf(a) === nameOf(b);

const nameOf = ({ url, space, token_hash, agent, session_id }: Sender): string =>
  JSON.stringify([url, space, token_hash, session_id ?? agent]);
