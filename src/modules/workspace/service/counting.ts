import type { Ctx } from "../../../context.ts";
import type { ListTags, TagList } from "../schema.ts";
import * as store from "../store.ts";

/** The tags there are, those of most notes first. */
export const listTags = async (ctx: Ctx, { limit }: ListTags): Promise<TagList> => ({
  tags: await store.listTags(ctx.db, { space_id: ctx.actor.space_id, limit }),
});
