import { common, type Entry, entry } from "./core/command.ts";
import { MADE_NAMES } from "./core/made-names.ts";
import type { MadeCommand } from "./core/tool-command.ts";

const policy = () => import("./approvals/policy.ts");
const identity = () => import("./identity/identity.ts");
const mcpHeaders = () => import("./mcp/headers.ts");
const hooks = () => import("./hooks/hooks.ts");

/** Those that are written by hand, by module, in the order in which help names them. */
const WRITTEN: readonly Entry[] = [
  common("serve", "run the hub in the foreground", () => import("./hub/serve.ts"), "serve"),
  common("status", "say whether the hub runs, and what to do next", () => import("./hub/status.ts"), "status"),
  common("login", "make a link that signs a browser in", () => import("./hub/login.ts"), "login"),
  common("open", "open the page in your browser, signed in", () => import("./hub/open.ts"), "open"),
  entry("logs", "read what the hub logs", () => import("./hub/logs.ts"), "logs"),
  entry("stop", "stop the hub", () => import("./hub/stop.ts"), "stop"),
  entry("audit verify", "check that nobody changed or cut the audit", () => import("./hub/audit.ts"), "verify"),
  entry("audit show", "show who did what last", () => import("./hub/audit.ts"), "show"),
  entry("call", "call any tool of the hub", () => import("./hub/call.ts"), "call"),
  entry("link", "put parley on your PATH", () => import("./hub/link.ts"), "link"),
  entry("version", "say which version this is", () => import("./hub/version.ts"), "version"),

  common("demo", "start a small agent that answers in the chat", () => import("./demo/demo.ts"), "demo"),

  common("chat send", "say something to an agent", () => import("./chat/chat.ts"), "send"),
  entry("chat read", "read what was said", () => import("./chat/chat.ts"), "read"),
  common("chat tail", "follow a chat as it goes on", () => import("./chat/tail.ts"), "tail"),

  entry("agent run", "run an agent: it hears the chat and works with tools", () => import("./agents/run.ts"), "run"),
  entry("output", "print all that a call on a timeline gave", () => import("./agents/output.ts"), "output"),
  entry("trust", "let agents that you run use this folder's .mcp.json", () => import("./agents/trust.ts"), "trust"),

  common("inbox", "list the mail that is not read", () => import("./mail/inbox.ts"), "inbox"),
  common("send", "send mail to agents or people", () => import("./mail/send.ts"), "send"),
  entry("sent", "list the mail that you sent", () => import("./mail/inbox.ts"), "sent"),
  entry("reply", "answer a mail", () => import("./mail/send.ts"), "reply"),
  common("read", "read a mail", () => import("./mail/inbox.ts"), "read"),
  entry("search", "find mail by its words", () => import("./mail/inbox.ts"), "search"),
  entry("thread", "read a thread", () => import("./mail/inbox.ts"), "thread"),
  entry("poll", "ask for new mail, or wait for it", () => import("./mail/poll.ts"), "poll"),
  entry("watch", "wait in the background until there is mail", () => import("./mail/watch.ts"), "watch"),
  entry("publish", "send mail to everybody who follows a topic", () => import("./mail/send.ts"), "publish"),
  entry("status-update", "tell people how far you are", () => import("./mail/status-update.ts"), "statusUpdate"),
  entry("wait", "wait for mail", () => import("./mail/wait.ts"), "wait"),

  entry("queue list", "list what waits for the hub", () => import("./outbox/queue.ts"), "list"),
  entry("queue drain", "send what waits now", () => import("./outbox/queue.ts"), "drain"),
  entry("queue clear", "throw away what waits", () => import("./outbox/queue.ts"), "clear"),
  entry("queue stats", "count what waits", () => import("./outbox/queue.ts"), "stats"),

  entry("notice settle", "answer a notice", () => import("./notices/notice.ts"), "settle"),

  entry("approvals decide", "approve or deny what agents ask to do", () => import("./approvals/decide.ts"), "decide"),
  entry("policy show", "see what agents may do by themselves", policy, "show"),
  entry("policy edit", "change what agents may do by themselves", () => import("./approvals/policy-edit.ts"), "edit"),
  entry("policy decide", "accept or reject a proposed rule", policy, "decide"),

  entry("ask", "ask the people something", () => import("./questions/ask.ts"), "ask"),
  entry("answer", "answer a question, or see what is asked", () => import("./questions/answer.ts"), "answer"),

  entry("draft export", "print the whole draft as a document", () => import("./workspace/export.ts"), "exportDraft"),
  entry("plan add", "add tasks to the plan", () => import("./workspace/plan.ts"), "add"),
  entry("plan list", "show the plan as a checklist", () => import("./workspace/plan.ts"), "list"),

  entry("task wait", "wait until a task has ended", () => import("./tasks/wait.ts"), "wait"),
  entry("task why", "see why a task is where it is, and what led to it", () => import("./tasks/why.ts"), "why"),
  entry("worker run", "work on tasks with a program, one after another", () => import("./tasks/worker.ts"), "run"),

  entry("runs tail", "follow what a run prints", () => import("./runs/tail.ts"), "tail"),

  entry("import atlas", "take over the queue and the triggers of Atlas", () => import("./import/atlas.ts"), "atlas"),

  entry("identity ensure", "make this session an agent, or say which one it is", identity, "ensure"),
  entry("identity restore", "resume as this session's agent", identity, "restore"),
  entry("identity save", "note where this session is working", identity, "save"),
  entry("identity current", "say who you are and why", identity, "current"),
  entry("identity set-default", "choose the agent of a project, for those without a session", identity, "setDefault"),
  entry("heartbeat", "say that you are there", () => import("./identity/heartbeat.ts"), "heartbeat"),

  entry("space open", "read the archive of a space that has ended", () => import("./spaces/open.ts"), "spaceOpen"),

  common("mcp", "serve MCP on stdin and stdout, for an agent's configuration", () => import("./mcp/mcp.ts"), "mcp"),
  entry(
    "mcp-config",
    "print the entry for Parley in a client's MCP settings",
    () => import("./mcp/config.ts"),
    "config",
  ),
  entry("mcp-headers", "print what Claude Code sends to be its session's agent", mcpHeaders, "headers"),

  common("hooks install", "let mail reach the sessions of Claude Code or Codex", hooks, "install"),
  entry("hooks status", "say which hooks are installed", hooks, "status"),
  entry("hooks uninstall", "take the hooks out of a client's settings again", hooks, "uninstall"),
  entry("hook", "answer a hook of an agent's client", () => import("./hooks/hook.ts"), "hook"),

  common("doctor", "look at everything, and say what to do about it", () => import("./doctor/doctor.ts"), "doctor"),

  entry("why", "see what led to something", () => import("./events/why.ts"), "why"),

  entry("schema", "describe the command line as JSON", () => import("./help/schema.ts"), "schema"),
  entry("completion", "make your shell complete commands", () => import("./help/completion.ts"), "completion"),
  entry("complete", "say what may come next", () => import("./help/complete.ts"), "complete"),
  entry("help", "explain a command", () => import("./help/help.ts"), "help"),
];

type Named = Pick<MadeCommand, "name" | "summary" | "common">;

/** All there are, with those that were made of tools. */
export const entriesWith = <M extends Named>(
  made: readonly M[],
  whole: (named: M) => Promise<MadeCommand> | MadeCommand,
): Entry[] => [
  ...WRITTEN,
  ...made.map((each) => ({
    name: each.name,
    summary: each.summary,
    ...(each.common && { common: each.common }),
    load: async () => (await import("./core/tool-command.ts")).commandOf(await whole(each)),
  })),
];

/** Of those that were made of tools only the names are at hand: all of them would take a hook's time. */
export const ENTRIES: readonly Entry[] = entriesWith(MADE_NAMES, async ({ name }) => {
  const { MADE } = await import("./core/made-commands.ts");
  const made = MADE.find((each) => each.name === name);
  if (!made) throw new Error(`there is no command ${name}`);
  return made;
});

/** `token` for `token create` and its like. */
export const GROUPS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(({ name }) => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);

export const findEntry = (name: string): Entry | undefined => ENTRIES.find((entry) => entry.name === name);
