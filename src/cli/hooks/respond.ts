/** What each hook does: a call or two to the hub, and the answer its client documents. */
import type { Cli } from "../core/cli.ts";
import type { Client } from "../core/client.ts";
import { Failure } from "../core/failure.ts";
import { context, continueTurn, nothing } from "./answers.ts";
import { Asking } from "./asking.ts";
import { isAttended } from "./attended.ts";
import { QUEUED } from "./codex.ts";
import { hintsFor } from "./command-hints.ts";
import { Continuations } from "./continuations.ts";
import { type HookClient, PROGRAMS, type SessionEvent } from "./events.ts";
import { leaveNote, succeed } from "./handover.ts";
import type { HookInput } from "./input.ts";
import { digest, names, type PolledMail, poll } from "./mail.ts";
import { Reminder } from "./reminder.ts";
import { CodexTerminals, endMark, WaiterMark } from "./session-files.ts";
import { takeUrgent } from "./urgent.ts";

export interface Asked {
  cli: Cli;
  event: SessionEvent;
  input: HookInput;
  client: HookClient;
  /** For Codex: start what tells its idle session of mail. */
  wake: boolean;
}

export interface Response {
  /** For stdout. */
  text: string;
  /** Why the client is not to stop: its exit code says so, and this goes to stderr. */
  blocks?: string;
  /** To be called when that was printed, if it tells of mail: only then is the mail offered. */
  printed?: () => Promise<void>;
  /** What else is printed once somebody has decided, however long that takes: the client does not wait for it. */
  decided?: () => Promise<string>;
}

/** Throws a `Failure` when there is nobody to ask; then the hook says nothing. */
export async function respond(asked: Asked): Promise<Response> {
  if (isStarted(asked)) return respondToStarted(asked);
  if (new Asking(asked.cli.home.path, asked.input.session_id ?? "").list().length > 0)
    await (await import("./permission.ts")).withdrawSettled(asked, async () => (await acting(asked)).client);
  switch (asked.event) {
    case "SessionStart":
      return sessionStart(asked);
    case "SessionEnd": {
      const { sessionEnd } = await import("./session-end.ts");
      await sessionEnd(asked);
      return silent(asked);
    }
    case "UserPromptSubmit":
      return userPromptSubmit(asked);
    case "PostToolBatch":
      return postToolBatch(asked);
    case "Stop":
      return stop(asked);
    case "SubagentStop":
      // What a subagent is told its session never sees, so that would be mail lost. And so for `/compact`, which is one too.
      await (await acting(asked)).client.call("agent_heartbeat", {});
      return silent(asked);
    case "PreCompact":
      return preCompact(asked);
    case "Notification": {
      const { tellPeople } = await import("./notification.ts");
      await tellPeople(asked, () => acting(asked));
      return silent(asked);
    }
    case "PermissionRequest":
      // Where nobody sits the run waits for its hook, and ends as it would without us.
      if (!isAttended(asked.client)) return silent(asked);
      return (await import("./permission.ts")).askPermission(asked, await acting(asked));
  }
}

/** Who it is, and which mail waits. The mail itself comes with the first prompt: many a session never has one. */
async function sessionStart(asked: Asked): Promise<Response> {
  const { cli, client: program, input } = asked;
  endMark(cli.home.path, input.session_id ?? "").remove();
  if (program === "codex") sitDown(asked);
  const { client, agent } = await acting(asked);
  const mail = await names(client, "hook-session-start");
  if (asked.wake && isAttended(program)) (await import("./codex.ts")).startWaiter(asked);
  const hints = hintsFor(cli, program);
  const me = `${hints.introduction(agent ?? mail.agent)}${await disagreement(asked)}`;
  if (mail.unread === 0) return { text: context("SessionStart", () => me) };
  const text = context("SessionStart", (limit) => `${me}\n\n${digest(mail, { hints, limit: limit - me.length - 2 })}`);
  return { text, printed: async () => reminderOf(asked).note(allOf(mail)) };
}

/** Where its MCP tools would be another agent than this one, the session is told. */
async function disagreement(asked: Asked): Promise<string> {
  const server = await serverOfAnother(asked);
  return server === undefined
    ? ""
    : ` The MCP server ${server} has a token of its own, so its tools act as another agent than you: tell your user to run \`${asked.cli.line("doctor")}\`.`;
}

async function serverOfAnother({ cli, client }: Asked): Promise<string | undefined> {
  const { projectOf } = await import("../core/identity-env.ts");
  const project = projectOf(undefined, process.env);
  if (client === "claude") return (await import("./fixed-tokens.ts")).fixedTokens(project)[0]?.server;
  const { codexServers, contradicting } = await import("./codex-tokens.ts");
  return contradicting(codexServers(project), cli.token)[0]?.server;
}

async function userPromptSubmit(asked: Asked): Promise<Response> {
  if (asked.client === "codex") await personSpoke(asked);
  const { client } = await acting(asked);
  const channel = "hook-prompt";
  const mail = await poll(client, { channel, naming: (something_new) => something_new || reminderOf(asked).due });
  if (mail.messages.length === 0) return silent(asked);
  return telling(asked, { client, channel, mail }, (text) => context("UserPromptSubmit", text));
}

/** What a waiter of ours has queued is no person's prompt, though it comes as one. */
async function personSpoke(asked: Asked): Promise<void> {
  const { cli, input } = asked;
  if (input.text("prompt") === QUEUED) return;
  const session_id = input.session_id ?? "";
  sitDown(asked);
  endMark(cli.home.path, session_id).remove();
  // Another terminal was closed, which may have been this one's: now it is known that it was not.
  if (new WaiterMark(cli.home.path, session_id).isOver) (await import("./codex.ts")).startWaiter(asked);
}

/** A terminal of Codex shows one conversation: the one before is over there, though Codex says so a minute late. */
function sitDown({ cli, input }: Asked): void {
  const session_id = input.session_id ?? "";
  const before = new CodexTerminals(cli.home.path, session_id).note();
  if (before === undefined) return;
  endMark(cli.home.path, before).write("ended\n");
  if (input.text("source") === "clear") leaveNote(cli, before, session_id);
}

/** In the middle of a turn, for what is urgent. It runs for every batch of tools, so nobody is asked in vain. */
async function postToolBatch(asked: Asked): Promise<Response> {
  const { cli, input } = asked;
  // What a subagent is told its session never sees.
  if (input.text("agent_id") !== undefined || !takeUrgent(cli, input.session_id ?? "")) return silent(asked);
  const { client } = await acting(asked);
  const channel = "hook-tools";
  const polled = await poll(client, { channel, naming: () => false });
  const mail = { ...polled, messages: polled.messages.filter(({ priority }) => priority === "urgent") };
  if (mail.messages.length === 0) return silent(asked);
  return telling(asked, { client, channel, mail }, (text) => context("PostToolBatch", text));
}

/**
 * A session goes on only for mail that came since it was last told, once for all of it, and not more often in a row than
 * its client allows. A run without a person ends with the answer to its prompt.
 */
async function stop(asked: Asked): Promise<Response> {
  const { cli, input } = asked;
  if (!isAttended(asked.client) || isWoken(asked)) return silent(asked);
  const continuations = new Continuations(cli.home.path, input.session_id ?? "");
  if (!continuations.allow(input.flag("stop_hook_active"))) return silent(asked);
  const { client } = await acting(asked);
  const channel = "hook-stop";
  const mail = await poll(client, { channel, naming: (something_new) => something_new });
  if (!reminderOf(asked).isBehind(fresh(mail))) return silent(asked);
  continuations.add();
  return telling(asked, { client, channel, mail }, (text) => continueTurn(asked.client, text));
}

/**
 * By the runner, with a token of its own, for a trigger or as a worker: it is that, and no agent that has mail besides. Or
 * by a runtime, which tells it what there is, and asks what it asks.
 */
function isStarted({ cli }: Asked): boolean {
  const { PARLEY_RUN, PARLEY_TRIGGER, PARLEY_WORKER } = cli.io.env;
  if (PARLEY_RUN?.startsWith("agent.")) return true;
  return cli.token !== undefined && Boolean(PARLEY_RUN && (PARLEY_TRIGGER || PARLEY_WORKER));
}

/** A worker goes on while there is work for it, though nobody sits before it. */
async function respondToStarted(asked: Asked): Promise<Response> {
  if (asked.event !== "Stop" || !asked.cli.io.env.PARLEY_WORKER) return silent(asked);
  return (await import("./worker-stop.ts")).workerStop(asked);
}

/** Its waiter tells it of mail in the middle of a turn too, by a line that follows: to go on here would cost a second request. */
const isWoken = ({ cli, client, input }: Asked): boolean =>
  client === "codex" && new WaiterMark(cli.home.path, input.session_id ?? "").isThere;

const silent = ({ event }: Asked): Response => ({ text: nothing(event) });

interface Telling {
  client: Client;
  channel: string;
  mail: PolledMail;
}

function telling(
  asked: Asked,
  { client, channel, mail }: Telling,
  answer: (text: (limit: number) => string) => string,
): Response {
  const hints = hintsFor(asked.cli, asked.client);
  const printed = async (): Promise<void> => {
    // Offered is what was shown, not what was only named.
    const ids = fresh(mail).map(({ id }) => id);
    if (ids.length > 0) await client.call("mail_offered", { ids, channel });
    // Here it was told of what is urgent alone.
    if (asked.event !== "PostToolBatch") reminderOf(asked).note(allOf(mail));
  };
  return { text: answer((limit) => digest(mail, { hints, limit })), printed };
}

const allOf = ({ messages, waiting = [] }: PolledMail): PolledMail["messages"] => [...messages, ...waiting];

const fresh = ({ messages }: PolledMail): PolledMail["messages"] => messages.filter(({ offered }) => offered === 0);

const reminderOf = ({ cli, input }: Asked): Reminder => new Reminder(cli.home.path, input.session_id ?? "");

/** What stands here becomes part of what Claude Code is told to keep. Codex takes no text from this hook. */
async function preCompact(asked: Asked): Promise<Response> {
  const { client, agent } = await acting(asked);
  const [{ unread, agent: mailbox }] = await Promise.all([
    client.call("mail_inbox", { unread: true, limit: 1 }),
    import("./remember.ts").then(({ remember }) => remember(asked, client)),
  ]);
  if (asked.client === "codex") return { text: "" };
  const mail = unread > 0 ? ` ${unread} unread: \`${hintsFor(asked.cli, asked.client).inbox}\`.` : "";
  return { text: `Worth keeping: this session is ${agent ?? mailbox} on Parley, with mail of its own.${mail}` };
}

/** As the agent of the session, never as the person who owns the data folder. */
async function acting({ cli, input, client }: Asked): Promise<{ client: Client; agent: string | null }> {
  const session_id = input.session_id;
  if (session_id === undefined)
    throw new Failure("NO_IDENTITY", "the client named no session_id, so nobody knows whose mail is asked for.");
  const as = { session_id, client: PROGRAMS[client], start: false };
  return client === "claude" ? succeed(cli, as) : succeed(cli, as, session_id);
}
