/**
 * As whom `parley mcp` acts where it serves the task queue alone: a session of the trigger that the environment names, or
 * a worker. Each has a credential of exactly that role, made with the data folder's own and kept there.
 */
import type { Cli } from "../core/cli.ts";
import { Client } from "../core/client.ts";
import { Failure, recover } from "../core/failure.ts";
import { underLock } from "../core/identity-ensure.ts";
import { runByAgent } from "../core/identity-env.ts";
import type { IdentityFiles } from "../core/identity-files.ts";
import type { Env } from "../core/io.ts";

const QUEUE = ["tasks", "triggers"];
const DEFAULT_WORKER = "worker";
/** What `token list` says that it was made for. */
const LABELS = { agent: "parley agent run", trigger: "parley mcp", worker: "parley mcp" };

export interface QueueRole {
  role: "agent" | "trigger" | "worker";
  name: string;
  /** Which of the trigger's sessions it is. */
  session_key: string | undefined;
}

/** A session of a trigger has the queue's tools, and no others, where none are named. */
export const facetsIn = (env: Env): readonly string[] | undefined => (triggerIn(env) ? QUEUE : undefined);

const triggerIn = (env: Env): string | undefined => env.PARLEY_TRIGGER || env.ATLAS_TRIGGER;

/** Undefined where more than the queue is served: that is for agents and people. A variable that is empty is not set. */
export function roleOf(env: Env, facets: readonly string[] | undefined): QueueRole | undefined {
  if (!facets?.every((facet) => QUEUE.includes(facet))) return undefined;
  const trigger = triggerIn(env);
  if (trigger) return { role: "trigger", name: trigger, session_key: sessionKeyIn(env) };
  return { role: "worker", name: env.PARLEY_WORKER || DEFAULT_WORKER, session_key: undefined };
}

export const sessionKeyIn = (env: Env): string | undefined =>
  env.PARLEY_TRIGGER_SESSION_KEY || env.ATLAS_TRIGGER_SESSION_KEY || undefined;

/** With its token, as it is kept, or a new one where the hub knows that one no more. */
export async function actAs(cli: Cli, files: IdentityFiles, { role, name }: QueueRole): Promise<Client> {
  // It has a mailbox: one that was made for somebody's session is nobody else's.
  const run_by = runByAgent(cli.io.env);
  if (role !== "trigger" && run_by !== undefined && files.agent(name))
    throw new Failure(
      "FORBIDDEN",
      `${run_by} is set, so an agent runs this, and ${name} is another agent. Choose another PARLEY_WORKER.`,
    );
  const owner = await cli.connect();
  const { space } = files;
  const as = (token: string): Client => new Client({ ...owner.target, token, space });
  const find = async (): Promise<Client | undefined> => {
    const known = files.role(role, name);
    return known && (await isTaken(as(known.token))) ? as(known.token) : undefined;
  };
  // Two that start at the same time would make two, of which one is known to nobody.
  return underLock(files, `${role}\n${name}`, find, async () => {
    const { token } = await owner.call("token_create", { role, name, space, label: LABELS[role], exact: true });
    files.saveRole({ role, name, token, space });
    return as(token);
  });
}

const isTaken = (client: Client): Promise<boolean> =>
  client.call("whoami", {}).then(() => true, recover(false, "UNAUTHENTICATED"));
