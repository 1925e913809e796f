export * from "./store/agents.ts";
export * from "./store/login-codes.ts";
export * from "./store/principals.ts";
export * from "./store/spaces.ts";
export * from "./store/tokens.ts";
export * from "./store/validity.ts";
