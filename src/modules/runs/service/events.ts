/** What events of runs hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { dataOf, defineEvent, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Outcome } from "../schema.ts";
import type { PauseRow, RunRow } from "../tables.ts";

export const TOPIC = "run";

type RunFacts = Pick<RunRow, "kind" | "name" | "session_key" | "state" | "attempt"> & { run_id: string };
/** Of an attempt that is over, or of a run that had none. */
type Ending = { outcome?: Outcome; error?: string | null; exit_code?: number | null; cost_usd?: number | null };

const PLANNED = "run.planned";
export const runPlanned = defineRunEvent(PLANNED);
export const runStarted = defineRunEvent("run.started");
export const runStopping = defineRunEvent<Ending>("run.stopping");
export const runRequeued = defineRunEvent<Ending & { not_before: string }>("run.requeued");
export const runEnded = defineRunEvent<Ending>("run.ended");

const paused = defineEvent<PauseRow>({ topic: TOPIC, type: "run.paused" });
const resumed = defineEvent<{ by: string }>({ topic: TOPIC, type: "run.resumed" });

type Named = Pick<RunRow, "kind" | "name">;
const streakBegan = defineEvent<Named>({ topic: TOPIC, type: "streak.began" });
const streakEnded = defineEvent<Named>({ topic: TOPIC, type: "streak.ended" });
/** Something fails in a row from now on, or no longer. */
export const OF_STREAKS = [streakBegan.type, streakEnded.type];

/** By what it is for: whoever fired it follows its own. */
const streamOf = ({ kind, name }: Named): string => `${kind}:${name}`;

/** What each event of a run holds, and what this type of them does beside. */
function defineRunEvent<More extends object>(type: string) {
  const event = defineEvent<RunFacts & More>({ topic: TOPIC, type });
  return {
    ...event,
    tell(ctx: TxCtx, row: RunRow, more: More): Promise<number> {
      const { id, kind, name, session_key, state, attempt } = row;
      const data = { run_id: formatId(id), kind, name, session_key, state, attempt, ...more };
      const about = { stream: streamOf(row), data };
      return event.append(ctx, type === PLANNED ? { id, ...about } : { ref: id, ...about });
    },
  };
}

export const tellPaused = (ctx: TxCtx, data: PauseRow): Promise<number> => paused.append(ctx, { stream: "", data });

export const tellResumed = (ctx: TxCtx): Promise<number> =>
  resumed.append(ctx, { stream: "", data: { by: ctx.actor.name } });

export const tellStreak = (ctx: TxCtx, what: "began" | "ended", { kind, name }: Named): Promise<number> =>
  (what === "began" ? streakBegan : streakEnded).append(ctx, {
    stream: streamOf({ kind, name }),
    data: { kind, name },
  });

/** For what the run was that has ended, and what it has become. */
export const endedIn = (event: FeedEvent): Pick<RunRow, "kind" | "name" | "state"> => dataOf(event, runEnded.is);

/** Which run is to end, by an event that says so. */
export const stoppedIn = (event: FeedEvent): string | undefined =>
  runStopping.is(event) ? event.data.run_id : undefined;
