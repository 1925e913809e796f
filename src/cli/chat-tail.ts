import { followChat } from "../client/index.ts";
import { resolveActing } from "./acting.ts";
import type { Cli } from "./cli.ts";
import type { Target } from "./client.ts";
import { defineCommand } from "./command.ts";
import { runByAgent } from "./identity-env.ts";
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
    const as = await agentHere(cli);
    if (!as) await cli.connect();
    using client = libraryClient(cli, as);
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

/** What an agent runs never listens as the person who owns the data folder. Undefined for a person. */
async function agentHere(cli: Cli): Promise<Target | undefined> {
  if (runByAgent(process.env) === undefined) return undefined;
  const { client } = await resolveActing(cli);
  // A token that was taken back is replaced by this, while nothing has been shown yet.
  await client.call("whoami", {});
  return (await resolveActing(cli)).client.target;
}
