import { followChat } from "../../client/index.ts";
import { visibleLine } from "../../visible.ts";
import { resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import type { Target } from "../core/client.ts";
import { defineCommand, integer, text } from "../core/command.ts";
import { failureFrom, libraryClient } from "../core/library.ts";
import { AGENT, speaker } from "./chat.ts";
import { chatId, shown } from "./messages.ts";

export const tail = defineCommand({
  examples: ["chat tail", "chat tail --agent scout", "chat tail --after 1760000000000000 --json"],
  details:
    "Goes on through restarts of the hub, without missing or repeating a message. With --json one message a line.",
  options: {
    agent: AGENT,
    after: text("ID", "begin after this message"),
    lines: integer(
      "N",
      "without --after: how many earlier messages to show first (default: 10, and all of them with --json)",
      { short: "n", minimum: 0, maximum: 200 },
    ),
  },
  async run(cli, { agent, after, lines = cli.out.json ? undefined : 10 }) {
    const as = await listener(cli);
    const begin = after && (await chatId(await speaker(cli), { ...(agent && { agent }) }, after));
    using client = libraryClient(cli, as);
    let begun = false;
    const waiting = `Waiting for what is said to ${agent ? visibleLine(agent) : "the default agent"}. Ctrl-C ends it.`;
    await new Promise<never>((_, reject) => {
      followChat(client, {
        agent,
        ...(begin === undefined && lines !== undefined ? { newest: lines } : { after: begin ?? null }),
        messages: async (messages, { reset }) => {
          if (reset && begun)
            cli.out.note(
              "From the start: the hub was restored from a backup, has forgotten that far, or has another default agent.",
            );
          if (!begun && messages.length === 0) cli.out.note(waiting);
          begun = true;
          for (const message of messages)
            await (cli.out.json ? cli.out.data(message) : cli.out.write(shown(message, cli.out)));
        },
        error: (error) => {
          // An address at which nobody ever answered is probably the wrong one.
          if (error && (!error.passing || (cli.url && !begun))) reject(failureFrom(error));
        },
      });
    });
  },
});

/** As whoever `chat send` speaks as; undefined for the person who owns the data folder, on whichever port its hub is. */
async function listener(cli: Cli): Promise<Target | undefined> {
  const { client, agent } = await resolveActing(cli);
  if (agent === null) return undefined;
  // A token that was taken back is replaced by this, while nothing has been shown yet.
  await client.call("whoami", {});
  return (await resolveActing(cli)).client.target;
}
