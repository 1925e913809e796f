import { defineCommand } from "./command.ts";
import { Failure } from "./failure.ts";

export const mcp = defineCommand({
  examples: ["mcp", "mcp --facet chat-assistant", "mcp --space sess_review"],
  details: "Forwards to the hub, which it starts if none runs. Set PARLEY_TOKEN to the token of the agent it is for.",
  options: {
    facet: { type: "text", value: "F", description: "serve the tools of one facet alone, such as chat-human" },
  },
  async run(cli, { facet }) {
    const [{ forwardStdio }, { target }] = await Promise.all([import("../mcp/stdio.ts"), cli.connect()]);
    if (!target.token) throw new Failure("UNAUTHENTICATED", "Set PARLEY_TOKEN to a token of the hub.");
    // It may come back on another port, with another admin token.
    const find = (): { url: string; token: string } | undefined => {
      const { url, token } = cli.find()?.target ?? {};
      return url && token ? { url, token } : undefined;
    };
    await forwardStdio({ find, facet, space: cli.space, input: process.stdin, output: process.stdout });
  },
});
