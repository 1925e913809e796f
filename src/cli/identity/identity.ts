import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As, filesOf, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";
import { fields } from "../core/fields.ts";
import { checkKnown } from "../core/identity-ensure.ts";
import { projectOf, sessionsOf } from "../core/identity-env.ts";
import type { SessionFile } from "../core/identity-files.ts";
import { movedTo, place } from "./heartbeat.ts";

export const ensure = defineCommand({
  examples: ["identity ensure", "identity ensure --session-id 4f1c --agent scout"],
  details:
    "The same session is the same agent whenever it comes back; a new one is a new agent with a name of its own.",
  options: ACTING_OPTIONS,
  run: async (cli, as) => tell(cli, await bySession(cli, as)),
});

export const restore = defineCommand({
  examples: ["identity restore", "identity restore --session-id 4f1c"],
  details: "Makes no new agent: it fails for a session that has none yet.",
  options: ACTING_OPTIONS,
  run: async (cli, as) => tell(cli, await bySession(cli, { ...as, make: false })),
});

export const save = defineCommand({
  examples: ["identity save"],
  details: "Before a conversation is compacted, for instance: project and branch are remembered here and on the hub.",
  options: ACTING_OPTIONS,
  async run(cli, as) {
    const known = await bySession(cli, { ...as, make: false });
    const saved = movedTo(known, projectOf(as.project, cli.io.env));
    const { client } = await resolveActing(cli, { ...as, make: false });
    await client.call("agent_heartbeat", place(as, cli.io.env));
    (await filesOf(cli)).saveSession(saved);
    await tell(cli, saved);
  },
});

export const current = defineCommand({
  examples: ["identity current", "identity current --session-id 4f1c"],
  options: ACTING_OPTIONS,
  async run(cli, as) {
    const { client, agent } = await resolveActing(cli, { ...as, make: false });
    const me = await client.call("whoami", {});
    const [session] = sessionsOf(as.session_id, cli.io.env);
    const identity = {
      agent: me.agent,
      principal: me.principal,
      space: me.space,
      client_session_id: agent !== null && session ? session.id : null,
      project: projectOf(as.project, cli.io.env),
    };
    await cli.out.result(identity, () => fields(cli.out, identity));
  },
});

export const setDefault = defineCommand({
  people: true,
  examples: ["identity set-default --agent webshop-main", "identity set-default --agent scout --project /work/shop"],
  details: "It is for commands in that project that no session runs. A session stays the agent that it is.",
  options: ACTING_OPTIONS,
  async run(cli, as) {
    const agent = as.agent ?? (await resolveActing(cli, as)).agent;
    if (agent === null) throw invalid("--agent NAME is missing: the agent that the project is to have.");
    await checkKnown(cli, cli, agent);
    const files = await filesOf(cli);
    const chosen = { project: projectOf(as.project, cli.io.env), agent, space: files.space };
    files.saveProject(chosen);
    await cli.out.result(chosen, () => `In ${visibleLine(chosen.project)} you are ${visibleLine(agent)}.`, []);
  },
});

/** The session's agent, known to the hub as such; nothing of it that is secret. */
async function bySession(cli: Cli, as: As): Promise<SessionFile> {
  const sessions = sessionsOf(as.session_id, cli.io.env);
  if (sessions.length === 0)
    throw new Failure("NO_IDENTITY", "Which session? Nothing around you names one. Say --session-id ID.");
  const { client, agent } = await resolveActing(cli, as);
  // Asked of the hub, so that a token that was lost or taken back is noticed and replaced now.
  await client.call("whoami", {});
  const files = await filesOf(cli);
  const known = sessions.map(({ id }) => files.session(id)).find((file) => file?.agent === agent);
  if (known) return known;
  throw new Failure(
    "AMBIGUOUS_IDENTITY",
    `PARLEY_TOKEN says that you are ${agent}, and no session is. Unset it first.`,
  );
}

const tell = (cli: Cli, known: SessionFile): Promise<void> =>
  cli.out.result(known, () => `You are ${visibleLine(known.agent)}.\n${fields(cli.out, { ...known })}`, [known.agent]);
