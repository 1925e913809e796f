import { AGENTS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import {
  ApprovalRef,
  ClaimApproval,
  FinishApproval,
  RecoverApprovals,
  Recovered,
  RequestApproval,
  Requested,
  WaitForApproval,
} from "../schema.ts";
import * as service from "../service.ts";

// For the programs that act for an agent: a model calls its tools, and never sees that they wait for somebody.

export const tools = [
  defineTool({
    name: "approval_request",
    title: "Ask whether a call may be made",
    description:
      "Says what the policy says of a tool call, and asks the people here where that is to ask. Wait with approval_wait, and run only what approval_claim gives.",
    roles: AGENTS,
    unlisted: true,
    upkeep: "program",
    writes: true,
    input: RequestApproval,
    output: Requested,
    run: service.request,
  }),
  defineTool({
    name: "approval_wait",
    title: "Wait for a decision",
    description: "Returns once your request is decided or over, or still pending when the time is up.",
    roles: AGENTS,
    unlisted: true,
    upkeep: "program",
    waits: { isPending: ({ state }) => state === "pending", place: ({ id }) => id },
    input: WaitForApproval,
    output: Requested,
    run: service.waitFor,
  }),
  defineTool({
    name: "approval_claim",
    title: "Take what was allowed, to run it",
    description: "Gives the arguments to run, once: to the first holder that claims them, and to nobody else.",
    roles: AGENTS,
    unlisted: true,
    upkeep: "runtime",
    writes: true,
    input: ClaimApproval,
    output: Requested,
    run: service.claim,
  }),
  defineTool({
    name: "approval_finish",
    title: "Say how a call ended",
    description: "Notes that what you claimed was completed, or failed.",
    roles: AGENTS,
    unlisted: true,
    upkeep: "runtime",
    writes: true,
    input: FinishApproval,
    output: Requested,
    run: service.finish,
  }),
  defineTool({
    name: "approval_withdraw",
    title: "Take a request back",
    description: "Nobody needs to decide it any more. One that is over stays as it is.",
    roles: AGENTS,
    unlisted: true,
    upkeep: "program",
    writes: true,
    input: ApprovalRef,
    output: Requested,
    run: service.withdraw,
  }),
  defineTool({
    name: "approval_recover",
    title: "Begin as an agent's next runtime",
    description:
      "What an earlier runtime was running becomes unknown, and it claims nothing any more. Gives that, and what is still open.",
    roles: AGENTS,
    unlisted: true,
    upkeep: "runtime",
    writes: true,
    input: RecoverApprovals,
    output: Recovered,
    run: service.recover,
  }),
];
