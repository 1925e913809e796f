import { randomUUID } from "node:crypto";
import { visibleLine } from "../../visible.ts";
import { resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, integer, text } from "../core/command.ts";
import { invalid, isFailure } from "../core/failure.ts";
import { readStdin } from "../core/io.ts";
import type { Input } from "../core/tool-types.ts";
import { chatId, shown } from "./messages.ts";

export const AGENT = text("NAME", "whose chat (default: the default agent of the space)");

export const send = defineCommand({
  examples: ['chat send "What is new?"', 'chat send --agent scout "Look at the tests"', "chat send - < report.md"],
  details:
    "With the token of an agent it speaks to people, as that agent. It is safe to repeat with the same --key: it is sent once.",
  positionals: { text: { required: true, rest: true, description: "what to say, or - to read it from stdin" } },
  options: {
    agent: AGENT,
    mime: text("TYPE", "its media type (default text/markdown)"),
    key: text("KEY", "idempotency key: the same key never sends it twice"),
  },
  async run(cli, { text, agent, mime, key }) {
    const content = text.length === 1 && text[0] === "-" ? await readStdin(cli.io) : text.join(" ");
    if (content.trim() === "") throw invalid("There is nothing to send: the text is empty.");
    const args = { content, ...(agent && { agent }), ...(mime && { mime }) };
    // Even unasked with a key: should the hub stop in the middle, asking again finds out whether it was sent.
    const me = await speaker(cli);
    const { sent, to } = await post(me, args, key ?? randomUUID());
    const whom = cli.out.json || cli.out.quiet ? "" : await whomOf(me, agent, to);
    await cli.out.result(sent, () => `Sent to ${whom}. ID: ${visibleLine(sent.id)}`, [sent.id]);
  },
});

type Sent = { id: string; ts: string };

type Speaker = Pick<Cli, "call">;

/** Whoever `parley whoami` says: the agent of the session or the project, else the person. */
export async function speaker(cli: Cli): Promise<Speaker> {
  const { client, agent } = await resolveActing(cli);
  // It starts the hub again, should that stop just now.
  return agent === null ? cli : client;
}

interface Posted {
  sent: Sent;
  to: "agent" | "people";
}

/** Whoever is an agent here, and not a person, speaks as that agent. */
async function post(speaker: Speaker, args: Input<"chat_human_post">, key: string): Promise<Posted> {
  try {
    return { sent: await speaker.call("chat_human_post", args, { key }), to: "agent" };
  } catch (error) {
    if (!isFailure(error, "FORBIDDEN")) throw error;
    const sent = await speaker.call("chat_assistant_post", args, { key }).catch((second: unknown) => {
      throw isFailure(second, "FORBIDDEN") ? error : second;
    });
    return { sent, to: "people" };
  }
}

async function whomOf(speaker: Speaker, agent: string | undefined, to: Posted["to"]): Promise<string> {
  if (to === "people") return "the people here";
  if (agent !== undefined) return visibleLine(agent);
  const { agents } = await speaker.call("agent_list", {});
  const chosen = agents.find((each) => each.default);
  return chosen ? visibleLine(chosen.name) : "the first agent that comes";
}

export const read = defineCommand({
  examples: ["chat read -n 20", "chat read --agent scout", "chat read --after 1760000000000000 --limit 10"],
  details: "With -n the last ones; otherwise from the first, or after --after, and the next page starts after last_id.",
  options: {
    agent: AGENT,
    last: integer("N", "the last N messages", { short: "n", minimum: 1, maximum: 500 }),
    after: text("ID", "only what came after this message (default: from the first)"),
    limit: integer("N", "how many at most (default 50)", { minimum: 1, maximum: 500 }),
  },
  async run(cli, { agent, last, after, limit }) {
    if (last !== undefined && (after !== undefined || limit !== undefined))
      throw invalid("Say either -n, for the last ones, or --after and --limit.");
    const me = await speaker(cli);
    const of = { ...(agent && { agent }) };
    const after_id = after && (await chatId(me, of, after));
    const page =
      last === undefined
        ? await me.call("chat_read_since", { ...of, ...(after_id && { after_id }), ...(limit && { limit }) })
        : await me.call("chat_read_before", { ...of, limit: last });
    await cli.out.result(
      page,
      () => {
        const lines = page.messages.map((message) => shown(message, cli.out));
        if (lines.length === 0) return "Nothing was said.";
        if (last !== undefined || !page.has_more) return lines.join("\n");
        return [...lines, `There is more: ${cli.again("--after", visibleLine(page.last_id ?? ""))}`].join("\n");
      },
      page.messages,
    );
  },
});
