export * from "./store/approvals.ts";
export * from "./store/listing.ts";
export * from "./store/policies.ts";
export * from "./store/proposals.ts";
