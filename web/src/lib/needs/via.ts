import type { Tools } from "#lib/hub/types.ts";

type Via = Tools["approval_get"]["output"]["decided_via"];

const WORDS: Record<NonNullable<Via>, string> = {
  page: " on the page",
  cli: " at a terminal",
  mcp: " by MCP",
  http: " by HTTP",
  internal: " in the hub",
};

/** Where somebody decided, behind their name; nothing where that is not known. */
export const viaWords = (via: Via): string => (via === null ? "" : WORDS[via]);
