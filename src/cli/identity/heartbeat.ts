import { ACTING_OPTIONS, type As, resolveActing } from "../core/acting.ts";
import { defineCommand, flag } from "../core/command.ts";
import { Failure, isFailure } from "../core/failure.ts";
import { fields } from "../core/fields.ts";
import { branchOf, projectOf, sessionsOf } from "../core/identity-env.ts";
import type { SessionFile } from "../core/identity-files.ts";
import type { Env } from "../core/io.ts";

export const heartbeat = defineCommand({
  examples: ["heartbeat", "heartbeat --session-start"],
  details: "An agent is active for five minutes after it, then idle, and after thirty minutes offline.",
  options: {
    ...ACTING_OPTIONS,
    session_start: flag("also say which project and branch the session works on"),
  },
  async run(cli, { session_start, ...as }) {
    const { client, agent } = await resolveActing(cli, as);
    const args = session_start ? place(as, cli.io.env) : {};
    const beat = await client.call("agent_heartbeat", args).catch((cause: unknown) => {
      // Of a token that was given nobody has asked yet whose it is.
      if (agent !== null || !isFailure(cause, "FORBIDDEN")) throw cause;
      throw new Failure("FORBIDDEN", "Only agents have a heartbeat, and you are none. Say --agent NAME.", { cause });
    });
    await cli.out.result(beat, () => fields(cli.out, beat), []);
  },
});

/** Where this session is working, as it is told to the hub. */
export function place({ session_id, project: typed }: Pick<As, "session_id" | "project">, env: Env) {
  const project = projectOf(typed, env);
  const branch = branchOf(project);
  const client = sessionsOf(session_id, env)[0]?.client ?? null;
  return { project: project.slice(-400), ...(branch !== null && { branch }), ...(client !== null && { client }) };
}

/** What is remembered of a session that works there now. */
export const movedTo = (known: SessionFile, project: string): SessionFile => ({
  ...{ ...known, project, branch: branchOf(project), last_active_at: new Date().toISOString() },
});
