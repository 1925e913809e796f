import type { Ctx } from "../../context.ts";
import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { routes } from "./routes.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export type { LogEvent, NewEvent } from "./schema.ts";
export { noteTools, SILENT_MS } from "./service.ts";
export { listInHub } from "./store.ts";

export const timeline = {
  name: "timeline",
  servers: ["loop"],
  tools,
  resources,
  routes,
  topics: [
    {
      name: service.TOPIC,
      given_by: ["timeline_read"],
      streams: (ctx: Ctx, agent) => service.streamsOf(ctx, agent),
      wire: service.wire,
    },
  ],
  explains: service.timelineExplains,
  mounts: service.mountProvider,
  calls: service.callProvider,
  guards: service.guard,
  with: service.followed,
  after: {
    "timeline.budgets": { topic: "tasks", types: ["budget.changed"], run: service.resumeWithinBudget },
    "timeline.quotas": {
      ...{ topic: "tasks", types: ["task.throttled", "task.unthrottled"], run: service.resumeAfterQuota },
    },
  },
  due: { ...service.runtimeDue, ...service.hostingDue },
  reopened: { runtimes: { row: service.reopenedRuntime }, turns: { row: service.reopenedTurn } },
  tables: [
    ...["runtimes", "subscriptions", "resource_watermarks", "run_events", "run_event_texts", "turns", "timeline"],
    "agent_calls",
  ],
  long_tables: ["run_events", "run_event_texts", "timeline", "agent_calls"],
} satisfies Module;
