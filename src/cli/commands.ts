import type { Command } from "./command.ts";
import { MADE } from "./made-commands.ts";
import type { MadeCommand } from "./tool-command.ts";

export interface Entry {
  /** One or two words. */
  name: string;
  summary: string;
  /** Shown by `parley` alone. */
  common?: true;
  /** Loaded only when the command is used: starting fast is a feature. */
  load: () => Promise<Command>;
}

const WRITTEN: readonly Entry[] = [
  {
    name: "serve",
    summary: "run the hub in the foreground",
    common: true,
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "status",
    summary: "say whether the hub runs, and what to do next",
    common: true,
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "login",
    summary: "make a link that signs a browser in",
    common: true,
    load: async () => (await import("./login.ts")).login,
  },
  {
    name: "demo",
    summary: "start a small agent that answers in the chat",
    common: true,
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "open",
    summary: "open the page in your browser, signed in",
    common: true,
    load: async () => (await import("./open.ts")).open,
  },
  { name: "logs", summary: "read what the hub logs", load: async () => (await import("./logs.ts")).logs },
  { name: "stop", summary: "stop the hub", load: async () => (await import("./stop.ts")).stop },
  {
    name: "chat send",
    summary: "say something to an agent",
    common: true,
    load: async () => (await import("./chat.ts")).send,
  },
  { name: "chat read", summary: "read what was said", load: async () => (await import("./chat.ts")).read },
  {
    name: "chat tail",
    summary: "follow a chat as it goes on",
    common: true,
    load: async () => (await import("./chat-tail.ts")).tail,
  },
  {
    name: "inbox",
    summary: "list the mail that is not read",
    common: true,
    load: async () => (await import("./inbox.ts")).inbox,
  },
  {
    name: "send",
    summary: "send mail to agents or people",
    common: true,
    load: async () => (await import("./send.ts")).send,
  },
  { name: "sent", summary: "list the mail that you sent", load: async () => (await import("./inbox.ts")).sent },
  { name: "reply", summary: "answer a mail", load: async () => (await import("./send.ts")).reply },
  { name: "read", summary: "read a mail", common: true, load: async () => (await import("./read.ts")).read },
  { name: "ack", summary: "say that a mail is dealt with", load: async () => (await import("./mail-update.ts")).ack },
  { name: "archive", summary: "put mail away", load: async () => (await import("./mail-update.ts")).archive },
  { name: "trash", summary: "throw mail away", load: async () => (await import("./mail-update.ts")).trash },
  {
    name: "unarchive",
    summary: "take mail back into the inbox",
    load: async () => (await import("./mail-update.ts")).unarchive,
  },
  { name: "snooze", summary: "have mail come back later", load: async () => (await import("./mail-update.ts")).snooze },
  { name: "unread", summary: "mark mail as not read", load: async () => (await import("./mail-update.ts")).unread },
  { name: "search", summary: "find mail by its words", load: async () => (await import("./inbox.ts")).search },
  { name: "thread", summary: "read a thread", load: async () => (await import("./inbox.ts")).thread },
  {
    name: "receipts",
    summary: "see how far mail came that you sent",
    load: async () => (await import("./topics.ts")).receipts,
  },
  { name: "poll", summary: "ask for new mail, or wait for it", load: async () => (await import("./poll.ts")).poll },
  {
    name: "watch",
    summary: "wait in the background until there is mail",
    load: async () => (await import("./watch.ts")).watch,
  },
  {
    name: "publish",
    summary: "send mail to everybody who follows a topic",
    load: async () => (await import("./send.ts")).publish,
  },
  {
    name: "status-update",
    summary: "tell people how far you are",
    load: async () => (await import("./status-update.ts")).statusUpdate,
  },
  { name: "topics", summary: "list the topics", load: async () => (await import("./topics.ts")).topics },
  { name: "queue list", summary: "list what waits for the hub", load: async () => (await import("./queue.ts")).list },
  { name: "queue drain", summary: "send what waits now", load: async () => (await import("./queue.ts")).drain },
  { name: "queue clear", summary: "throw away what waits", load: async () => (await import("./queue.ts")).clear },
  { name: "queue stats", summary: "count what waits", load: async () => (await import("./queue.ts")).stats },
  {
    name: "schema",
    summary: "describe the command line as JSON",
    load: async () => (await import("./schema.ts")).schema,
  },
  {
    name: "completion",
    summary: "make your shell complete commands",
    load: async () => (await import("./completion.ts")).completion,
  },
  { name: "complete", summary: "say what may come next", load: async () => (await import("./complete.ts")).complete },
  { name: "agent list", summary: "list the agents of a space", load: async () => (await import("./agent.ts")).list },
  {
    name: "agent whoami",
    summary: "say which agent you are",
    load: async () => (await import("./whoami.ts")).agentWhoami,
  },
  {
    name: "agent discover",
    summary: "find agents by presence, project or name",
    load: async () => (await import("./agent.ts")).discover,
  },
  { name: "agent delete", summary: "delete an agent", load: async () => (await import("./agent.ts")).remove },
  {
    name: "identity ensure",
    summary: "make this session an agent, or say which one it is",
    load: async () => (await import("./identity.ts")).ensure,
  },
  {
    name: "identity restore",
    summary: "resume as this session's agent",
    load: async () => (await import("./identity.ts")).restore,
  },
  {
    name: "identity save",
    summary: "note where this session is working",
    load: async () => (await import("./identity.ts")).save,
  },
  {
    name: "identity current",
    summary: "say who you are and why",
    load: async () => (await import("./identity.ts")).current,
  },
  {
    name: "identity list",
    summary: "list which session is which agent",
    load: async () => (await import("./identity.ts")).list,
  },
  {
    name: "identity set-default",
    summary: "choose the agent of a project, for those without a session",
    load: async () => (await import("./identity.ts")).setDefault,
  },
  {
    name: "heartbeat",
    summary: "say that you are there",
    load: async () => (await import("./heartbeat.ts")).heartbeat,
  },
  {
    name: "token create",
    summary: "give a person or an agent a credential",
    common: true,
    load: async () => (await import("./token.ts")).create,
  },
  { name: "token list", summary: "list the credentials", load: async () => (await import("./token.ts")).list },
  { name: "token revoke", summary: "take a credential back", load: async () => (await import("./token.ts")).revoke },
  {
    name: "token rotate",
    summary: "replace a credential by a new one",
    load: async () => (await import("./token.ts")).rotate,
  },
  { name: "space create", summary: "open a space", load: async () => (await import("./space.ts")).create },
  {
    name: "space delete",
    summary: "delete a space and everything in it",
    load: async () => (await import("./space.ts")).remove,
  },
  {
    name: "audit verify",
    summary: "check that nobody changed or cut the audit",
    load: async () => (await import("./audit.ts")).verify,
  },
  {
    name: "audit show",
    summary: "show who did what last",
    load: async () => (await import("./audit.ts")).show,
  },
  {
    name: "mcp",
    summary: "serve MCP on stdin and stdout, for an agent's configuration",
    common: true,
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "mcp-config",
    summary: "print the entry for Parley in a client's MCP settings",
    load: async () => (await import("./mcp-config.ts")).mcpConfig,
  },
  {
    name: "mcp-headers",
    summary: "print what Claude Code sends to be its session's agent",
    load: async () => (await import("./mcp-headers.ts")).mcpHeaders,
  },
  {
    name: "hooks install",
    summary: "let mail reach the sessions of Claude Code or Codex",
    common: true,
    load: async () => (await import("./hooks.ts")).install,
  },
  {
    name: "hooks status",
    summary: "say which hooks are installed",
    load: async () => (await import("./hooks.ts")).status,
  },
  {
    name: "hooks uninstall",
    summary: "take the hooks out of a client's settings again",
    load: async () => (await import("./hooks.ts")).uninstall,
  },
  { name: "hook", summary: "answer a hook of an agent's client", load: async () => (await import("./hook.ts")).hook },
  { name: "wait", summary: "wait for mail", load: async () => (await import("./wait.ts")).wait },
  {
    name: "doctor",
    summary: "look at everything, and say what to do about it",
    common: true,
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "needs",
    summary: "see what waits for you",
    load: async () => (await import("./needs.ts")).list,
  },
  {
    name: "later",
    summary: "put off something that waits for you",
    load: async () => (await import("./needs.ts")).later,
  },
  {
    name: "notices",
    summary: "see what people were told and asked",
    load: async () => (await import("./notice.ts")).list,
  },
  {
    name: "notice settle",
    summary: "answer a notice",
    load: async () => (await import("./notice.ts")).settle,
  },
  { name: "why", summary: "see what led to something", load: async () => (await import("./why.ts")).why },
  { name: "call", summary: "call any tool of the hub", load: async () => (await import("./call.ts")).call },
  { name: "whoami", summary: "say as whom you act", load: async () => (await import("./whoami.ts")).whoami },
  {
    name: "link",
    summary: "put parley on your PATH",
    load: async () => (await import("./link.ts")).link,
  },
  { name: "version", summary: "say which version this is", load: async () => (await import("./version.ts")).version },
  { name: "help", summary: "explain a command", load: async () => (await import("./help.ts")).help },
];

/** All there are, with those that were made of tools. */
export const entriesWith = (made: readonly MadeCommand[]): Entry[] => [
  ...WRITTEN,
  ...made.map((each) => ({
    name: each.name,
    summary: each.summary,
    load: async () => (await import("./tool-command.ts")).commandOf(each),
  })),
];

export const ENTRIES: readonly Entry[] = entriesWith(MADE);

/** `token` for `token create` and its like. */
export const GROUPS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(({ name }) => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);

export const findEntry = (name: string): Entry | undefined => ENTRIES.find((entry) => entry.name === name);
