/** Of what no run of a trigger's program could tell its session people are asked, and what they answer is done. */
import type { TxCtx } from "../../../context.ts";
import type { Consumer, FeedEvent } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import * as notices from "../../notices/index.ts";
import * as runs from "../../runs/index.ts";
import * as tasks from "../../tasks/index.ts";
import { planRelays } from "./relaying.ts";

const PAGE = 100;
const GIVEN_UP = ["failed", "stopped"];

/** A run is over that was to tell of ends, and they are owed still. */
export async function askOfUntold(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { kind, state } = runs.endedIn(event);
  if (kind !== "trigger" || !GIVEN_UP.includes(state)) return;
  const told = await runs.listTold(ctx, event.ref);
  if (told.length === 0) return;
  const run_id = formatId(event.ref);
  const { error } = await runs.show(ctx, { id: run_id, after: 0 });
  for (const wake of told) await tasks.askUntold(ctx, { wake, run_id, why: error ?? "It was stopped." });
}

async function afterNotice(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const answer = await tasks.untoldIn(ctx, event);
  if (!answer) return;
  for (let after_id = 0, more = true; more; ) {
    const page = await tasks.listWakes(ctx, { after_id, limit: PAGE });
    for (const wake of page)
      if (wake.trigger_name === answer.trigger_name && (await runs.isGivenUp(ctx, wake)))
        await (answer.again ? runs.untell(ctx, wake) : tasks.consumeWake(ctx, wake));
    more = page.length === PAGE;
    after_id = parseId(page.at(-1)?.id ?? "0");
  }
  await planRelays(ctx);
}

export const untoldConsumers: Record<string, Consumer> = {
  "triggers.untold": { topic: notices.TOPIC, types: [notices.SETTLED], run: afterNotice },
};
