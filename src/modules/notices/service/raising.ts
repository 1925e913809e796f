import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { heartbeat, people, self } from "../../identity/index.ts";
import type { Answer, Notice, RaiseNotice } from "../schema.ts";
import * as store from "../store.ts";
import { BY_HUB, type NamedNoticeRow } from "../tables.ts";
import { tellGathered, tellRaised } from "./events.ts";
import { EXPIRE } from "./settling.ts";
import { answerOf, isoNow, MOST_TEXTS, wire } from "./wire.ts";

/** As many as one agent may have people wait for at a time: more are not read, they are noise. */
const MOST_OPEN = 20;

interface NewNotice {
  /** Unique among those of the hub in this space, as long as they are kept. */
  key: string;
  /** While one of that name is open, it tells of this as well, under the title for several, with how many at `{times}`. */
  gather?: { name: string; title: string };
  /** The person who alone is told, by the principal's id. */
  audience?: string;
  /** Of more than it says, where a decision is about more. */
  digest?: string;
  /** The module's word for it. */
  kind: string;
  /** By which tool of the module it is answered, where that is not `notice_settle`. The module then sees to its end. */
  tool?: string;
  title: string;
  text: string;
  topic?: string;
  ref?: number;
  /** What else of the topic it is about: the first of all these that is over ends it. */
  also?: readonly number[];
  /** The names of those it is about. */
  agents?: readonly string[];
  choices?: readonly string[];
  expires_at?: string;
}

/** Tells the people of the transaction's space, in the name of the hub or of a principal. Raised before, it stays what it was. */
export const raise = async (ctx: TxCtx, notice: NewNotice, raised_by = BY_HUB): Promise<Notice> =>
  wire(ctx, await raiseBy(ctx, raised_by, notice));

/** Tells them in the name of the agent that asks. */
export function raiseOwn(ctx: Ctx, { expires_seconds, ...notice }: RaiseNotice): Promise<Answer> {
  return transact(ctx, async (ctx) => {
    const { principal_id } = await self(ctx);
    await heartbeat(ctx);
    const { choices, audience, ...words } = notice;
    const expires_at = expires_seconds && new Date(ctx.now() + expires_seconds * 1000).toISOString();
    const made = {
      ...words,
      ...(choices && { choices }),
      ...(expires_at && { expires_at }),
      ...(audience !== undefined && { audience: await personNamed(ctx, audience) }),
    };
    return answerOf(ctx, await raiseBy(ctx, principal_id, made, () => refuseFlood(ctx, principal_id)));
  });
}

async function raiseBy(
  ctx: TxCtx,
  raised_by: string,
  notice: NewNotice,
  checkNew: () => Promise<void> = async () => {},
): Promise<NamedNoticeRow> {
  const { key, kind, title, text, topic = null, ref = null, expires_at = null, gather } = notice;
  const { audience = null, digest = null, tool = null } = notice;
  const where = { space_id: ctx.tx.space_id, raised_by, key };
  // One transaction of a space at a time: nobody raises it between this look and the insert.
  const known = await store.findNoticeByKey(ctx.tx, where);
  if (known) return known;
  const gathers = gather?.name ?? null;
  const gathering = gathers === null ? undefined : await store.findGathering(ctx.tx, { ...where, gathers });
  if (gathering) return addTo(ctx, gathering, notice);
  await checkNew();
  const id = await tellRaised(ctx, { kind, audience, raised_by });
  const [agents, choices] = [listed(notice.agents), listed(notice.choices)];
  const words = { kind, tool, title, title_many: gather?.title ?? null, text, topic, ref, agents, choices };
  const by_principal_id = raised_by === BY_HUB ? BY_HUB : ctx.actor.principal_id;
  await store.insertNotice(ctx.tx, {
    ...{ id, raised_by, by_principal_id, key, gathers, audience, digest, expires_at },
    ...words,
    ...toColumns(ctx.cause),
  });
  if (topic !== null && ref !== null) {
    const item = { notice_id: id, kind, topic, text };
    await store.insertItem(ctx.tx, { ...item, id, ref });
    for (const other of notice.also ?? []) await store.insertItem(ctx.tx, { ...item, id: ctx.tx.takeId(), ref: other });
  }
  if (expires_at && tool === null) await plan(ctx, { kind: EXPIRE, ref: id, at: Date.parse(expires_at) });
  // It was inserted in this transaction.
  return (await store.findNoticeByKey(ctx.tx, where)) as NamedNoticeRow;
}

async function addTo(ctx: TxCtx, row: NamedNoticeRow, { text, topic, ref }: NewNotice): Promise<NamedNoticeRow> {
  const { id: notice_id, kind } = row;
  const id = await tellGathered(ctx, row);
  if (topic !== undefined && ref !== undefined)
    await store.insertItem(ctx.tx, { notice_id, id, kind, topic, ref, text });
  const times = row.times + 1;
  const gathered = { times, ref: row.ref, text: times > MOST_TEXTS ? row.text : `${row.text}\n${text}` };
  await store.updateGathering(ctx.tx, { id: notice_id, ...gathered });
  return { ...row, ...gathered };
}

async function personNamed(ctx: TxCtx, name: string): Promise<string> {
  const person = (await people(ctx)).find((one) => one.name === name);
  if (person) return person.principal_id;
  throw new ParleyError("RECIPIENT_NOT_FOUND", `There is no person called ${name} here, so nobody was asked.`, {
    details: { recipient: name },
  });
}

const listed = (words: readonly string[] | undefined): string | null => (words ? JSON.stringify(words) : null);

/** Whoever speaks for several agents has no more than one of them. */
async function refuseFlood(ctx: TxCtx, raised_by: string): Promise<void> {
  const { space_id } = ctx.tx;
  const counted = { space_id, now: isoNow(ctx), most: MOST_OPEN };
  const of = await store.countOpenOf(ctx.tx, { ...counted, raised_by });
  const by = await store.countOpenBy(ctx.tx, { ...counted, by_principal_id: ctx.actor.principal_id });
  if (Math.max(of, by) < MOST_OPEN) return;
  throw new ParleyError(
    "TOO_MANY_NOTICES",
    `${MOST_OPEN} of your notices wait for a person already. Withdraw one with notice_withdraw, or wait for an answer.`,
  );
}
