/**
 * Wakes an idle session. Claude Code runs this beside the session (`asyncRewake`) and wakes it when the exit code is 2,
 * with what is on stderr. Any other end is silent: a hook that fails must not wake anybody, again and again.
 */

import { isAlive } from "../../local/processes.ts";
import type { As } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { reasonOf } from "../core/failure.ts";
import { pause } from "../core/patience.ts";
import type { PollArgs } from "../mail/call.ts";
import { noteShown } from "../mail/poll-shown.ts";
import { pollUntil } from "../mail/poll-wait.ts";
import { isAttended } from "./attended.ts";
import { claimSession } from "./claims.ts";
import { queue } from "./codex.ts";
import { hintsFor } from "./command-hints.ts";
import { type HookClient, PROGRAMS } from "./events.ts";
import { type HookInput, readInput } from "./input.ts";
import { BODY_LIMIT, digest, LIMIT } from "./mail.ts";
import { Reminder } from "./reminder.ts";
import { CodexTerminals, endMark } from "./session-files.ts";

const WAKE = 2;
/** The Stop hook beside us offers what is there already. We are for what comes later. */
const HEAD_START_MS = 1_000;
const LOOK_MS = 2_000;
const PATIENCE_MS = 60_000;
const CHANNEL = "rewake";
/** The waiter that came last goes on, also if it came while this one was between two polls. */
const WAITER_ID = `${process.pid}-${Date.now()}`;
/** One line is queued for so many. */
const MOST_TOLD = 100;
/** As long as the client lets it. Should that be gone, and we not have seen it go, this is the end. */
const LONGEST_MS = 86_400_000;

interface Given {
  as: As;
  client: HookClient;
  while_pid: number | undefined;
}

export async function rewake(cli: Cli, { as, client, while_pid }: Given): Promise<void> {
  // Claude Code waits for us where nobody is there to be woken. Codex never does, and its hook asked before it started us.
  if (client === "claude" && !isAttended(client)) return;
  try {
    const input = as.session_id === undefined ? await readInput() : undefined;
    if (input && waitsByItself(input)) return;
    const session_id = as.session_id ?? input?.session_id;
    if (session_id === undefined) throw new Error("the client named no session_id");
    if (client === "claude") claimSession(cli.home.path, session_id);
    const session = { ...as, session_id, client: PROGRAMS[client] };
    const end = endMark(cli.home.path, session_id);
    const terminals = client === "codex" ? new CodexTerminals(cli.home.path, session_id) : undefined;
    endWhen(() => end.exists || terminals?.areThere === false, while_pid);
    await pause(HEAD_START_MS);
    await (terminals ? wakeCodex(cli, session, { terminals, runner: while_pid }) : wakeClaude(cli, session));
  } catch (error) {
    process.stderr.write(`parley wait --rewake: ${reasonOf(error)}\n`);
    cli.io.exitCode = 0;
  }
}

const OVER = ["completed", "failed", "cancelled", "killed"];

/** The client's own wait for mail wakes the session sooner, and with less. */
const waitsByItself = (input: HookInput): boolean =>
  input
    .list("background_tasks")
    .some((task) => /(^|_)mail_wait$/.test(task.text("tool") ?? "") && !OVER.includes(task.text("status") ?? ""));

type Session = As & { session_id: string };

const next = (cli: Cli, as: Session, args: Omit<PollArgs, "channel">) =>
  pollUntil(cli, as, {
    wait_ms: LONGEST_MS,
    args: { channel: CHANNEL, waiter: CHANNEL, waiter_id: WAITER_ID, fresh: true, ...args },
    patient: true,
  });

/** By what it was not told of yet. Then it is shown whatever has room, urgent mail first. */
async function wakeClaude(cli: Cli, as: Session): Promise<void> {
  const reminder = new Reminder(cli.home.path, as.session_id);
  const { messages: came } = await next(cli, as, { after: reminder.position, limit: 1 });
  if (came.length === 0) return;
  const polled = await next(cli, as, { limit: LIMIT, bodies: true, body_limit: BODY_LIMIT });
  const { messages } = polled;
  if (messages.length === 0) return;
  await cli.out.tell(digest(polled, { hints: hintsFor(cli, "claude") }));
  cli.io.exitCode = WAKE;
  reminder.note(messages);
  await noteShown(cli, as, { channel: CHANNEL, messages, patience_ms: PATIENCE_MS });
}

interface Woken {
  terminals: CodexTerminals;
  /** The program that runs the hooks. */
  runner: number | undefined;
}

/** Once for each mail. It stays new until the hook of that prompt has shown it, so we keep our own place. */
async function wakeCodex(cli: Cli, as: Session, { terminals, runner }: Woken): Promise<void> {
  for (let after = new Reminder(cli.home.path, as.session_id).position; ; ) {
    const { messages } = await next(cli, as, { after, limit: MOST_TOLD });
    const last = messages.at(-1);
    if (!last) return;
    after = last.position;
    // The mail is shown with their next prompt.
    if (!terminals.areThere) return;
    const trouble = await queue(as.session_id, runner);
    // It stays new, for the next hook. To go on would be in vain too.
    if (trouble) throw new Error(`codex queue: ${trouble}`);
  }
}

/** Nobody is left to wake once the client is gone or the session over: then we are not left over either. */
function endWhen(isOver: () => boolean, pid: number | undefined): void {
  const parent = process.ppid;
  const gone = pid === undefined ? () => process.ppid !== parent : () => !isAlive(pid);
  setInterval(() => (gone() || isOver()) && process.exit(0), LOOK_MS).unref();
}
