import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { routes } from "./routes.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export const triggers = {
  name: "triggers",
  servers: [],
  tools,
  resources,
  routes,
  topics: [{ name: service.TOPIC, given_by: ["trigger_list"], streams: async () => null }],
  explains: service.triggersExplain,
  sessions: service.toldSessions,
  due: { ...service.slotsDue, ...service.historyRetention.due, ...service.relayingDue },
  died: service.slotsDied,
  throttle_ms: service.relayingThrottle,
  with: {
    "task.completed": service.endWithTask,
    "task.cancelled": service.endWithTask,
    "task.dead": service.endWithTask,
    "run.ended": service.endWithRun,
  },
  after: { ...service.answerConsumers, ...service.untoldConsumers },
  plan: async (ctx, config) => {
    await service.historyRetention.plan(ctx, config);
    await service.planRelays(ctx);
  },
  unarchived: ["trigger_secrets"],
  // One without a secret would take any request.
  reopened: { triggers: { row: (row) => ({ ...row, enabled: 0, next_run: null }) } },
  tables: ["triggers", "trigger_secrets", "trigger_runs", "trigger_payloads"],
  long_tables: ["trigger_runs", "trigger_payloads"],
} satisfies Module;
