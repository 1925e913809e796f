import { randomUUID } from "node:crypto";
import type { Cli } from "./cli.ts";
import { defineCommand } from "./command.ts";
import { Failure, invalid } from "./failure.ts";
import { runByAgent } from "./identity-env.ts";
import { type Page, shown } from "./message.ts";
import { readStdin } from "./stdin.ts";
import { visibleLine } from "./visible.ts";

const AGENT = {
  type: "text",
  value: "NAME",
  description: "whose chat (default: the default agent of the space)",
} as const;

export const send = defineCommand({
  examples: ['chat send "What is new?"', 'chat send --agent scout "Look at the tests"', "chat send - < report.md"],
  details:
    "With the token of an agent it speaks to people, as that agent. It is safe to repeat with the same --key: it is sent once.",
  positionals: { text: { required: true, rest: true, description: "what to say, or - to read it from stdin" } },
  options: {
    agent: AGENT,
    mime: { type: "text", value: "TYPE", description: "its media type (default text/markdown)" },
    key: { type: "text", value: "KEY", description: "idempotency key: the same key never sends it twice" },
  },
  async run(cli, { text, agent, mime, key }) {
    const content = text.length === 1 && text[0] === "-" ? await readStdin() : text.join(" ");
    if (content.trim() === "") throw invalid("There is nothing to send: the text is empty.");
    const args = { content, ...(agent && { agent }), ...(mime && { mime }) };
    // Even unasked with a key: should the hub stop in the middle, asking again finds out whether it was sent.
    const sent = await post(await speaker(cli), args, key ?? randomUUID());
    await cli.out.result(sent, () => `Sent ${visibleLine(sent.id)}.`);
  },
});

type Sent = { id: string; ts: string };

/** What an agent runs never speaks, or looks, as the person who owns the data folder. */
async function speaker(cli: Cli): Promise<Pick<Cli, "call">> {
  if (runByAgent(process.env) === undefined) return cli;
  const { resolveActing } = await import("./acting.ts");
  return (await resolveActing(cli)).client;
}

/** Whoever is an agent here, and not a person, speaks as that agent. */
async function post(speaker: Pick<Cli, "call">, args: object, key: string): Promise<Sent> {
  try {
    return await speaker.call<Sent>("chat_human_post", args, { key });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return await speaker.call<Sent>("chat_assistant_post", args, { key }).catch((second: unknown) => {
      throw isForbidden(second) ? error : second;
    });
  }
}

const isForbidden = (error: unknown): boolean => error instanceof Failure && error.code === "FORBIDDEN";

export const read = defineCommand({
  examples: ["chat read", "chat read --agent scout --limit 10", "chat read --after 1760000000000000"],
  details: "The next page starts after last_id.",
  options: {
    agent: AGENT,
    after: { type: "text", value: "ID", description: "only what came after this message (default: from the first)" },
    limit: { type: "integer", value: "N", minimum: 1, maximum: 500, description: "how many at most (default 50)" },
  },
  async run(cli, { agent, after, limit }) {
    const page = await (await speaker(cli)).call<Page>("chat_read_since", {
      ...(after && { after_id: after }),
      ...(limit && { limit }),
      ...(agent && { agent }),
    });
    await cli.out.result(page, () => {
      const more = page.has_more
        ? [
            `There is more: ${cli.line(`chat read --after ${visibleLine(page.last_id ?? "")}${agent ? ` --agent ${agent}` : ""}`)}`,
          ]
        : [];
      return [...page.messages.map((message) => shown(message, cli.out)), ...more].join("\n") || "Nothing was said.";
    });
  },
});
