import type { Lookup } from "../../../tool.ts";

export const facets = ["mail"] as const;

/** What a command's words mean that name mail. */
export const MAIL: Lookup = {
  what: "mail",
  tool: "mail_search",
  list: "messages",
  short: true,
  between: ["after", "until"],
  latest: [{ folder: "inbox" }],
  code: "MAIL_NOT_FOUND",
};
export const TOPIC: Lookup = { what: "topic", tool: "mail_topics", list: "topics", field: "topic" };
