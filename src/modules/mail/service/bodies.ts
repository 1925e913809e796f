import type { Ctx } from "../../../context.ts";
import { continues, firstBytes } from "../../../text.ts";
import * as store from "../store.ts";

export interface Body {
  body: string;
  /** Only of one that was cut. */
  body_end?: string;
  /** Characters. */
  left_out?: number;
}

/** The body of a mail in at most `limit` bytes: whole, or three quarters of that from its begin and one from its end. */
export async function bodyOf(
  ctx: Ctx,
  { id, bytes }: { id: number; bytes: number },
  limit: number,
): Promise<Body | undefined> {
  const where = { space_id: ctx.actor.space_id, id };
  if (bytes <= limit) {
    const body = await store.findBody(ctx.db, where);
    return body === undefined ? undefined : { body };
  }
  const tail = Math.floor(limit / 4);
  const head = limit - tail;
  // No character has more than four bytes, so a body of more than `limit` has more than `tail` of them.
  const ends = await store.findEnds(ctx.db, { ...where, head, tail });
  if (!ends) return undefined;
  const body = firstBytes(ends.head, head);
  const body_end = lastBytes(ends.tail, tail);
  return { body, body_end, left_out: Number(ends.characters) - lengthOf(body) - lengthOf(body_end) };
}

/** In characters, as both databases count them. */
const lengthOf = (text: string): number => [...text].length;

function lastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - most);
  while (continues(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}
