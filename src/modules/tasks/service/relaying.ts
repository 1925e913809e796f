import { z } from "zod";
import { because } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import { relay } from "../../mail/index.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";

const Payload = z.object({ from: z.string().nullable() });
const MOST_SUBJECT = 100;

/** The result goes to who asked for it, as mail from who worked on it, in the thread in which it was asked for. */
export const relayResult: DueHandler = async (ctx, { ref, payload }) => {
  const { from } = Payload.parse(payload);
  const row = await store.findTask(ctx.tx, { space_id: ctx.tx.space_id, id: ref });
  if (row?.relay_owed !== 1) return;
  if (from !== null && row.sender !== null)
    await relay(because(ctx, row.id), {
      from,
      to: row.sender,
      subject: subjectOf(row),
      body: bodyOf(row),
      thread_id: row.thread_id,
    });
  await store.noteRelayed(ctx.tx, row.id);
};

const HOW = { done: "Done", cancelled: "Cancelled", dead: "Failed", pending: "", processing: "" } as const;

function subjectOf({ status, content }: TaskRow): string {
  const line = content.trim().replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return `${HOW[status]}: ${[...line].slice(0, MOST_SUBJECT).join("")}`;
}

const bodyOf = ({ id, status, response_summary, error, attempt }: TaskRow): string =>
  response_summary ??
  `Task ${formatId(id)} is ${status} after ${attempt} attempts. The last error, in the worker's words:\n\n${error ?? ""}`;
