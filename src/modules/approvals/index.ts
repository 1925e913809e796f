import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export {
  type AskApproval,
  DecidedVia,
  Outcome as ApprovalOutcome,
  Requested,
  State as ApprovalState,
} from "./schema.ts";
export {
  canonicalArguments,
  checkFit,
  endedBy as endedByDenial,
  findOutcome,
  findRequested,
  finishCall,
  get as findApproval,
  HUB_SERVER,
  letThrough,
  readSchema,
  requestFor as requestApprovalFor,
  ruleOn,
  settleCalls,
  TOPIC as APPROVALS_TOPIC,
  takeBackCalls,
  withdrawCalled,
  withdrawOpen,
} from "./service.ts";

export const approvals = {
  name: "approvals",
  servers: [],
  tools,
  resources,
  // An agent is told of its own, as by what keeps it going.
  topics: [{ name: service.TOPIC, given_by: [], streams: service.streams, wire: service.wire }],
  needs: service.approvalNeeds,
  explains: service.approvalsExplain,
  waiting: service.approvalWaiting,
  due: service.approvalsDue,
  guards: service.guard,
  with: { "agent.deleted": service.forgetAgent },
  tables: ["policies", "approvals", "approval_runtimes", "policy_proposals"],
  long_tables: ["approvals"],
} satisfies Module;
