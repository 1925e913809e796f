import { type Client, HubError } from "../../client/index.ts";
import type { Listener } from "./listener.ts";
import type { MailPusher } from "./mail.ts";

interface Replying {
  client: Client;
  mail: MailPusher | undefined;
  listener: Listener;
}

/** As it stood on a push; the secret may be missing where somebody made it up. */
const CHAT_ID = /^(?:chat|mail:([1-9]\d{0,15}))(?::([0-9a-f]+))?$/;

/** What the model says goes to where the message came from, once, however often it is tried. */
export async function sendReply(
  { client, mail, listener }: Replying,
  { chat_id, text }: { chat_id: string; text: string },
  key: string,
): Promise<string> {
  const [known, id, secret] = CHAT_ID.exec(chat_id) ?? [];
  if (known === undefined)
    throw new Error(
      `There is no chat ${JSON.stringify(chat_id.slice(0, 80))}: pass the chat_id that stood on the message.`,
    );
  const heard = secret === listener.secret;
  if (heard) listener.prove();
  if (id === undefined) {
    const posted = await client.call("chat_assistant_post", { content: text }, { key });
    return `Posted as message ${posted.id}.`;
  }
  const sent = await client.call("mail_reply", { id, body: text }, { key });
  if (heard) await noteSeen(client, { id, pushed: mail?.pushed(id), key });
  return `Sent as mail ${sent.id} to ${sent.to.join(", ")}.`;
}

/** Whoever answers a push has it in its context; and has read it, if all of it was pushed. */
async function noteSeen(
  client: Client,
  { id, pushed, key }: { id: string; pushed: ReturnType<MailPusher["pushed"]>; key: string },
): Promise<void> {
  if (!pushed?.shown) return;
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
