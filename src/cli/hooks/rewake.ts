/**
 * Wakes an idle session. Claude Code runs this beside the session (`asyncRewake`) and wakes it when the exit code is 2,
 * with what is on stderr. Any other end is silent: a hook that fails must not wake anybody, again and again.
 */
import type { As } from "../acting.ts";
import type { Cli } from "../cli.ts";
import { isAlive } from "../home.ts";
import { noteShown } from "../poll-shown.ts";
import { pollUntil } from "../poll-wait.ts";
import { queue, queued } from "./codex.ts";
import { type HookClient, PROGRAMS } from "./events.ts";
import { readInput } from "./input.ts";
import { BODY_LIMIT, digest, LIMIT } from "./mail.ts";

const WAKE = 2;
/** The Stop hook beside us offers what is there already. We are for what comes later. */
const HEAD_START_MS = 1_000;
const LOOK_MS = 2_000;
const PATIENCE_MS = 60_000;
const CHANNEL = "rewake";
/** As long as the client lets it. Should that be gone, and we not have seen it go, this is the end. */
const LONGEST_MS = 86_400_000;

interface Given {
  as: As;
  client: HookClient;
  while_pid: number | undefined;
}

export async function rewake(cli: Cli, { as, client, while_pid }: Given): Promise<void> {
  try {
    endWith(while_pid);
    const session_id = as.session_id ?? (await readInput()).session_id;
    if (session_id === undefined) throw new Error("the client named no session_id");
    await new Promise((done) => setTimeout(done, HEAD_START_MS));
    const session = { ...as, session_id, client: PROGRAMS[client] };
    await (client === "codex" ? wakeCodex(cli, session) : wakeClaude(cli, session));
  } catch (error) {
    process.stderr.write(`parley wait --rewake: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 0;
  }
}

type Session = As & { session_id: string };

const next = (cli: Cli, as: Session) =>
  pollUntil(cli, as, {
    wait_ms: LONGEST_MS,
    args: { channel: CHANNEL, waiter: CHANNEL, fresh: true, limit: LIMIT, bodies: true, body_limit: BODY_LIMIT },
    patient: true,
  });

async function wakeClaude(cli: Cli, as: Session): Promise<void> {
  const polled = await next(cli, as);
  const { messages } = polled;
  if (messages.length === 0) return;
  await cli.out.tell(digest(polled));
  process.exitCode = WAKE;
  await noteShown(cli, as, { channel: CHANNEL, messages, patience_ms: PATIENCE_MS });
}

async function wakeCodex(cli: Cli, as: Session): Promise<void> {
  for (;;) {
    const polled = await next(cli, as);
    const { messages } = polled;
    if (messages.length === 0) return;
    const trouble = await queue(as.session_id, queued(polled));
    // It stays new, for the next hook. To go on would be in vain too.
    if (trouble) throw new Error(`codex queue: ${trouble}`);
    await noteShown(cli, as, { channel: CHANNEL, messages, patience_ms: PATIENCE_MS });
  }
}

/** Nobody is left to wake once the client is gone: then we are not left over either. */
function endWith(pid: number | undefined): void {
  const parent = process.ppid;
  const gone = pid === undefined ? () => process.ppid !== parent : () => !isAlive(pid);
  setInterval(() => gone() && process.exit(0), LOOK_MS).unref();
}
