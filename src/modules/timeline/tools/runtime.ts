import { AGENTS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import {
  Follow,
  Inputs,
  LogPage,
  NextInputs,
  Ok,
  ReadLog,
  Record,
  Recorded,
  ReportRuntime,
  RuntimeStarted,
  StartRuntime,
} from "../schema.ts";
import * as service from "../service.ts";

/** For programs that run an agent. */
export const runtimeTools = [
  defineTool({
    name: "runtime_start",
    title: "Begin to run an agent",
    description:
      "Begins to run your agent, from here on alone: what an earlier runtime of it writes is refused. Pins its subscription to the inbox. Returns the fence to name in every later call.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    secret: true,
    input: StartRuntime,
    output: RuntimeStarted,
    run: service.start,
  }),
  defineTool({
    name: "runtime_next",
    title: "What came for an agent",
    description:
      "Takes what people said into the agent's log, each message once, and returns what comes after after_id. Waits while there is nothing new, for at most wait_seconds.",
    roles: AGENTS,
    unlisted: true,
    waits: { isPending: ({ events }) => events.length === 0 },
    input: NextInputs,
    output: Inputs,
    run: service.next,
  }),
  defineTool({
    name: "runtime_record",
    title: "Record what an agent did",
    description:
      "Appends to the agent's log: the beginning and the end of a turn, what its model said and called, and what came of it. An event whose key is known is left out.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    input: Record,
    output: Recorded,
    run: service.record,
  }),
  defineTool({
    name: "runtime_report",
    title: "Report how a runtime is",
    description: "Tells that the runtime is ready, has stopped or has failed, and which servers it has mounted.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    input: ReportRuntime,
    output: Ok,
    run: service.report,
  }),
  defineTool({
    name: "runtime_subscribe",
    title: "Note what an agent follows",
    description:
      "Notes that the agent follows a resource of a server that its runtime has mounted, so that it is followed again after a restart. parley://subscriptions lists it.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    input: Follow,
    output: Ok,
    run: service.subscribe,
  }),
  defineTool({
    name: "runtime_unsubscribe",
    title: "Note what an agent follows no more",
    description: "Ends a subscription that runtime_subscribe noted. The agent's own inbox stays: it is pinned.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    input: Follow,
    output: Ok,
    run: service.unsubscribe,
  }),
  defineTool({
    name: "runtime_log",
    title: "Read an agent's log",
    description: "Returns the end of the agent's log, or what comes before before_id, oldest first, in full.",
    roles: AGENTS,
    unlisted: true,
    input: ReadLog,
    output: LogPage,
    run: service.readLog,
  }),
];
