import { type Ctx, has, READERS } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { findSelf, ownHolder } from "../../identity/index.ts";
import type { AuthorColumns } from "../tables.ts";

export const isoNow = (ctx: Ctx): string => new Date(ctx.now()).toISOString();

/** As whom the actor writes: a person or agent, or the agent that an orchestrator acts for. */
export async function authorOf(ctx: Ctx): Promise<AuthorColumns> {
  const { principal_id: author_id, name: author } = await ownHolder(ctx);
  const by = ctx.actor.principal_id;
  return { author, author_id, by_principal_id: by === author_id ? null : by };
}

/** As whom the actor reads, also one who has no mailbox here. */
export const readerOf = async (ctx: Ctx): Promise<string> => (await findSelf(ctx))?.name ?? ctx.actor.name;

export function checkBytes(text: string, most: number, what: string): number {
  const bytes = Buffer.byteLength(text);
  if (bytes > most)
    throw new ParleyError("CONTENT_TOO_LARGE", `${what} holds at most ${most} bytes; this one has ${bytes}.`);
  return bytes;
}

/** Whoever may read the space follows all of it. */
export async function followable({ actor }: Ctx): Promise<null> {
  if (has(actor, ...READERS)) return null;
  throw new ParleyError("FORBIDDEN", `The workspace is for ${READERS.join(", ")}; you are ${actor.roles.join(", ")}.`);
}
