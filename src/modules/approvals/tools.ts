import { tools as approvals } from "./tools/approvals.ts";
import { tools as policy } from "./tools/policy.ts";
import { tools as requests } from "./tools/requests.ts";

export const tools = [...approvals, ...policy, ...requests];
