import { setImmediate } from "node:timers/promises";
import { type Ctx, has, ONLOOKERS, type TxCtx } from "../../../context.ts";
import { parseId } from "../../../ids.ts";
import { defineGlance, type Need, type NeedPage, type NeedProvider } from "../../../module.ts";
import { FROM_THE_TOP, page, startOf } from "../../../pages.ts";
import type { Watch } from "../../../resource.ts";
import { actorsEverywhere } from "../../identity/index.ts";
import { type ListNeeds, MOST_COUNTED, type NeedItem, type NeedList } from "../schema.ts";
import * as store from "../store.ts";
import type { NamedNoticeRow } from "../tables.ts";

import { NEED_TOPIC, TOPIC, tellPending as tellPutOff } from "./events.ts";
import { isoNow, wire } from "./wire.ts";

/** What of notices waits for the actor. */
export const noticeNeeds: NeedProvider = {
  ids: (ctx, page) => store.listOpenIds(ctx.db, openTo(ctx, page)),
  list: async (ctx, page) =>
    (await store.listOpenPlain(ctx.db, openTo(ctx, page))).map((row): Need => {
      const { raised_by: from, raised_at: asked_at, ...notice } = wire(ctx, row);
      const { id, kind, title, text, choices, digest, expires_at, topic, ref, agents } = notice;
      const about = { topic, ref, agents };
      return { id, kind, title, text, from, asked_at, tool: "notice_settle", choices, digest, expires_at, ...about };
    }),
  tellPending,
  places: async () => [{ topic: TOPIC }],
};

/** Also of a notice that is another module's to answer: whoever asks is told in the same words. */
export async function tellPending(ctx: TxCtx, id: number, until: string): Promise<void> {
  // It waits for the actor, so it is there.
  const row = (await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id })) as NamedNoticeRow;
  await tellPutOff(ctx, row, until);
}

const openTo = (ctx: Ctx, page: NeedPage) => {
  const { space_id, principal_id } = ctx.actor;
  return { space_id, principal_id, now: isoNow(ctx), ...page };
};

/** What waits for the actor, whatever module it is of, newest first: what was not put off, or what was. */
export const listNeeds = (ctx: Ctx, { everywhere, ...page }: ListNeeds): Promise<NeedList> =>
  everywhere ? listEverywhere(ctx, page) : listHere(ctx, page);

type Page = Omit<ListNeeds, "everywhere">;

/** The one question that goes to several spaces: each is asked as the actor that it is there, and what it answers is merged. */
async function listEverywhere(outer: Ctx, page: Page): Promise<NeedList> {
  const lists: (NeedList & { space: string })[] = [];
  for (const actor of await actorsEverywhere(outer)) {
    // Nobody else waits until all of them are asked.
    await setImmediate();
    if (has(actor, ...ONLOOKERS)) lists.push({ ...(await listHere({ ...outer, actor }, page)), space: actor.space_id });
  }
  const found = lists
    .flatMap(({ needs, space }) => needs.map((need) => ({ ...need, space })))
    .sort((a, b) => parseId(b.id) - parseId(a.id) || a.space.localeCompare(b.space));
  // Spaces count for themselves: what has the same id as the last of a page comes with it, since the next begins below.
  const last = found[page.limit - 1];
  const needs = last ? found.filter(({ id }) => parseId(id) >= parseId(last.id)) : found;
  const more = needs.length < found.length || lists.some(({ next }) => next !== null);
  const count = Math.min(
    MOST_COUNTED,
    lists.reduce((sum, list) => sum + list.count, 0),
  );
  return { needs, count, next: more ? (needs.at(-1)?.id ?? null) : null };
}

async function listHere(ctx: Ctx, { limit, before, put_off }: Page): Promise<NeedList> {
  const hidden = await putOffBy(ctx);
  const before_id = startOf(before);
  const found = put_off
    ? await listHidden(ctx, hidden, { before_id, limit: limit + 1 })
    : await listOpen(ctx, hidden, { before_id, limit: limit + 1 });
  const { shown: needs, next } = page(found, limit, ({ id }) => parseId(id));
  return { needs, count: await count(ctx, hidden), next };
}

async function listOpen(ctx: Ctx, hidden: PutOffs, { before_id, limit }: NeedPage): Promise<NeedItem[]> {
  const page = { before_id, limit: limit + hidden.size };
  return (await Promise.all(ctx.needs.map((provider) => provider.list(ctx, page))))
    .flat()
    .filter(({ id }) => !hidden.has(parseId(id)))
    .sort((a, b) => parseId(b.id) - parseId(a.id))
    .slice(0, limit)
    .map((need) => ({ ...need, put_off_until: null }));
}

/** One by one: among all that waits they may be few and far between. */
async function listHidden(ctx: Ctx, hidden: PutOffs, { before_id, limit }: NeedPage): Promise<NeedItem[]> {
  const found: NeedItem[] = [];
  for (const [ref, put_off_until] of [...hidden].sort(([a], [b]) => b - a)) {
    if (found.length === limit) break;
    if (ref >= before_id) continue;
    const page = { before_id: ref + 1, limit: 1 };
    const needs = (await Promise.all(ctx.needs.map((provider) => provider.list(ctx, page)))).flat();
    // What was dealt with meanwhile comes back no more.
    const need = needs.find(({ id }) => parseId(id) === ref);
    if (need) found.push({ ...need, put_off_until });
  }
  return found;
}

export const openNeeds = (ctx: Ctx): Promise<NeedList> => listHere(ctx, { limit: MOST_COUNTED, put_off: false });

/** Of what `listNeeds` lists; no further than anybody tells apart. */
async function count(ctx: Ctx, hidden: PutOffs): Promise<number> {
  const page = { before_id: FROM_THE_TOP, limit: MOST_COUNTED + hidden.size };
  const ids = (await Promise.all(ctx.needs.map((provider) => provider.ids(ctx, page)))).flat();
  return Math.min(MOST_COUNTED, ids.filter((id) => !hidden.has(id)).length);
}

type PutOffs = ReadonlyMap<number, string>;

/** Until when, by what it is. */
export async function putOffBy(ctx: Ctx): Promise<PutOffs> {
  const { space_id, principal_id } = ctx.actor;
  const rows = await store.listPutOff(ctx.db, { space_id, principal_id, now: isoNow(ctx) });
  return new Map(rows.map(({ ref, until_at }) => [ref, until_at]));
}

interface NeedsPart {
  count: number;
  needs: NeedItem[] | null;
  /** Where `need_list` goes on behind the newest; null where these are all. */
  next: string | null;
  put_off: NeedItem[] | null;
}

/** How much there is; the newest of it, with what was put off, for the page that is about it. */
export const needsGlance = defineGlance({
  part: "needs",
  read: async (ctx, full): Promise<NeedsPart> => {
    if (!full) return { count: await count(ctx, await putOffBy(ctx)), needs: null, next: null, put_off: null };
    const { needs: put_off } = await listNeeds(ctx, { limit: MOST_COUNTED, put_off: true });
    return { ...(await openNeeds(ctx)), put_off };
  },
  watch: watchNeeds,
});

// One function for all who watch: a door works out once what everybody with the same one is told.
const changed: Watch["hint"] = ({ topic }) => ({ topic });

export async function watchNeeds(ctx: Ctx): Promise<Watch> {
  const places = await Promise.all(ctx.needs.map((provider) => provider.places(ctx)));
  return { places: [{ topic: NEED_TOPIC, stream: ctx.actor.principal_id }, ...places.flat()], hint: changed };
}
