import type { Cli } from "../core/cli.ts";
import { idRange, isWhole, LATEST, theOne } from "../core/short-ids.ts";

type Chat = Pick<Cli, "call">;

/** Of a message in a chat, looked for as whoever reads it. */
export async function chatId(chat: Chat, of: { agent?: string }, given: string): Promise<string> {
  if (isWhole(given)) return given;
  if (given === LATEST) {
    const { messages } = await chat.call("chat_read_before", { ...of, limit: 1 });
    return messages.at(-1)?.id ?? "0";
  }
  const after_id = String(BigInt(idRange(given).first) - 1n);
  const { messages } = await chat.call("chat_read_since", { ...of, after_id, limit: 100 });
  return theOne(
    given,
    messages.map(({ id }) => id),
    "message",
  );
}
