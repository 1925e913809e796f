import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import type { Output } from "../core/output.ts";
import { idRange, isWhole, LATEST, theOne } from "../core/short-ids.ts";
import type { Output as ToolOutput } from "../core/tool-types.ts";
import { indented } from "../core/whole-text.ts";

type Message = ToolOutput<"chat_read_since">["messages"][number];

/** A heading, and below it what it says. */
export function shown({ id, ts, author_principal, content }: Message, out: Output): string {
  const heading = `${out.dim(visibleLine(out.clock(ts)))}  ${out.bold(visibleLine(author_principal))}  ${out.dim(visibleLine(id))}`;
  return `${heading}\n${indented(content)}`;
}

type Chat = Pick<Cli, "call">;

/** Of a message in a chat, looked for as whoever reads it. */
export async function chatId(chat: Chat, of: { agent?: string }, given: string): Promise<string> {
  if (isWhole(given)) return given;
  if (given === LATEST) {
    const { messages } = await chat.call("chat_read_before", { ...of, limit: 1 });
    return messages.at(-1)?.id ?? "0";
  }
  const after_id = String(BigInt(idRange(given, "message").first) - 1n);
  const { messages } = await chat.call("chat_read_since", { ...of, after_id, limit: 100 });
  return theOne(
    given,
    messages.map(({ id }) => id),
    "message",
  );
}
