import { because } from "../../../feed/index.ts";
import type { DueHandler } from "../../../module.ts";
import { cut } from "../../../text.ts";
import { relay } from "../../mail/index.ts";
import * as store from "../store.ts";
import { stateOf } from "./wire.ts";
import { wordsOf } from "./words.ts";

const MOST_SUBJECT = 150;

/** The answer goes to who asked, as mail from who answered or handed it in. Once: with the row of `due` that asks for it. */
export const relayAnswer: DueHandler = async (ctx, { ref }) => {
  const row = await store.findQuestion(ctx.tx, { space_id: ctx.tx.space_id, id: ref });
  if (!row || row.answer === null || row.settled_by_name === null || stateOf(ctx, row) !== "answered") return;
  const { title } = wordsOf(row);
  await relay(because(ctx, row.id), {
    from: row.settled_by_name,
    to: row.asked_by,
    subject: `Answer: ${cut(title, MOST_SUBJECT)}`,
    body: `${row.answer}\n\nYou asked (question ${row.id}):\n\n${row.question.replace(/^/gm, "> ")}`,
    thread_id: row.thread_id,
  });
};
