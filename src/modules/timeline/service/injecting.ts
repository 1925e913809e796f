/**
 * What people said becomes part of an agent's log: each message once, in its order. The entries and the mark are written
 * in one transaction, so whoever dies in between has done nothing; and what was written but never arrived at the runtime
 * is given again, since the runtime says what it has.
 */
import type { Ctx, TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import { formatId, parseId } from "../../../ids.ts";
import { fittingPage } from "../../../pages.ts";
import { type Message, type Page, readSince } from "../../chat/index.ts";
import type { AgentRow } from "../../identity/index.ts";
import type { Inputs, NextInputs } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow, SubscriptionRow } from "../tables.ts";
import { CONTROL } from "./events.ts";
import { asRuntime, fenced, takenOf } from "./fencing.ts";
import { log, type NewEntry } from "./logging.ts";
import { noteHeard } from "./silence.ts";
import { waitingCalls } from "./taking.ts";
import type { Held } from "./turns.ts";
import { idOrNull, isoNow, logEvent, own } from "./wire.ts";

const CHAT_SERVER = "chat";
const PAGE = 500;

const inboxOf = ({ principal_id, name }: AgentRow) => ({
  principal_id,
  server: CHAT_SERVER,
  uri: `ui://chat/${name}/inbox`,
});

/** The subscription that the agent's runtime has from its start on, and nobody ends. */
export const pinnedInbox = (
  agent: AgentRow,
  { fence, ...at }: { fence: number } & Pick<SubscriptionRow, "created_at" | "last_error">,
): SubscriptionRow => ({ ...inboxOf(agent), is_pinned: 1, is_present: 1, active_fence: fence, ...at });

/** What came for the agent after what its runtime has; waits for it if asked to. Listens first, then reads. */
export async function next(ctx: Ctx, input: NextInputs): Promise<Inputs> {
  const agent = await own(ctx, input.agent);
  const wait_ms = input.wait_seconds * 1000;
  const stream = agent.principal_id;
  const chat = { topic: "chat", stream: formatId(agent.inbox_id) };
  using waiter = wait_ms > 0 ? await ctx.wait?.(chat, { topic: CONTROL, stream }) : undefined;
  const until = performance.now() + wait_ms;
  for (;;) {
    const found = await look(ctx, agent, input);
    const is_news = found.events.length > 0 || found.over !== null || isNews(found, input) || isCalled(found, input);
    if (is_news || !waiter) return found;
    const woken = await waiter.next(until - performance.now());
    if (woken !== "event") return found;
  }
}

const isNews = ({ paused, abort_turn_id, tools_off }: Inputs, { heard = {} }: NextInputs): boolean =>
  paused !== (heard.paused ?? false) ||
  abort_turn_id !== (heard.abort_turn_id ?? null) ||
  tools_off !== (heard.tools_off ?? false);

/** Those that it knows of it takes, or has taken: they are no reason to ask again and again. */
const isCalled = ({ calls }: Inputs, { heard }: NextInputs): boolean =>
  calls.some(({ id }) => !heard?.calls?.includes(id));

async function look(ctx: Ctx, agent: AgentRow, input: NextInputs): Promise<Inputs> {
  const row = await fenced(ctx, agent, input.fence);
  await noteHeard(ctx, agent, row);
  const mark = await store.findMark(ctx.db, { ...inboxOf(agent), space_id: ctx.actor.space_id });
  const has_new = await hasNew(ctx, mark);
  const injected = has_new ? await inject(ctx, input) : { has_more: false };
  const { space_id } = ctx.actor;
  const where = { space_id, principal_id: agent.principal_id };
  const after_id = input.after_id === null ? 0 : parseId(input.after_id);
  const ahead = await store.listInputSizes(ctx.db, { ...where, after_id, limit: PAGE + 1 });
  const { shown, has_more } = fittingPage(ahead, PAGE);
  const [first, last] = [shown[0], shown.at(-1)];
  const rows = first && last ? await store.listInputs(ctx.db, { ...where, first_id: first.id, last_id: last.id }) : [];
  return {
    events: rows.map((row) => logEvent(row)),
    has_more: injected.has_more || has_more,
    paused: row.paused_at !== null,
    abort_turn_id: idOrNull(row.abort_turn_id),
    tools_off: row.tools_off_at !== null,
    calls: input.heard?.calls ? await waitingCalls(ctx, agent.principal_id) : [],
    over: await overOf(ctx, row, input),
  };
}

/** How the turn has ended that the runtime is at, where the hub did that. */
async function overOf(ctx: Ctx, row: RuntimeRow, { heard }: NextInputs): Promise<Inputs["over"]> {
  const id = heard?.turn_id === undefined ? null : parseId(heard.turn_id);
  if (id === null || id === row.turn_id) return null;
  const turn = await store.findTurn(ctx.db, { space_id: ctx.actor.space_id, id });
  if (turn?.principal_id !== row.principal_id || turn.outcome === null) return null;
  return { outcome: turn.outcome, after_id: takenOf(row) };
}

/** Also when the mark is one from which nobody can read on: that is seen to by `inject`. */
async function hasNew(ctx: Ctx, mark: number | null): Promise<boolean> {
  const after_id = mark === null ? null : formatId(mark);
  return readSince(ctx, { after_id, limit: 1 }).then(
    ({ messages }) => messages.length > 0,
    (error: unknown) => {
      if (isLostMark(error)) return true;
      throw error;
    },
  );
}

const isLostMark = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.code.startsWith("WATERMARK");

function inject(ctx: Ctx, input: NextInputs): Promise<{ has_more: boolean }> {
  return asRuntime(ctx, input, async (ctx, { agent, row }) => {
    const place = inboxOf(agent);
    const mark = await store.findMark(ctx.tx, { ...place, space_id: ctx.tx.space_id });
    const { page, gap } = await readOn(ctx, { agent, row }, mark);
    const news = page.messages.filter(({ author }) => author === "user").map((message) => entryOf(message, row));
    const fresh = gap === undefined ? news : await unknownOf(ctx, agent, news);
    const notice = gap === undefined ? [] : [noticeOf(gap, page.last_id)];
    if (fresh.length + notice.length > 0) await log(ctx, agent, [...notice, ...fresh]);
    await hit("consumer.after_inject", "hub");
    const last_id = page.last_id === null ? 0 : parseId(page.last_id);
    await store.saveMark(ctx.tx, { ...place, last_id, updated_at: isoNow(ctx) });
    await hit("consumer.after_watermark", "hub");
    return { has_more: page.has_more };
  });
}

/** Where the mark is one that there is nothing behind, or no longer: why, and what is read instead. */
async function readOn(ctx: TxCtx, { agent, row }: Held, mark: number | null): Promise<{ page: Page; gap?: string }> {
  const from = (after: number | null) =>
    readSince(ctx, { after_id: after === null ? null : formatId(after), limit: PAGE });
  try {
    return { page: await from(mark) };
  } catch (error) {
    if (!isLostMark(error)) throw error;
    const kept = error.details?.first_id;
    const behind = typeof kept === "string" ? parseId(kept) : await lastInjected(ctx, agent);
    const at = { fence: row.fence, created_at: isoNow(ctx), last_error: error.message };
    await store.saveSubscription(ctx.tx, pinnedInbox(agent, at));
    return { page: await from(behind), gap: error.message };
  }
}

/** The mark says nothing any more; the log does. */
async function lastInjected(ctx: TxCtx, { principal_id }: AgentRow): Promise<number | null> {
  const body = await store.findLastUserText(ctx.tx, principal_id);
  const { chat_id }: { chat_id?: number } = body === null ? {} : JSON.parse(body);
  return chat_id ?? null;
}

async function unknownOf(ctx: TxCtx, { principal_id }: AgentRow, news: readonly NewEntry[]): Promise<NewEntry[]> {
  const known = await Promise.all(news.map(({ key }) => store.findEventByKey(ctx.tx, { principal_id, key })));
  return news.filter((_, at) => known[at] === null);
}

const entryOf = ({ id, author_principal, mime, content }: Message, { turn_id }: RuntimeRow): NewEntry => ({
  ...{ type: "UserText", key: `chat:${id}`, turn_id, chat_id: parseId(id) },
  ...{ author: author_principal, mime, content },
});

const noticeOf = (why: string, last_id: string | null): NewEntry => ({
  ...{ type: "Notice", key: `gap:${last_id}:${why.slice(0, 100)}`, turn_id: null },
  text: `The place up to which messages were taken in was not good: ${why} It was set anew, and no message is taken in twice.`,
});
