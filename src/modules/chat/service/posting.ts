import { type Ctx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import { toColumns } from "../../../feed/index.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { addressed, isDefault } from "../../identity/index.ts";
import { type Message, MOST_CONTENT_BYTES, type Post, type Posted } from "../schema.ts";
import * as store from "../store.ts";
import { tellPosted } from "./events.ts";
import { inboxOf } from "./inboxes.ts";

/** Hints carry small messages along; large ones are only read. */
const MOST_LIVE_BYTES = 8 * 1024;

type Posting = Post & { author: Message["author"] };

export function post(ctx: Ctx, { author, agent: name, mime, content }: Posting): Promise<Posted> {
  const bytes = Buffer.byteLength(content);
  if (bytes > MOST_CONTENT_BYTES)
    throw new ParleyError(
      "CONTENT_TOO_LARGE",
      `A message holds at most ${MOST_CONTENT_BYTES} bytes; this one has ${bytes}.`,
    );
  return transact(ctx, async (ctx) => {
    const { inbox_id, agent } = author === "user" ? await addressed(ctx, name) : await inboxOf(ctx, name);
    // An orchestrator that acts for an agent speaks as that agent, and is remembered beside it.
    const principal_id = author === "assistant" && agent ? agent.principal_id : ctx.actor.principal_id;
    const by_principal_id = principal_id === ctx.actor.principal_id ? null : ctx.actor.principal_id;
    const author_principal = author === "assistant" && agent ? agent.name : ctx.actor.name;
    const live = bytes <= MOST_LIVE_BYTES ? { author_principal, mime, content } : undefined;
    const id = ctx.tx.takeId();
    // Where there is no agent yet, people can only be speaking to whoever will be the first.
    const is_default = agent === null || isDefault(agent);
    await tellPosted(ctx, { id, inbox_id, agent: agent?.name ?? null, author, is_default, live });
    const { cause, cause_how } = toColumns(ctx.cause);
    await store.insertMessage(ctx.tx, {
      space_id: ctx.tx.space_id,
      inbox_id,
      id,
      author,
      principal_id,
      by_principal_id,
      mime,
      content,
      bytes,
      cause,
      cause_how,
    });
    const pause = hit("post.after_insert");
    if (pause) await pause;
    return { id: formatId(id), ts: timeOfId(id) };
  });
}
