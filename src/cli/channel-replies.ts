import { type Client, HubError } from "../client/index.ts";
import type { MailPusher } from "./channel-mail.ts";

/** What the model says goes to where the message came from, once, however often it is tried. */
export async function sendReply(
  { client, mail }: { client: Client; mail: MailPusher | undefined },
  { chat_id, text }: { chat_id: string; text: string },
  key: string,
): Promise<string> {
  if (chat_id === "chat") {
    const { id } = await client.call("chat_assistant_post", { content: text }, { key });
    return `Posted as message ${id}.`;
  }
  const id = /^mail:([1-9]\d{0,15})$/.exec(chat_id)?.[1];
  if (id === undefined)
    throw new Error(
      `There is no chat ${JSON.stringify(chat_id.slice(0, 80))}: pass the chat_id that stood on the message.`,
    );
  const sent = await client.call("mail_reply", { id, body: text }, { key });
  await noteSeen(client, { id, pushed: mail?.pushed(id), key });
  return `Sent as mail ${sent.id} to ${sent.to.join(", ")}.`;
}

/** Whoever answers a push has it in its context; and has read it, if all of it was pushed. */
async function noteSeen(
  client: Client,
  { id, pushed, key }: { id: string; pushed: { whole: boolean } | undefined; key: string },
): Promise<void> {
  if (!pushed) return;
  try {
    await client.call(
      "mail_injected",
      { ids: [id], channel: "channel", proof: `answered push ${id}` },
      { key: `${key}-injected` },
    );
    if (pushed.whole) await client.call("mail_update", { id, action: "read" }, { key: `${key}-read` });
  } catch (error) {
    // The answer was sent, and that is what was asked for. Without the proof the letter is offered once more.
    if (!(error instanceof HubError)) throw error;
  }
}
