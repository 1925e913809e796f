import { setImmediate } from "node:timers/promises";
import { type Ctx, has, ONLOOKERS, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { DueHandler, Need, NeedPage, NeedProvider } from "../../../module.ts";
import type { Watch } from "../../../resource.ts";
import { parseTime } from "../../../times.ts";
import { actorsEverywhere } from "../../identity/index.ts";
import { type ListNeeds, MOST_COUNTED, type NeedList, type PutOff } from "../schema.ts";
import * as store from "../store.ts";
import type { NamedNoticeRow } from "../tables.ts";
import { aboutOf, isoNow, TOPIC, wire } from "./wire.ts";

const AGAIN = "need.again";
/** As much as one person puts off at a time: each list looks past all of it. */
const MOST_PUT_OFF = 200;
const FROM_THE_TOP = Number.MAX_SAFE_INTEGER;

/** What of notices waits for the actor. */
export const noticeNeeds: NeedProvider = {
  ids: (ctx, page) => store.listOpenIds(ctx.db, openTo(ctx, page)),
  list: async (ctx, page) =>
    (await store.listOpenNotices(ctx.db, openTo(ctx, page))).map((row): Need => {
      const { raised_by: from, raised_at: asked_at, ...notice } = wire(ctx, row);
      const { id, kind, title, text, choices, digest, expires_at, topic, ref, agents } = notice;
      const about = { topic, ref, agents };
      return { id, kind, title, text, from, asked_at, tool: "notice_settle", choices, digest, expires_at, ...about };
    }),
  tellPending: async (ctx, id, until) => {
    // It waits for the actor, so it is there.
    const row = (await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id })) as NamedNoticeRow;
    const event = { type: "notice.pending", topic: TOPIC, stream: row.raised_by, ref: id };
    await append(ctx, { ...event, data: { ...aboutOf(row), state: "pending", until } });
  },
  places: async () => [{ topic: TOPIC }],
};

const openTo = (ctx: Ctx, page: NeedPage) => {
  const { space_id, principal_id } = ctx.actor;
  return { space_id, principal_id, now: isoNow(ctx), ...page };
};

/** What waits for the actor and was not put off, whatever module it is of, newest first. */
export const listNeeds = (ctx: Ctx, { limit, before, everywhere }: ListNeeds): Promise<NeedList> =>
  everywhere ? listEverywhere(ctx, { limit, before }) : listHere(ctx, { limit, before });

type Page = Pick<ListNeeds, "limit" | "before">;

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

async function listHere(ctx: Ctx, { limit, before }: Page): Promise<NeedList> {
  const hidden = await putOffBy(ctx);
  const page = { before_id: before ? parseId(before) : FROM_THE_TOP, limit: limit + 1 + hidden.size };
  const found = (await Promise.all(ctx.needs.map((provider) => provider.list(ctx, page))))
    .flat()
    .filter(({ id }) => !hidden.has(parseId(id)))
    .sort((a, b) => parseId(b.id) - parseId(a.id));
  const needs = found.slice(0, limit);
  const last = needs.at(-1);
  return { needs, count: await count(ctx, hidden), next: last && found.length > limit ? last.id : null };
}

export const openNeeds = (ctx: Ctx): Promise<NeedList> => listHere(ctx, { limit: MOST_COUNTED });

/** Of what `listNeeds` lists; no further than anybody tells apart. */
async function count(ctx: Ctx, hidden: ReadonlySet<number>): Promise<number> {
  const page = { before_id: FROM_THE_TOP, limit: MOST_COUNTED + hidden.size };
  const ids = (await Promise.all(ctx.needs.map((provider) => provider.ids(ctx, page)))).flat();
  return Math.min(MOST_COUNTED, ids.filter((id) => !hidden.has(id)).length);
}

async function putOffBy(ctx: Ctx): Promise<Set<number>> {
  const { space_id, principal_id } = ctx.actor;
  return new Set(await store.listPutOff(ctx.db, { space_id, principal_id, now: isoNow(ctx) }));
}

/** Not now: it is out of this person's list until then, and of nobody else's; whoever asks is told so. */
export function putOff(ctx: Ctx, { id, until }: PutOff): Promise<{ id: string; until: string }> {
  return transact(ctx, async (ctx) => {
    const { space_id, principal_id } = ctx.actor;
    const at = parseTime(ctx, until, { what: "until" });
    const ref = parseId(id);
    const { tellPending } = await providerOf(ctx, ref);
    const known = await store.findLater(ctx.tx, { space_id, principal_id, ref });
    if (known) await unplan(ctx, { kind: AGAIN, ref: known.id });
    else if ((await putOffBy(ctx)).size >= MOST_PUT_OFF)
      throw new ParleyError("LIMIT_REACHED", `You have put off ${MOST_PUT_OFF} already. Deal with some of them first.`);
    const later_id = await tell(ctx, principal_id, ref);
    const until_at = new Date(at).toISOString();
    await store.saveLater(ctx.tx, { principal_id, ref, id: later_id, until_at });
    await plan(ctx, { kind: AGAIN, ref: later_id, at });
    await tellPending(ctx, ref, until_at);
    return { id: formatId(ref), until: until_at };
  });
}

/** Of whichever module it is that this waits for the actor. */
async function providerOf(ctx: TxCtx, ref: number): Promise<NeedProvider> {
  for (const provider of ctx.needs)
    if ((await provider.ids(ctx, { before_id: ref + 1, limit: 1 })).includes(ref)) return provider;
  throw new ParleyError("NEED_NOT_FOUND", `Nothing with the id ${formatId(ref)} waits for you. See need_list.`);
}

/** To nobody but the person: for others nothing has changed. */
const tell = (ctx: TxCtx, principal_id: string, ref: number): Promise<number> =>
  append(ctx, { type: "need.changed", topic: "need", stream: principal_id, ref, data: {} });

export const needsDue: Record<string, DueHandler> = {
  [AGAIN]: async (ctx, { ref: id }) => {
    const later = await store.findLaterById(ctx.tx, id);
    if (!later) return;
    await store.deleteLater(ctx.tx, id);
    await tell(ctx, later.principal_id, later.ref);
  },
};

// One function for all who watch: a door works out once what everybody with the same one is told.
const changed: Watch["hint"] = () => ({});

export const watchNeeds = async (ctx: Ctx): Promise<Watch> => ({
  places: [
    { topic: "need", stream: ctx.actor.principal_id },
    ...(await Promise.all(ctx.needs.map(({ places }) => places(ctx)))).flat(),
  ],
  hint: changed,
});
