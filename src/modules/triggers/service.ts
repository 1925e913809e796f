/**
 * What fires by time, by a request from outside or by hand, and becomes a task. Invariants: a slot fires once, across
 * nodes and restarts; a delivery fires once, however often it is sent, and is durable before it is answered; what came
 * from outside stays data; a secret leaves the hub once, when it was made here; a run is over exactly when what it
 * became is. See docs/design/triggers.md.
 */
export { answerConsumers } from "./service/answers.ts";
export { board } from "./service/boarding.ts";
export { create, get, list, remove, rotate, update } from "./service/defining.ts";
export { TOPIC } from "./service/events.ts";
export { run, test } from "./service/firing.ts";
export {
  endWithRun,
  endWithTask,
  historyRetention,
  list as listRuns,
  triggersExplain,
} from "./service/history.ts";
export { receive } from "./service/receiving.ts";
export { planRelays, relayingDue, relayingThrottle, toldSessions } from "./service/relaying.ts";
export { slotsDied, slotsDue } from "./service/slots.ts";
export { untoldConsumers } from "./service/untold.ts";
