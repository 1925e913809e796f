/**
 * For every tool, arguments that name something by its id or name: those of another space, and those that nobody has.
 * `src/isolation.test.ts` fails for a tool that is missing here.
 */

/** What arguments can name. */
export interface Ids {
  space: string;
  agent: string;
  person: string;
  message: string;
  mail: string;
  thread: string;
  task: string;
  notice: string;
  digest: string;
  trigger: string;
  topic: string;
  token: string;
  note: string;
  section: string;
  plan_task: string;
  question: string;
  checkpoint: string;
  approval: string;
  proposal: string;
}

type Case = (ids: Ids) => Record<string, unknown>;

/** Names, tokens and ids of spaces belong to the hub: that one is taken may be told (docs/design/identity.md). */
export const OF_THE_HUB: readonly string[] = [
  ...["token_create", "token_list", "token_revoke", "token_rotate", "space_list", "space_open"],
  ...["agent_register", "agent_ensure", "create_session"],
];

const none: Case = () => ({});
const HEX = "0".repeat(64);

export const CASES: Readonly<Record<string, Case>> = {
  add_note: ({ mail }) => ({ content: "x", links: [{ kind: "mail", ref: mail }] }),
  add_question: () => ({ question: "Which one?" }),
  add_tasks: ({ plan_task }) => ({ tasks: [{ description: "x", dependencies: [plan_task] }] }),
  checkpoint_answer: ({ question, checkpoint }) => ({
    answers: [{ question_id: question, answer: "x" }],
    checkpoint_id: checkpoint,
  }),
  checkpoint_wait: ({ checkpoint }) => ({ checkpoint_id: checkpoint, wait_seconds: 0 }),
  draft_diff: ({ section }) => ({ section_id: section }),
  draft_export: none,
  draft_history: ({ section }) => ({ section_id: section }),
  draft_move: ({ section }) => ({ section_id: section, place: 1 }),
  get_all_questions: none,
  get_answered_questions: none,
  get_pending_questions: none,
  note_tags: none,
  plan_link: ({ plan_task }) => ({ task_id: plan_task, other_id: plan_task }),
  plan_unlink: ({ plan_task }) => ({ task_id: plan_task, other_id: plan_task }),
  question_dismiss: ({ question }) => ({ question_id: question }),
  question_wait: ({ question }) => ({ question_id: question, wait_seconds: 0 }),
  question_withdraw: ({ question }) => ({ question_id: question }),
  read_draft: ({ section }) => ({ section_id: section }),
  read_notes: () => ({ query: "bravo" }),
  read_plan: none,
  read_section: ({ section }) => ({ section_name: section }),
  submit_answers: ({ question }) => ({ answers: [{ question_id: question, answer: "x" }] }),
  update_task: ({ plan_task }) => ({ task_id: plan_task, status: "in_progress" }),
  workflow_check: () => ({ output: "x" }),
  write_draft_section: () => ({ section_id: "own", content: "x", expected_version: 7 }),
  agent_abort: ({ agent }) => ({ agent }),
  agent_call: ({ agent }) => ({ agent, server: "files", tool: "read", key: "isolation", wait_seconds: 0 }),
  approval_claim: ({ approval }) => ({ id: approval, holder: "x" }),
  approval_decide: ({ approval }) => ({ id: approval, digest: HEX, decision: "approve" }),
  approval_decide_several: ({ approval }) => ({ approvals: [{ id: approval, digest: HEX }], decision: "approve" }),
  approval_finish: ({ approval }) => ({ id: approval, holder: "x", outcome: "completed" }),
  approval_get: ({ approval }) => ({ id: approval }),
  approval_list: ({ agent }) => ({ agent }),
  approval_recover: () => ({ fence: 1 }),
  approval_request: () => ({ key: "isolation", call_id: "c", server: "s", tool: "t", arguments: {} }),
  approval_wait: ({ approval }) => ({ id: approval, wait_seconds: 0 }),
  approval_withdraw: ({ approval }) => ({ id: approval }),
  policy_decide: ({ proposal }) => ({ id: proposal, digest: HEX, decision: "accept" }),
  policy_draft: ({ approval }) => ({ approval_id: approval }),
  policy_get: () => ({ version: 1 }),
  policy_history: none,
  policy_preview: () => ({ rule: { tool: "*", decision: "allow" } }),
  policy_proposals: none,
  policy_propose: () => ({ rule: { tool: "t", decision: "allow" }, reason: "x" }),
  policy_set: () => ({ document: { rules: [] }, expected_version: 7 }),
  agent_default: ({ agent }) => ({ name: agent }),
  agent_delete: ({ agent }) => ({ name: agent }),
  agent_find: ({ agent }) => ({ name: agent }),
  agent_heartbeat: none,
  agent_leave: none,
  agent_list: () => ({ all: true }),
  agent_report: () => ({ run_phase: "idle" }),
  agent_sessions: none,
  agent_fork: ({ agent }) => ({ agent, at_id: "1", name: "foreign-fork" }),
  agent_pause: ({ agent }) => ({ agent }),
  agent_resume: ({ agent }) => ({ agent }),
  agent_start: ({ agent }) => ({ agent, definition: "{}" }),
  agent_status: ({ agent }) => ({ agent }),
  agent_stop: ({ agent }) => ({ agent }),
  agent_tools: ({ agent }) => ({ agent, on: true }),
  budget_list: none,
  budget_set: () => ({ scope: "space", per_day: 100 }),
  chat_assistant_post: ({ agent }) => ({ content: "hello", agent }),
  chat_human_post: ({ agent }) => ({ content: "hello", agent }),
  chat_list: none,
  chat_mark_read: ({ message, agent }) => ({ id: message, agent }),
  chat_read_and_advance: ({ message, agent }) => ({ after_id: message, agent }),
  chat_read_before: ({ message, agent }) => ({ before_id: message, agent }),
  chat_read_marks: none,
  chat_read_since: ({ agent }) => ({ agent }),
  event_why: ({ message }) => ({ id: message }),
  get_next_task: () => ({ wait_seconds: 0 }),
  inbox_stats: none,
  login_create: ({ person }) => ({ name: person }),
  loop_yield_turn: none,
  mail_counts: none,
  mail_inbox: ({ agent }) => ({ agent }),
  mail_injected: ({ mail }) => ({ ids: [mail], channel: "hook", proof: "x" }),
  mail_look: ({ mail }) => ({ id: mail }),
  mail_offered: ({ mail }) => ({ ids: [mail], channel: "hook" }),
  mail_poll: () => ({ wait_seconds: 0 }),
  mail_publish: ({ topic }) => ({ topic, subject: "x", body: "x" }),
  mail_read: ({ mail }) => ({ id: mail }),
  mail_release: ({ agent }) => ({ agents: [agent] }),
  mail_reply: ({ mail }) => ({ id: mail, body: "x" }),
  mail_search: () => ({ query: "bravo" }),
  mail_send: ({ agent }) => ({ to: [agent], subject: "x", body: "x" }),
  mail_status: ({ mail }) => ({ id: mail }),
  mail_subscribe: ({ topic }) => ({ topic }),
  mail_thread: ({ thread }) => ({ id: thread }),
  mail_topics: none,
  mail_update: ({ mail }) => ({ id: mail, action: "archive" }),
  mail_wait: ({ thread }) => ({ thread_id: thread, wait_seconds: 0 }),
  need_later: ({ notice }) => ({ id: notice, until: "1h" }),
  need_list: () => ({ everywhere: true }),
  notice_list: () => ({ open: false }),
  notice_raise: () => ({ key: "isolation", kind: "note", title: "x" }),
  notice_settle: ({ notice, digest }) => ({ id: notice, digest }),
  notice_wait: ({ notice }) => ({ id: notice, wait_seconds: 0 }),
  notice_withdraw: ({ notice }) => ({ id: notice }),
  people_list: none,
  run_list: none,
  run_pause: none,
  run_permit: ({ agent }) => ({
    ...{ client_session_id: agent, call_id: "x", server: "claude-code", tool: "Bash" },
    ...{ arguments: "{}", can_wait: true },
  }),
  run_resume: none,
  run_show: ({ message }) => ({ id: message }),
  run_stop: ({ message }) => ({ id: message }),
  runtime_log: ({ agent }) => ({ agent }),
  runtime_next: ({ agent }) => ({ agent, fence: 1, after_id: null }),
  runtime_record: ({ agent }) => ({ agent, fence: 1, events: [{ type: "TurnStarted", key: "x" }] }),
  runtime_take: ({ agent, message }) => ({ agent, fence: 1, id: message, holder: "x" }),
  runtime_throttle: ({ agent }) => ({
    ...{ agent, fence: 1, turn_id: "1763366400000000", until: "2100-01-01T00:00:00Z", error: "x" },
  }),
  runtime_report: ({ agent }) => ({ agent, fence: 1, lifecycle: "ready" }),
  runtime_subscribe: ({ agent }) => ({ agent, fence: 1, server: "files", uri: "file:///a" }),
  runtime_unsubscribe: ({ agent }) => ({ agent, fence: 1, server: "files", uri: "file:///a" }),
  runtime_start: ({ agent }) => ({ agent, driver: "scripted" }),
  space_delete: ({ space }) => ({ id: space }),
  space_fill: ({ space }) => ({ id: space, rows: "" }),
  space_finish: ({ space }) => ({ id: space, rows: 0 }),
  space_glance: none,
  space_look: none,
  task_board: ({ task }) => ({ task_id: task }),
  task_cancel: ({ task }) => ({ task_id: task }),
  task_complete: ({ task }) => ({ task_id: task, response_summary: "x" }),
  task_create: ({ thread }) => ({ content: "x", thread_id: thread }),
  task_fail: ({ task }) => ({ task_id: task, error: "x" }),
  task_find: none,
  task_get: ({ task }) => ({ task_id: task }),
  task_heartbeat: ({ task }) => ({ task_id: task }),
  task_import: () => ({ tasks: [] }),
  task_list: () => ({ status: "pending" }),
  task_release: ({ task }) => ({ task_id: task, reason: "x" }),
  task_requeue: ({ task }) => ({ task_id: task }),
  task_update: ({ task }) => ({ task_id: task, content: "x" }),
  task_wait: ({ task }) => ({ task_ids: [task], wait_seconds: 0 }),
  throttle_set: () => ({ account: "bravo", off: true }),
  timeline_read: ({ agent }) => ({ agent }),
  timeline_text: ({ agent, message }) => ({ agent, id: message }),
  trigger_board: none,
  trigger_create: ({ trigger }) => ({ name: trigger, type: "manual", prompt: "x" }),
  trigger_delete: ({ trigger }) => ({ name: trigger }),
  trigger_get: ({ trigger }) => ({ name: trigger }),
  trigger_list: none,
  trigger_rotate: ({ trigger }) => ({ name: trigger }),
  trigger_run: ({ trigger }) => ({ name: trigger }),
  trigger_runs: ({ trigger }) => ({ name: trigger }),
  trigger_test: ({ trigger }) => ({ name: trigger }),
  trigger_update: ({ trigger }) => ({ name: trigger, description: "x" }),
  wake_list: none,
  whoami: none,
};

/** What stands in the templates of URIs, and in the paths of routes. */
export const variableOf = (name: string, ids: Ids, path: string): string => {
  const named: Record<string, string> = {
    agent: ids.agent,
    id: /sessions/.test(path) ? ids.space : /thread/.test(path) ? ids.thread : ids.mail,
    in: ids.space,
    name: ids.trigger,
    section: ids.section,
  };
  const value = named[name];
  if (value === undefined) throw new Error(`nothing is known to put for {${name}} in ${path}`);
  return value;
};

type Positions =
  | ("message" | "mail" | "thread" | "task" | "notice" | "note" | "plan_task")
  | ("question" | "checkpoint" | "approval" | "proposal");
export const UNKNOWN: Omit<Ids, Positions> = {
  section: "zulu_section",
  space: "sess_none",
  agent: "zulu-mason",
  person: "zulu-ben",
  digest: HEX,
  trigger: "zulu-hook",
  topic: "zulu-topic",
  token: "t_none",
};
