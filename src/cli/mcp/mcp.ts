import { ACTING_OPTIONS, type As, filesOf, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import type { Target } from "../core/client.ts";
import { defineCommand, flag, text } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";

export const mcp = defineCommand({
  examples: [
    "mcp",
    "mcp --facet chat-assistant,mail",
    "mcp --facet tasks,triggers",
    "mcp --space sess_review",
    "mcp --session sess_review --facet workspace",
    "mcp --channel",
  ],
  details:
    "Forwards to the hub, which it starts if none runs. It acts as the session's own agent, as hooks and commands do; elsewhere set PARLEY_TOKEN. With --channel " +
    "it serves a channel of Claude Code instead: what people and agents say is pushed, answers go back, and people of the " +
    "space are asked for permissions. With --facet tasks,triggers and no PARLEY_TOKEN it is a worker of the task queue, " +
    "PARLEY_WORKER or worker, or a session of the trigger that PARLEY_TRIGGER (or ATLAS_TRIGGER) names, which it is without --facet too. While it runs it " +
    "keeps the task that was taken through it. With --session it is bound to one space: it sends X-Session-ID with every " +
    "request, and nothing of its client's that would choose another.",
  options: {
    facet: text("F,…", "list the tools of these facets, such as chat-human,mail, instead of the core ones"),
    session: text("ID", "bind it to this space: what the client asks for is never about another"),
    channel: flag("push what is new to Claude Code, as a channel"),
    people_only: flag("with --channel: push the words of people alone, not of agents"),
    ...ACTING_OPTIONS,
  },
  async run(outside, { facet, session, channel, people_only, ...as }) {
    const cli = session === undefined ? outside : boundTo(outside, session);
    if (channel && facet !== undefined) throw invalid("A channel has no facet: leave out --facet.");
    if (people_only && !channel) throw invalid("--people-only is for a channel: say --channel too.");
    if (channel) {
      const [{ runChannel }, { client }] = await Promise.all([import("../channel/channel.ts"), resolveActing(cli, as)]);
      return runChannel(cli, { target: client.target, people_only });
    }
    const named = facet?.split(",").map((name) => name.trim());
    const [{ forwardStdio }, { target, renewed, session_key, facets }] = await Promise.all([
      import("../../mcp/stdio.ts"),
      actingIn(cli, named, as),
    ]);
    // It may come back on another port, and with another admin token. An agent's own stays what it is.
    const find = (): { url: string; socket: string | undefined; token: string } | undefined => {
      const found = cli.find()?.target;
      const token = renewed ? target.token : found?.token;
      return found && token ? { url: found.url, socket: found.socket, token } : undefined;
    };
    const { space, cause } = target;
    const refuses = session === undefined ? undefined : await refusalsIn(session);
    const { stdin: input, stdout: output } = process;
    await forwardStdio({ find, renewed, facets, space, cause, session_key, refuses, input, output });
  },
});

function boundTo(cli: Cli, session: string): Cli {
  if (cli.space !== undefined && cli.space !== session)
    throw invalid("--session and --space name two spaces. Leave out --space.");
  return cli.at({ space: session });
}

async function refusalsIn(session: string): Promise<(message: object) => string | undefined> {
  const { choosesSession, sentenceOf } = await import("../../client/session.ts");
  return (message) => {
    const where = choosesSession(message, session);
    return where === undefined ? undefined : sentenceOf(where);
  };
}

interface Acting {
  target: Target;
  /** Its token as it is now, of who has one of its own: it is replaced when a session goes on under another id, as after /clear. */
  renewed: (() => string | undefined) | undefined;
  session_key: string | undefined;
  facets: readonly string[] | undefined;
}

async function actingIn(cli: Cli, named: readonly string[] | undefined, as: As): Promise<Acting> {
  const { actAs, facetsIn, roleOf, sessionKeyIn } = await import("./role.ts");
  const known = Boolean(cli.token) || as.agent !== undefined || as.session_id !== undefined;
  const facets = named ?? (known ? undefined : facetsIn(cli.io.env));
  const role = known ? undefined : roleOf(cli.io.env, facets);
  if (role) {
    const files = await filesOf(cli);
    const { target } = await actAs(cli, files, role);
    const kept = files.roleAsItIs(role.role, role.name);
    return { target, renewed: () => kept()?.token, session_key: role.session_key, facets };
  }
  const { client, agent } = await resolveActing(cli, as);
  const { target } = client;
  if (!target.token) throw new Failure("UNAUTHENTICATED", "Set PARLEY_TOKEN to a token of the hub.");
  // A token that is given stays what it is. To ask whose it is could fail here, and the client would never hear why.
  const files = cli.token ? undefined : await filesOf(cli);
  const kept = agent === null ? undefined : files?.agentAsItIs(agent);
  const renewed = agent === null ? undefined : () => kept?.()?.token;
  // A command is for the permanent space unless it says which; a program that serves a model takes none for granted.
  return {
    target: agent === null ? { ...target, space: cli.space } : target,
    renewed,
    session_key: sessionKeyIn(cli.io.env),
    facets,
  };
}
