import { ACTING_OPTIONS, filesOf, resolveActing } from "../core/acting.ts";
import { defineCommand } from "../core/command.ts";
import { Failure, invalid } from "../core/failure.ts";

export const mcp = defineCommand({
  examples: ["mcp", "mcp --facet chat-assistant,mail", "mcp --space sess_review", "mcp --channel"],
  details:
    "Forwards to the hub, which it starts if none runs. It acts as the session's own agent, as hooks and commands do; elsewhere set PARLEY_TOKEN. With --channel " +
    "it serves a channel of Claude Code instead: what people and agents say is pushed, answers go back, and people of the " +
    "space are asked for permissions.",
  options: {
    facet: {
      type: "text",
      value: "F,…",
      description: "list the tools of these facets, such as chat-human,mail, instead of the core ones",
    },
    channel: { type: "flag", description: "push what is new to Claude Code, as a channel" },
    people_only: { type: "flag", description: "with --channel: push the words of people alone, not of agents" },
    ...ACTING_OPTIONS,
  },
  async run(cli, { facet, channel, people_only, ...as }) {
    if (channel && facet !== undefined) throw invalid("A channel has no facet: leave out --facet.");
    if (people_only && !channel) throw invalid("--people-only is for a channel: say --channel too.");
    if (channel) {
      const [{ runChannel }, { client }] = await Promise.all([import("../channel/channel.ts"), resolveActing(cli, as)]);
      return runChannel(cli, { target: client.target, people_only });
    }
    const [{ forwardStdio }, { client, agent }] = await Promise.all([
      import("../../mcp/stdio.ts"),
      resolveActing(cli, as),
    ]);
    const { target } = client;
    if (!target.token) throw new Failure("UNAUTHENTICATED", "Set PARLEY_TOKEN to a token of the hub.");
    // A token that is given stays what it is. To ask whose it is could fail here, and the client would never hear why.
    const files = cli.token ? undefined : await filesOf(cli);
    const renewed = (agent: string): string | undefined => files?.agent(agent)?.token;
    // It may come back on another port, and with another admin token. An agent's own stays what it is.
    const find = (): { url: string; socket: string | undefined; token: string } | undefined => {
      const found = cli.find()?.target;
      // It is replaced when the session goes on under another id, as after /clear.
      const token = agent === null ? found?.token : (renewed(agent) ?? target.token);
      return found && token ? { url: found.url, socket: found.socket, token } : undefined;
    };
    const facets = facet?.split(",").map((name) => name.trim());
    const { space, cause } = target;
    await forwardStdio({ find, facets, space, cause, input: process.stdin, output: process.stdout });
  },
});
