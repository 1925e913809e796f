import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { DecidedVia, Outcome as ApprovalOutcome, Requested, State as ApprovalState } from "./schema.ts";
export {
  canonicalArguments,
  checkFit,
  findOutcome,
  findRequested,
  finishCall,
  get as findApproval,
  HUB_SERVER,
  letThrough,
  readSchema,
  request as requestApproval,
  requestFor as requestApprovalFor,
  ruleOn,
  settleCalls,
  TOPIC as APPROVALS_TOPIC,
  takeBackCalls,
  withdrawOpen,
} from "./service.ts";

export const approvals = {
  name: "approvals",
  servers: [],
  tools,
  resources,
  topics: [{ name: service.TOPIC, streams: service.streams, wire: service.wire }],
  needs: service.approvalNeeds,
  explains: service.approvalsExplain,
  waiting: service.approvalWaiting,
  due: service.approvalsDue,
  with: { "agent.deleted": service.forgetAgent },
  tables: ["policies", "approvals", "approval_runtimes", "policy_proposals"],
  long_tables: ["approvals"],
} satisfies Module;
