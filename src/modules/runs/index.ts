import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export type { Can, Kind, RunDetails } from "./schema.ts";
export {
  announceNode,
  type Claimed,
  claim,
  type Ending,
  endedIn,
  endStreak,
  failUnclaimed,
  forgetSessions,
  giveUp,
  type Held,
  isConfigured,
  isGivenUp,
  isTold,
  KEPT_DAYS,
  keepTasks,
  listNodes,
  listTold,
  lookAgain,
  type NewRun,
  type Node,
  noteOutput,
  noteSession,
  plan,
  record,
  removeNode,
  renewNode,
  sessionOfRun,
  show,
  started,
  stoppedIn,
  TOPIC,
  tellSession,
  untell,
} from "./service.ts";
export { findByCookie, findNextTime, hasAttempts, listClaimable, listHeldBy, listOrphans } from "./store.ts";

export const runs = {
  name: "runs",
  servers: [],
  tools,
  resources,
  topics: [{ name: service.TOPIC, given_by: ["run_list"], streams: service.followable }],
  glance: service.runsGlance,
  explains: service.runsExplain,
  sessions: service.triggerSessions,
  due: { ...service.watchingDue, ...service.runRetention.due },
  after: { ...service.watchers, ...service.deferrals },
  with: { "approval.ruled": service.stopDenied, "approval.decided": service.stopDenied },
  plan: service.runRetention.plan,
  reopened: { runs: { row: service.reopenedRun } },
  tables: ["runs", "run_attempts", "run_outputs", "run_wakes", "run_sessions", "run_streaks", "run_pauses"],
  long_tables: ["runs"],
} satisfies Module;
