import { AGENTS, type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { parseId } from "../../../ids.ts";
import { type HolderRow, heartbeat, ownHolder } from "../../identity/index.ts";
import { raise } from "../../notices/index.ts";
import type { Added, AddQuestion } from "../schema.ts";
import * as store from "../store.ts";
import type { NewQuestionRow } from "../tables.ts";
import { EXPIRE } from "./due-kinds.ts";
import { tellAdded } from "./events.ts";
import { askByMail } from "./mailing.ts";
import { ANSWERED_WITH, isoNow } from "./wire.ts";
import { wordsOf } from "./words.ts";

/** As many as one agent may have people answer at a time: more are not read, they are noise. */
const MOST_OPEN = 20;

/** Asks the people of the space. The answer comes back by itself: nobody has to wait for it. */
export function ask(ctx: Ctx, input: AddQuestion): Promise<Added> {
  return transact(ctx, async (ctx) => {
    checkOptions(input);
    const asker = await ownHolder(ctx);
    await refuseFlood(ctx, asker);
    if (has(ctx.actor, ...AGENTS)) await heartbeat(ctx);
    return add(ctx, { asker, raised_by: asker.principal_id }, input);
  });
}

function checkOptions({ options, options_only, default: fallback }: AddQuestion): void {
  if (!options_only) return;
  if (!options) throw new ParleyError("INVALID_ARGUMENT", "options_only: there are no options to choose from.");
  if (fallback !== undefined && !options.includes(fallback))
    throw new ParleyError("INVALID_ARGUMENT", "default: it is none of the options, and no other answer is taken.");
}

interface Asking {
  /** To whom the answer goes. */
  asker: HolderRow;
  /** In whose name people are asked; the hub's if left out. */
  raised_by?: string;
}

export async function add(ctx: TxCtx, { asker, raised_by }: Asking, input: AddQuestion): Promise<Added> {
  const { question, context, options, expires_seconds } = input;
  const priority = input.priority === "blocking" ? "medium" : input.priority;
  const blocking = input.blocking || input.priority === "blocking";
  const expires_at = expires_seconds === undefined ? null : new Date(ctx.now() + expires_seconds * 1000).toISOString();
  const notice = {
    key: `question ${ctx.tx.takeId()}`,
    kind: "question",
    tool: ANSWERED_WITH,
    ...wordsOf(input),
    ...(options && { choices: options }),
    ...(expires_at && { expires_at }),
  };
  const { id: question_id } = await raise(ctx, notice, raised_by);
  const id = parseId(question_id);
  const row: NewQuestionRow = {
    id,
    asker_id: asker.principal_id,
    ...{ question, context, priority, blocking: blocking ? 1 : 0 },
    options: options ? JSON.stringify(options) : null,
    options_only: input.options_only ? 1 : 0,
    fallback: input.default ?? null,
    thread_id: blocking ? await askByMail(ctx, id, { ...input, asker }) : null,
  };
  await store.insertQuestion(ctx.tx, row);
  if (expires_at) await plan(ctx, { kind: EXPIRE, ref: id, at: Date.parse(expires_at) });
  await tellAdded(ctx, { ...row, asked_by: asker.name });
  return { question_id, state: "open", priority, blocking, expires_at };
}

async function refuseFlood(ctx: TxCtx, { principal_id: asker_id }: HolderRow): Promise<void> {
  if ((await store.countOpenOf(ctx.tx, { space_id: ctx.tx.space_id, now: isoNow(ctx), asker_id })) < MOST_OPEN) return;
  throw new ParleyError(
    "TOO_MANY_QUESTIONS",
    `${MOST_OPEN} of your questions wait for an answer already. Withdraw one with question_withdraw, or wait.`,
    { details: { limit: MOST_OPEN } },
  );
}
