import type { TxCtx } from "../../../context.ts";
import { recipients } from "../../identity/index.ts";
import { MOST_BODY_BYTES, MOST_SUBJECT, type Sent } from "../schema.ts";
import * as store from "../store.ts";
import { deliver } from "./sending.ts";

interface Result {
  /** By name. */
  from: string;
  to: string;
  subject: string;
  body: string;
  /** Where it was asked for. Null begins a thread. */
  thread_id: number | null;
}

/** Sends on what somebody was asked for, in their name. Undefined where one of the two is not here any more, or both are one. */
export async function relay(ctx: TxCtx, { from, to, subject, body, thread_id }: Result): Promise<Sent | undefined> {
  const known = await recipients(ctx, [from, to]);
  const sender = known.find(({ name }) => name === from);
  const recipient = known.find(({ name }) => name === to);
  if (!sender || !recipient || from === to) return undefined;
  const letter = { sender, recipients: [recipient], priority: "normal", in_reply_to: null, topic: null } as const;
  const { space_id } = ctx.tx;
  const there = thread_id !== null && (await store.findMail(ctx.tx, { space_id, id: thread_id })) !== undefined;
  return deliver(ctx, {
    ...letter,
    asked_for: true,
    subject: [...subject].slice(0, MOST_SUBJECT).join(""),
    body: cutToBytes(body),
    thread_id: there ? thread_id : null,
  });
}

/** Not in the middle of a character. */
function cutToBytes(body: string): string {
  if (Buffer.byteLength(body) <= MOST_BODY_BYTES) return body;
  return `${Buffer.from(body)
    .subarray(0, MOST_BODY_BYTES - 100)
    .toString("utf8")
    .replace(/\ufffd+$/, "")}\n…`;
}
