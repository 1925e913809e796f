export * from "./schema/approvals.ts";
export * from "./schema/policy.ts";
export * from "./schema/proposals.ts";
