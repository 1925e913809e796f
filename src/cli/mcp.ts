import { ACTING_OPTIONS, resolveActing } from "./acting.ts";
import { defineCommand } from "./command.ts";
import { Failure, invalid } from "./failure.ts";

export const mcp = defineCommand({
  examples: ["mcp", "mcp --facet chat-assistant", "mcp --space sess_review", "mcp --channel"],
  details:
    "Forwards to the hub, which it starts if none runs. Set PARLEY_TOKEN to the token of the agent it is for. With --channel " +
    "it serves a channel of Claude Code instead: what people and agents say is pushed, answers go back, and people of the " +
    "space are asked for permissions.",
  options: {
    facet: { type: "text", value: "F", description: "serve the tools of one facet alone, such as chat-human" },
    channel: { type: "flag", description: "push what is new to Claude Code, as a channel" },
    people_only: { type: "flag", description: "with --channel: push the words of people alone, not of agents" },
    ...ACTING_OPTIONS,
  },
  async run(cli, { facet, channel, people_only, ...as }) {
    if (channel && facet !== undefined) throw invalid("A channel has no facet: leave out --facet.");
    if (people_only && !channel) throw invalid("--people-only is for a channel: say --channel too.");
    if (channel) {
      const [{ runChannel }, { client }] = await Promise.all([import("./channel.ts"), resolveActing(cli, as)]);
      return runChannel(cli, { target: client.target, people_only });
    }
    const [{ forwardStdio }, { client, agent }] = await Promise.all([
      import("../mcp/stdio.ts"),
      resolveActing(cli, as),
    ]);
    const { target } = client;
    if (!target.token) throw new Failure("UNAUTHENTICATED", "Set PARLEY_TOKEN to a token of the hub.");
    // It may come back on another port, and with another admin token. An agent's own stays what it is.
    const find = (): { url: string; token: string } | undefined => {
      const found = cli.find()?.target;
      const token = agent === null ? found?.token : target.token;
      return found && token ? { url: found.url, token } : undefined;
    };
    await forwardStdio({ find, facet, space: target.space, input: process.stdin, output: process.stdout });
  },
});
