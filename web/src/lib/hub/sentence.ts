import { exactTime } from "#lib/time.ts";
import { HubError } from "$client/index.ts";

/**
 * What went wrong, in words: the hub's own, without what it says to models, which is the tool that was called, the tools
 * to call instead, and the ids of what is shown here anyway. The id that the hub's log has a failure by stays.
 */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof HubError ? spoken(error.code, error.message) : error.message;
}

/** The same of what a resource holds instead of its contents. */
function spoken(code: string, message: string): string {
  if (Object.hasOwn(OWN, code)) return OWN[code] ?? message;
  const [first = "", ...more] = message.replace(TOOL_FIRST, "").split(/(?<=[.!?]) /);
  if (ROLES.test(first)) return "This is not for you to do.";
  // The first always stays: a name in it may look like a tool's.
  const shown = [first, ...more.filter((sentence) => !TOOL.test(sentence))].join(" ");
  return shown.replaceAll(STAMP, (ts) => exactTime(ts)).replaceAll("`", "");
}

/** Where the hub names an id, or how it was called. */
const OWN: Readonly<Record<string, string>> = {
  MAIL_NOT_FOUND: "There is no such mail for you here.",
  THREAD_NOT_FOUND: "There is no such conversation for you here.",
  NOTICE_NOT_FOUND: "This is no longer here to be answered.",
  IDEMPOTENCY_CONFLICT: "This was sent before, with something else in it.",
};

const TOOL_FIRST = /^[a-z]+(?:_[a-z]+)+: /;
const ROLES = /^[a-z]+(?:_[a-z]+)+ is for /;
const NOUNS =
  "agent|approval|budget|chat|checkpoint|draft|event|inbox|login|loop|mail|need|note|notice|people|plan|policy|question|run|runtime|space|task|throttle|timeline|token|trigger|wake|workflow";
const VERBS =
  "add_note|add_question|add_tasks|create_session|get_(?:all|answered|pending)_questions|get_next_task|read_(?:draft|notes|plan|section)|submit_answers|update_task|write_draft_section";
const TOOL = new RegExp(`\\b(?:(?:${NOUNS})_[a-z_]+|${VERBS})\\b`);
const STAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
