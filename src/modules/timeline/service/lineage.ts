/** An agent that was begun from another's log has that log up to there, by reference: what was logged never changes. */
import type { Ctx } from "../../../context.ts";
import { FROM_THE_TOP } from "../../../pages.ts";
import * as store from "../store.ts";
import type { EventRow } from "../tables.ts";

/** Whose entries, up to which. */
interface Part {
  principal_id: string;
  up_to: number;
}

/** The agent itself, then whom it was begun from, and so on. */
async function* lineage(ctx: Ctx, principal_id: string): AsyncGenerator<Part> {
  let part: Part | undefined = { principal_id, up_to: FROM_THE_TOP };
  while (part) {
    yield part;
    const row = await store.findRuntime(ctx.db, { space_id: ctx.actor.space_id, principal_id: part.principal_id });
    const { forked_from = null, forked_at = null }: Partial<NonNullable<typeof row>> = row ?? {};
    part =
      forked_from === null || forked_at === null
        ? undefined
        : { principal_id: forked_from, up_to: Math.min(part.up_to, forked_at) };
  }
}

/** The one that all of them were begun from. */
export async function rootOf(ctx: Ctx, principal_id: string): Promise<string> {
  let root = principal_id;
  for await (const part of lineage(ctx, principal_id)) root = part.principal_id;
  return root;
}

type Size = { id: number; bytes: number } & Pick<Part, "principal_id">;

/** Newest first. Of one that was begun later every entry is newer than all that it was begun with. */
export async function listSizes(
  ctx: Ctx,
  principal_id: string,
  { before_id, limit }: { before_id: number; limit: number },
): Promise<Size[]> {
  const sizes: Size[] = [];
  for await (const part of lineage(ctx, principal_id)) {
    const where = { space_id: ctx.actor.space_id, principal_id: part.principal_id };
    const before = Math.min(before_id, part.up_to + 1);
    const rows = await store.listEventSizes(ctx.db, { ...where, before_id: before, limit: limit - sizes.length });
    sizes.push(...rows.map((row) => ({ ...row, principal_id: part.principal_id })));
    if (sizes.length >= limit) break;
  }
  return sizes;
}

/** Those entries in full, oldest first. */
export async function listWhole(ctx: Ctx, sizes: readonly Size[]): Promise<(EventRow & { text: string | null })[]> {
  const rows: (EventRow & { text: string | null })[] = [];
  for (const [principal_id, own] of Map.groupBy(sizes, (size) => size.principal_id)) {
    const [newest, oldest] = [own[0], own.at(-1)];
    if (!newest || !oldest) continue;
    const where = { space_id: ctx.actor.space_id, principal_id, first_id: oldest.id, last_id: newest.id };
    rows.unshift(...(await store.listEvents(ctx.db, where)));
  }
  return rows;
}
