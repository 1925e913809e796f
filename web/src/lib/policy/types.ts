import type { Tools } from "#lib/hub/types.ts";

export type Policy = Tools["policy_get"]["output"];
export type Approval = Tools["approval_list"]["output"]["approvals"][number];
export type Preview = Tools["policy_preview"]["output"];
export type History = Tools["policy_history"]["output"];
