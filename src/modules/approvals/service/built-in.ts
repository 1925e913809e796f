import type { Rule } from "../schema.ts";

/** Under which name the hub's own tools are called: no mounted server may have it. */
export const HUB_SERVER = "parley";

/**
 * What everybody may do without a rule: say something in one's own chat, end one's turn, and read. Of reading, whatever
 * writes nothing, and what only notes that it was read.
 */
const ALLOWED = [
  ...["chat_assistant_post", "loop_yield_turn"],
  ...[
    "whoami",
    "agent_list",
    "agent_sessions",
    "agent_status",
    "space_list",
    "event_why",
    "policy_get",
    "timeline_read",
    "timeline_text",
  ],
  ...["chat_read_since", "chat_read_before", "chat_read_and_advance"],
  ...["mail_inbox", "mail_read", "mail_thread", "mail_search", "mail_wait", "mail_status", "mail_topics"],
  ...["read_notes", "note_tags", "read_draft", "read_section", "read_plan"],
  ...["get_pending_questions", "get_answered_questions", "get_all_questions", "question_wait", "checkpoint_wait"],
  ...["task_get", "task_list", "task_wait", "task_heartbeat", "inbox_stats"],
  ...["trigger_list", "trigger_get", "trigger_runs", "trigger_test"],
  // What the command line reads with, which no list shows.
  ...["agent_find", "people_list", "space_look", "mail_counts", "mail_look", "mail_poll", "notice_wait"],
  ...["draft_history", "draft_diff", "draft_export", "task_find", "trigger_board"],
  // Of the servers that its runtime has mounted.
  ...["resources_list", "resources_read", "resources_subscribe", "resources_unsubscribe"],
];

/** The end of every document. A rule of a person that says otherwise comes first, and counts. */
export const BUILT_IN: readonly Rule[] = ALLOWED.map((tool) => ({ tool, server: HUB_SERVER, decision: "allow" }));
