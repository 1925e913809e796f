import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { self } from "../../identity/index.ts";
import type { Answer, Notice, RaiseNotice } from "../schema.ts";
import * as store from "../store.ts";
import { BY_HUB, type NamedNoticeRow } from "../tables.ts";
import { EXPIRE } from "./settling.ts";
import { answerOf, isoNow, TOPIC, wire } from "./wire.ts";

/** As many as one agent may have people wait for at a time: more are not read, they are noise. */
const MOST_OPEN = 20;
/** As many texts as one notice gathers: from then on it only counts. */
const MOST_TEXTS = 10;

interface NewNotice {
  /** Unique among those of the hub in this space, as long as they are kept. */
  key: string;
  /** While one of that name is open, it tells of this as well, under the title for so many. */
  gather?: { name: string; title: (times: number) => string };
  /** The module's word for it. */
  kind: string;
  title: string;
  text: string;
  topic?: string;
  ref?: number;
  /** The names of those it is about. */
  agents?: readonly string[];
  choices?: readonly string[];
  expires_at?: string;
}

/** Tells the people of the transaction's space, in the name of the hub. Raised before, it stays what it was. */
export const raise = (ctx: TxCtx, notice: NewNotice): Promise<Notice> => raiseBy(ctx, BY_HUB, notice);

/** Tells them in the name of the agent that asks. */
export function raiseOwn(ctx: Ctx, { expires_seconds, ...notice }: RaiseNotice): Promise<Answer> {
  return transact(ctx, async (ctx) => {
    const { principal_id } = await self(ctx);
    const { choices, ...words } = notice;
    const expires_at = expires_seconds && new Date(ctx.now() + expires_seconds * 1000).toISOString();
    const made = { ...words, ...(choices && { choices }), ...(expires_at && { expires_at }) };
    return answerOf(await raiseBy(ctx, principal_id, made, () => refuseFlood(ctx, principal_id)));
  });
}

async function raiseBy(
  ctx: TxCtx,
  raised_by: string,
  notice: NewNotice,
  checkNew: () => Promise<void> = async () => {},
): Promise<Notice> {
  const { key, kind, title, text, topic = null, ref = null, expires_at = null, gather } = notice;
  const where = { space_id: ctx.tx.space_id, raised_by, key };
  // One transaction of a space at a time: nobody raises it between this look and the insert.
  const known = await store.findNoticeByKey(ctx.tx, where);
  if (known) return wire(ctx, known);
  const gathers = gather?.name ?? null;
  const gathering = gathers === null ? undefined : await store.findGathering(ctx.tx, { ...where, gathers });
  if (gather && gathering) return addTo(ctx, gathering, { title: gather.title(gathering.times + 1), text });
  await checkNew();
  const id = await append(ctx, { type: "notice.raised", topic: TOPIC, stream: raised_by, data: { kind } });
  const [agents, choices] = [listed(notice.agents), listed(notice.choices)];
  const words = { kind, title, text, topic, ref, agents, choices };
  await store.insertNotice(ctx.tx, { id, raised_by, key, gathers, ...words, expires_at });
  if (expires_at) await plan(ctx, { kind: EXPIRE, ref: id, at: Date.parse(expires_at) });
  // It was inserted in this transaction.
  return wire(ctx, (await store.findNoticeByKey(ctx.tx, where)) as NamedNoticeRow);
}

async function addTo(
  ctx: TxCtx,
  row: NamedNoticeRow,
  { title, text }: { title: string; text: string },
): Promise<Notice> {
  const { id, raised_by, kind } = row;
  const times = row.times + 1;
  const gathered = { times, title, text: times > MOST_TEXTS ? row.text : `${row.text}\n${text}` };
  await store.updateGathering(ctx.tx, { id, ...gathered });
  const event = { type: "notice.gathered", topic: TOPIC, stream: raised_by, ref: id };
  await append(ctx, { ...event, data: { kind, state: "open" } });
  return wire(ctx, { ...row, ...gathered });
}

const listed = (words: readonly string[] | undefined): string | null => (words ? JSON.stringify(words) : null);

async function refuseFlood(ctx: TxCtx, raised_by: string): Promise<void> {
  const { space_id } = ctx.tx;
  if ((await store.countOpenOf(ctx.tx, { space_id, raised_by, now: isoNow(ctx), most: MOST_OPEN })) < MOST_OPEN) return;
  throw new ParleyError(
    "TOO_MANY_NOTICES",
    `${MOST_OPEN} of your notices wait for a person already. Withdraw one with notice_withdraw, or wait for an answer.`,
  );
}
