import { visibleLine } from "../../visible.ts";
import { type As, resolveActing } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli, Lines } from "../core/cli.ts";
import { defineCommand, flag, integer, text } from "../core/command.ts";
import { duration } from "../core/duration.ts";
import { envelope } from "../core/envelope.ts";
import { Failure, INTERRUPTED } from "../core/failure.ts";
import { counted } from "../core/words.ts";
import { MAIL_OPTIONS, type PollArgs, type Polled, pollOnce, type Shape, shaped } from "./call.ts";
import { noteShown } from "./poll-shown.ts";
import { pollUntil } from "./poll-wait.ts";
import { Lease } from "./watch-lease.ts";

/** Of each mail in the digest, in characters; `parley read` shows all of it. */
const MOST_OF_BODY = 2600;
const BODY_LIMIT = 8 * 1024;
const CHANNEL = "watch";
const PATIENCE_MS = 30_000;

export const watch = defineCommand({
  examples: ["watch", "watch --timeout 4h", "watch --check"],
  details:
    "For an agent to run in the background: it ends with a digest as soon as there is mail that has woken nobody yet, and the agent starts it again. Exit code 0: mail, or the time is up; 5: another one waits already; 130: interrupted, which is no wake. With --check 0 if one waits, 1 if not.",
  format: "text",
  options: {
    timeout: text("TIME", "end after so long without mail (0: never)", { default: "0" }),
    heartbeat: text("TIME", "how often to say that the agent is there", { default: "30s" }),
    check: flag("only say whether one waits"),
    events: text("KINDS", "what to wait for: mail", { choices: ["mail"], default: "mail" }),
    max_messages: integer("N", "how many mails the digest has at most", { default: 10, minimum: 1, maximum: 100 }),
    ...MAIL_OPTIONS,
  },
  async run(cli, { timeout, heartbeat, check, max_messages, compact, compat, events: _events, ...as }) {
    const wait_ms = duration("--timeout", timeout) || Number.POSITIVE_INFINITY;
    const each_ms = Math.max(1000, duration("--heartbeat", heartbeat));
    const agent = await agentOf(cli, as);
    const lease = new Lease(cli.home, { space: cli.space ?? "main", agent });
    if (check) return tellHolder(cli, lease, agent);
    if (!lease.take())
      throw new Failure(
        "CONFLICT",
        `Another watcher waits for ${agent} already (process ${lease.holder()}). Leave it.`,
      );
    process.on("exit", () => lease.release());
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.removeAllListeners(signal).on(signal, () => void interrupted(cli));
    cli.out.note(`Waiting for mail to ${visibleLine(agent)}. Ctrl-C ends it.`);
    // A program that reads JSON gets all of each.
    const body_limit = cli.out.json ? undefined : BODY_LIMIT;
    const args = { limit: max_messages, channel: CHANNEL, bodies: true, body_limit };
    const refuseOther = (): void => {
      if (!lease.held()) throw new Failure("CONFLICT", `Another watcher waits for ${agent} now.`);
    };
    // While it waits only what was never offered counts, or old mail that nobody reads would wake it at once, for ever.
    const waiting = { wait_ms, each_ms, check: refuseOther, patient: true, args: { ...args, fresh: true } };
    const polled = (await backlog(cli, as, { lease, args })) ?? (await pollUntil(cli, as, waiting));
    await print(cli, polled, { shape: { compact, compat }, timeout, lines: cli.linesFor(as) });
    const { messages } = polled;
    moveMark(lease, messages);
    await noteShown(cli, as, { channel: CHANNEL, messages, patience_ms: PATIENCE_MS });
  },
});

/** Whoever the token is has to be asked for: the lease is the agent's. */
async function agentOf(cli: Cli, as: As): Promise<string> {
  const { client, agent } = await resolveActing(cli, { ...as, start: false });
  return agent ?? (await client.call("whoami", {})).principal;
}

async function tellHolder(cli: Cli, lease: Lease, agent: string): Promise<void> {
  const pid = lease.holder();
  cli.io.exitCode = pid === undefined ? 1 : 0;
  const armed = pid !== undefined;
  await cli.out.result(
    { armed, agent, ...(armed && { pid }) },
    () => `${armed ? "armed" : "not armed"} (agent ${visibleLine(agent)})`,
  );
}

/** Mail that was there before counts unless it has woken somebody: the mark tells. */
async function backlog(cli: Cli, as: As, { lease, args }: { lease: Lease; args: PollArgs }) {
  const isNew = ({ position }: { position: string }): boolean => BigInt(position) > lease.mark;
  const list = await callAs(cli, { ...as, start: false }, "mail_inbox", { unread: true, limit: 100 });
  if (!list.messages.some(isNew)) return undefined;
  const polled = await pollOnce(cli, as, args);
  const messages = polled.messages.filter(isNew);
  return messages.length > 0 ? { ...polled, messages } : polled;
}

/** Only once it was printed: what nobody saw has woken nobody. */
function moveMark(lease: Lease, messages: Polled["messages"]): void {
  const newest = messages.reduce(
    (most, { position }) => (BigInt(position) > most ? BigInt(position) : most),
    lease.mark,
  );
  if (newest > lease.mark) lease.mark = newest;
}

interface Printing {
  shape: Shape;
  timeout: string;
  /** What to type next. */
  lines: Lines;
}

async function print(cli: Cli, polled: Polled, { shape, timeout, lines }: Printing): Promise<void> {
  if (cli.out.json) return cli.out.data(await shaped(polled, shape));
  const { messages, unread } = polled;
  const agent = visibleLine(polled.agent);
  if (messages.length === 0)
    return cli.out.write(`== parley watch: no events after ${timeout} for ${agent} ==\n\n${again(cli)}`);
  const more =
    unread > messages.length ? [`... and ${unread - messages.length} more (see \`${lines.line("inbox")}\`)\n`] : [];
  await cli.out.write(
    [
      `== parley watch: ${counted(messages.length, "new message")} for ${agent} ==\n`,
      ...messages.map(digest),
      ...more,
      `Next steps:\n  1. Handle the mail above, and \`${lines.line("ack <id>")}\` what you dealt with.\n  2. ${again(cli)}`,
    ].join("\n"),
  );
}

const again = (cli: Cli): string => `Re-arm the watcher: run \`${cli.same()}\` in the background again.`;

function digest(mail: Polled["messages"][number]): string {
  return [
    `[#${mail.id}] From: ${visibleLine(mail.from)}${mail.priority === "urgent" ? "  [URGENT]" : ""}`,
    `Thread: ${mail.thread_id}`,
    envelope([mail], { limit: MOST_OF_BODY }),
    "\n---\n",
  ].join("\n");
}

async function interrupted(cli: Cli): Promise<never> {
  await cli.out.tell("parley: watch interrupted by signal; not a wake, do not re-arm");
  process.exit(INTERRUPTED);
}
