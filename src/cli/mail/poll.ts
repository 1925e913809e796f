import type { As } from "../core/acting.ts";
import type { Cli, Lines } from "../core/cli.ts";
import { defineCommand, flag, howMany, text } from "../core/command.ts";
import { Failure } from "../core/failure.ts";
import { MAIL_OPTIONS, type Polled, pollOnce, type Shape, shaped } from "./call.ts";

/** As many as the answer of a hook lists: what it does not show was not offered. */
const MOST_IN_HOOK = 5;

export const poll = defineCommand({
  examples: [
    "poll",
    "poll --wait 55s --json",
    "poll --format hook",
    "poll --wait 55s --format hook --always-block",
    "poll --quiet --format context",
  ],
  details:
    "What is unread, urgent first. It is recorded as offered, and marked in no other way. With --format hook it answers a client's Stop hook. It starts no hub.",
  formats: ["context", "hook"],
  options: {
    wait: text("TIME", "if there is none, wait so long for some: 55s, 10m", { default: "0" }),
    always_block: flag("with --format hook: block even without mail, and even on an error"),
    limit: howMany(20, 100),
    channel: text("NAME", "what to record it as offered by (default poll, or hook)"),
    ...MAIL_OPTIONS,
  },
  async run(cli, { wait, always_block, limit, channel, compact, compat, ...as }) {
    const hook = cli.out.format === "hook";
    const args = {
      limit: hook ? Math.min(limit, MOST_IN_HOOK) : limit,
      channel: channel ?? (hook ? "hook" : "poll"),
    };
    try {
      const polled = await ask(cli, as, { wait, args });
      await print(cli, polled, { always_block, shape: { compact, compat }, lines: cli.linesFor(as) });
      const { messages } = polled;
      if (messages.length > 0)
        await (await import("./poll-shown.ts")).noteShown(cli, as, { channel: args.channel, messages });
    } catch (error) {
      if (!(hook && always_block && error instanceof Failure)) throw error;
      await cli.out.write(blockOn(error));
    }
  },
});

async function ask(cli: Cli, as: As, { wait, args }: { wait: string; args: { limit: number; channel: string } }) {
  if (wait === "0") return pollOnce(cli, as, args);
  const [{ duration }, { pollUntil }] = await Promise.all([import("../core/duration.ts"), import("./poll-wait.ts")]);
  return pollUntil(cli, as, { wait_ms: duration("--wait", wait), args });
}

interface Printing {
  always_block: boolean;
  shape: Shape;
  /** What to type next. */
  lines: Lines;
}

async function print(cli: Cli, polled: Polled, how: Printing): Promise<void> {
  const none = polled.messages.length === 0;
  const { format, quiet } = cli.out;
  if (format === "hook") {
    if (!none) return block(cli, (await import("./text.ts")).hookReason(polled, how.lines));
    if (how.always_block)
      return block(cli, `No new messages. Check your inbox with \`${how.lines.line("inbox")}\` if needed.`);
    return cli.out.write("{}");
  }
  if (none && quiet) return;
  if (format === "json") return cli.out.data(await shaped(polled, how.shape));
  const { contextLines, listed } = await import("./text.ts");
  if (format === "context") return cli.out.write(contextLines(polled, how.lines));
  const { visibleLine } = await import("../../visible.ts");
  const who = visibleLine(polled.agent);
  await cli.out.result(
    polled,
    () => (none ? `No new messages for ${who}.` : `New messages for ${who}:\n\n${listed(polled.messages, cli.out)}`),
    polled.messages,
  );
}

/** The key order is the one that scripts written for substrate may compare with. */
const blocking = (reason: string): string => JSON.stringify({ decision: "block", reason });
const block = (cli: Cli, reason: string): Promise<void> => cli.out.write(blocking(reason));

/** What `--always-block` says to any failure, be it that the command line itself is wrong. */
export const blockOn = (error: Failure): string => blocking(`${troubleOf(error)} Agent staying alive.`);

function troubleOf({ code, message }: Failure): string {
  if (code === "INVALID_ARGUMENT") return message;
  if (code === "HUB_UNREACHABLE" || code === "SHUTTING_DOWN") return "Error connecting to Parley.";
  if (["NO_IDENTITY", "AMBIGUOUS_IDENTITY", "UNAUTHENTICATED"].includes(code)) return "Error resolving agent identity.";
  return "Error checking mail.";
}
