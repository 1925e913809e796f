/**
 * What agents may do by themselves, and what people decide. The first rule that matches decides; where that is to ask,
 * a person decides once, about exactly what was shown, and never who asked. What was allowed is handed out once, what
 * was denied or not decided never. An end that nobody chose is no refusal. See docs/design/approvals.md.
 */
import type { DueHandler } from "../../module.ts";
import { EXPIRE, expireApproval } from "./service/ending.ts";

export { findRequested, request, requestFor } from "./service/asking.ts";
export { HUB_SERVER } from "./service/built-in.ts";
export { canonicalArguments } from "./service/canonical.ts";
export { claim, finish, recover } from "./service/claiming.ts";
export { decide, decideSeveral } from "./service/deciding.ts";
export { withdraw, withdrawOpen } from "./service/ending.ts";
export { POLICY_CHANGED, streams, TOPIC, wire } from "./service/events.ts";
export { approvalsExplain } from "./service/explaining.ts";
export { checkFit, readSchema } from "./service/fitting.ts";
export { forgetAgent } from "./service/forgetting.ts";
export { endedBy, guard, withdrawCalled } from "./service/guarding.ts";
export { letThrough, ruleOn } from "./service/letting.ts";
export { findOutcome, get, list } from "./service/listing.ts";
export { approvalNeeds, approvalWaiting } from "./service/needs.ts";
export { getPolicy, listVersions, setPolicy } from "./service/policies.ts";
export { preview } from "./service/previewing.ts";
export { decideProposal, draft, listProposals, propose } from "./service/proposing.ts";
export { finishCall, settleCalls, takeBackCalls } from "./service/settling.ts";
export { waitFor } from "./service/waiting.ts";

export const approvalsDue: Record<string, DueHandler> = { [EXPIRE]: expireApproval };
