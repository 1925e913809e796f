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
  endStreak,
  failUnclaimed,
  forgetSessions,
  giveUp,
  type Held,
  isConfigured,
  isTold,
  KEPT_DAYS,
  listNodes,
  lookAgain,
  type NewRun,
  type Node,
  noteOutput,
  noteSession,
  plan,
  record,
  removeNode,
  renewNode,
  show,
  started,
  tellSession,
} from "./service.ts";
export { findByCookie, findNextTime, hasAttempts, listClaimable, listHeldBy, listOrphans } from "./store.ts";

export const runs = {
  name: "runs",
  servers: [],
  tools,
  resources,
  topics: [{ name: service.TOPIC, streams: async () => null, wire: ({ type, data }) => ({ type, ...data }) }],
  glance: service.runsGlance,
  explains: service.runsExplain,
  sessions: service.triggerSessions,
  due: { ...service.watchingDue, ...service.runRetention.due },
  after: service.watchers,
  plan: service.runRetention.plan,
  tables: ["runs", "run_attempts", "run_outputs", "run_wakes", "run_sessions", "run_streaks", "run_pauses"],
  long_tables: ["runs"],
} satisfies Module;
