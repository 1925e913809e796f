/**
 * Programs that the hub starts for triggers, tasks and mail. Invariants: of one session one run is under way at a time,
 * the others wait in their order; an attempt belongs to one start of one node, is fenced by its number, and its token
 * ends in the transaction that ends it; how a run ended is recorded once, whatever its processes do; what could not
 * begin says what it waits for; what waits for an approval goes on once, and what was approved is run at most once. See docs/design/runner.md.
 */
export { type Claimed, claim } from "./service/claiming.ts";
export { deferrals } from "./service/deferring.ts";
export { endedIn, stoppedIn, TOPIC } from "./service/events.ts";
export { runsGlance } from "./service/glance.ts";
export { announceNode, isConfigured, listNodes, type Node, removeNode, renewNode } from "./service/nodes.ts";
export { permit } from "./service/permitting.ts";
export { isGivenUp, isTold, listTold, type NewRun, plan, tellSession, untell } from "./service/planning.ts";
export { followable, list, runsExplain, show } from "./service/reading.ts";
export {
  type Ending,
  failUnclaimed,
  giveUp,
  type Held,
  keepTasks,
  noteOutput,
  noteSession,
  record,
  started,
} from "./service/recording.ts";
export { reopenedRun } from "./service/reopening.ts";
export { KEPT_DAYS, runRetention } from "./service/retention.ts";
export { forgetSessions, sessionOfRun, triggerSessions } from "./service/sessions.ts";
export { pause, resume, stop, stopDenied } from "./service/stopping.ts";
export { endStreak } from "./service/streaks.ts";
export { lookAgain, watchers, watchingDue } from "./service/watching.ts";
