import { followChat } from "../client/index.ts";
import { defineCommand } from "./command.ts";
import { failureFrom, libraryClient } from "./library.ts";
import { shown } from "./message.ts";

export const tail = defineCommand({
  examples: ["chat tail", "chat tail --agent scout", "chat tail --after 1760000000000000 --json"],
  details:
    "Goes on through restarts of the hub, without missing or repeating a message. With --json one message a line.",
  options: {
    agent: { type: "text", value: "NAME", description: "whose chat (default: the default agent of the space)" },
    after: { type: "text", value: "ID", description: "begin after this message" },
    lines: {
      type: "integer",
      short: "n",
      value: "N",
      minimum: 0,
      maximum: 200,
      description:
        "without --after: how many earlier messages to show first (default: 10, and all of them with --json)",
    },
  },
  async run(cli, { agent, after, lines = cli.out.json ? undefined : 10 }) {
    await cli.connect();
    using client = libraryClient(cli);
    let begun = false;
    await new Promise<never>((_, reject) => {
      followChat(client, {
        agent,
        ...(after === undefined && lines !== undefined ? { newest: lines } : { after: after ?? null }),
        messages: async (messages, { reset }) => {
          if (reset && begun)
            cli.out.note(
              "From the start: the hub was restored from a backup, has forgotten that far, or has another default agent.",
            );
          begun = true;
          for (const message of messages)
            await cli.out.write(cli.out.json ? JSON.stringify(message) : shown(message, cli.out));
        },
        error: (error) => {
          // An address at which nobody ever answered is probably the wrong one.
          if (error && (!error.passing || (cli.url && !begun))) reject(failureFrom(error));
        },
      });
    });
  },
});
